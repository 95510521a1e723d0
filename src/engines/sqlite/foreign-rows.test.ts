import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { placesIn, SharedFile, STRANGE, withValue } from "../../../test/sqlite/shared-file.ts";
import { allSent, draftFor, replied, unknown } from "../../testing/engine-contract/builders.ts";

let at: SharedFile;
beforeEach(async () => {
  at = await SharedFile.open();
});
afterEach(() => at.close());

describe("a conversation's record that is not ours is mended", () => {
  it.each(STRANGE)("%j in its place: its conversation goes on under its own id", async (strange) => {
    const ana = await at.receive("ana");
    at.change("UPDATE conversations SET record = ? WHERE id = ?", strange, ana);
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ana"]);
    expect(await at.receive("ana")).toBe(ana);
    expect(await at.engine.conversations.get(ana)).toMatchObject({ sender: "ana", handedOff: false });
    expect((await at.engine.inspector.counts()).quarantined).toBe(1);
  });

  it("without forgetting that a human took over", async () => {
    const ana = await at.receive("ana");
    await at.engine.conversations.change(ana, { handedOff: true, handOffReason: "angry" });
    at.change(
      "UPDATE conversations SET record = json_set(record, '$.totalTokens', 'many') WHERE id = ?",
      ana,
    );
    expect(await at.engine.conversations.get(ana)).toMatchObject({
      handedOff: true,
      handOffReason: "angry",
      totalTokens: 0,
    });
  });

  it("without forgetting that it was completed", async () => {
    const ana = await at.receive("ana");
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ana"]);
    await at.engine.conversations.change(ana, { taskComplete: true });
    at.change("UPDATE conversations SET record = '{' WHERE id = ?", ana);
    expect(await at.engine.conversations.get(ana)).toMatchObject({ id: ana, taskComplete: true });
    expect(await at.receive("ana")).not.toBe(ana);
  });

  it("and is shown as it will be, as of now", async () => {
    const ana = await at.receive("ana");
    at.change("UPDATE conversations SET record = '{' WHERE id = ?", ana);
    await at.clock.advance(5_000);
    const nowMs = at.clock.nowMs();
    expect(await at.engine.conversations.get(ana)).toMatchObject({ createdAtMs: nowMs, updatedAtMs: nowMs });
  });
});

describe("a conversation that cannot be mended", () => {
  it("is a dead letter, and its person can write again", async () => {
    const ana = await at.receive("ana");
    await at.receive("ben");
    at.change("UPDATE conversations SET record = '{', sender = x'00ff' WHERE id = ?", ana);
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ben"]);
    expect(await at.engine.inspector.counts()).toMatchObject({ quarantined: 1, conversations: 1, dead: 1 });
    const { items } = await at.engine.inspector.dead({ limit: 10 });
    expect(items).toMatchObject([{ conversationId: ana, reason: "CONVERSATION_NOT_FOUND" }]);
    await at.receive("ana");
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ana"]);
  });

  it.each([
    ["DELETE FROM conversations WHERE sender = 'ana'"],
    ["UPDATE conversations SET record = 'x', sender = CAST(x'ff' AS TEXT) WHERE sender = 'ana'"],
  ])("%s, while a reply waits to be sent: a dead letter, and no other is troubled", async (spoil) => {
    await at.receive("ana");
    await at.clock.advance(10_000);
    const [taken] = await at.turns();
    const draft = draftFor(taken!, "one");
    await at.engine.turns.draft(taken!.lease, draft);
    await at.engine.turns.release(taken!.lease, { kind: "retry", afterMs: 1_000, reason: "503", draft });
    at.change(spoil);
    await at.receive("ben");
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ben"]);
    const [letter] = (await at.engine.inspector.dead({ limit: 9 })).items;
    expect(letter).toMatchObject({ reason: "CONVERSATION_NOT_FOUND", messages: [{ text: "hi" }], draft });
    expect(await at.engine.inspector.counts()).toMatchObject({ staged: 0, windows: 0, leases: 0 });
  });

  it.each([
    ["DELETE FROM conversations WHERE sender = 'ana'"],
    ["UPDATE conversations SET record = 'x', sender = CAST(x'ff' AS TEXT) WHERE sender = 'ana'"],
  ])("%s, with an unknown send: it is not staged again, and stays on its list", async (spoil) => {
    await at.receive("ana");
    await at.clock.advance(10_000);
    const [taken] = await at.turns();
    const draft = unknown(draftFor(taken!, "one"), 0);
    await at.engine.turns.commit(taken!.lease, replied(taken!, draft, { outcome: "unknown" }));
    const list = async () => (await at.engine.inspector.unknown({ limit: 9 })).items;
    const [listed] = await list();
    at.change(spoil);
    expect(await at.engine.repairs.resendUnknown(listed!.id)).toBe("not-found");
    expect(await list()).toEqual([listed]);
    expect(await at.engine.inspector.counts()).toMatchObject({ staged: 0, windows: 0, leases: 0 });
  });
});

describe("a value that no conversation of ours has", () => {
  it.each(["4611686018427387904", "'no'", "x'00'", "-1"])(
    "in a column (%s) does not hide it: it is found and shown",
    async (value) => {
      const ana = await at.receive("ana");
      await at.receive("ben");
      at.change(`UPDATE conversations SET task_complete = ${value} WHERE id = ?`, ana);
      await at.clock.advance(10_000);
      expect(await at.answered()).toEqual(["ana", "ben"]);
      expect((await at.engine.inspector.conversations({ limit: 10 })).items).toHaveLength(2);
    },
  );

  it("for its window, thirty years, does not mute it", async () => {
    const ana = await at.receive("ana");
    const window = JSON.stringify({ kind: "fixed", lengthMs: 1e12 });
    at.change(
      "UPDATE conversations SET record = json_set(record, '$.window', json(?)) WHERE id = ?",
      window,
      ana,
    );
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ana"]);
    await at.receive("ana", "and now?");
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ana"]);
  });
});

describe("a staged message that is not ours", () => {
  it("in any one field, with any value, leaves the rest of its burst to be answered", async () => {
    const ana = await at.receive("ana", "first");
    const whole = JSON.parse(String(at.read("SELECT item FROM staged").item));
    for (const place of placesIn(whole)) {
      for (const put of ["soon", [], {}, 1e300, undefined]) {
        const label = `${place.join(".")} = ${JSON.stringify(put)}`;
        at.change("UPDATE staged SET item = ?", JSON.stringify(withValue(whole, place, put)));
        await at.receive("ana", "second");
        await at.clock.advance(10_000);
        const [taken] = await at.turns();
        expect(taken?.messages.at(-1)?.text, label).toBe("second");
        for (const { arrivedAtMs, position, sequence } of taken!.messages) {
          expect([arrivedAtMs, position, sequence].every(Number.isFinite), label).toBe(true);
        }
        await at.engine.turns.commit(taken!.lease, replied(taken!, allSent(draftFor(taken!))));
        expect((await at.engine.inspector.counts()).staged, label).toBe(0);
        at.change(
          `INSERT INTO staged (sequence, id, conversation_id, kind, bytes, item)
             VALUES (1, ?, ?, 'message', 2, '')`,
          whole.id,
          ana,
        );
      }
    }
  }, 60_000);

  it.each([
    ["UPDATE staged SET bytes = 9223372036854775807 WHERE sequence = 1"],
    ["UPDATE staged SET bytes = 'many' WHERE sequence = 1"],
    ["UPDATE staged SET kind = 'gift' WHERE sequence = 1"],
    ["UPDATE staged SET kind = 'outbound' WHERE sequence = 1"],
    ["UPDATE staged SET id = 'another' WHERE sequence = 1"],
    ["UPDATE staged SET item = CAST(x'7b22ff22' AS TEXT) WHERE sequence = 1"],
  ])("%s: the rest of its burst is answered, once", async (spoil) => {
    await at.receive("ana", "one");
    await at.receive("ana", "two");
    at.change(spoil);
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ana"]);
    expect(await at.engine.inspector.counts()).toMatchObject({ quarantined: 1, staged: 0 });
  });

  it.each(["9223372036854775807", "9007199254740993", "5000000000", "-1", "'many'", "x'00'"])(
    "with %s bytes does not keep new messages out",
    async (bytes) => {
      await at.receive("ana", "one");
      await at.receive("ana", "two");
      at.change(`UPDATE staged SET bytes = ${bytes}`);
      expect(await at.receive("ana", "three")).not.toBe("");
      await at.clock.advance(10_000);
      const [taken] = await at.turns();
      expect(taken?.messages.map(({ text }) => text)).toEqual(["three"]);
      expect((await at.engine.inspector.counts()).quarantined).toBe(2);
    },
  );
});

describe("a pile in which one column of one row is not ours", () => {
  const COLUMNS = [
    ...["sequence", "id", "kind", "bytes", "pile_bytes", "pile_since_ms"],
    ...["arrived_at_ms", "sent_at_ms", "position", "item"],
  ];
  const VALUES = ["NULL", "-1", "2.5", "1e300", "9007199254740993", "'many'", "''", "x'00ff'"];

  it.each(COLUMNS)("keeps no later message out, whatever %s is", async (column) => {
    const people: string[] = [];
    for (const value of VALUES) {
      for (const [place, sequence] of Object.entries({ first: 1, middle: 2, last: 3 })) {
        const person = `${place} = ${value}`;
        people.push(person);
        const id = await at.receive(person, "one");
        await at.receive(person, "two");
        await at.receive(person, "three");
        // Some columns take no NULL.
        const isIt = `conversation_id = ? AND sequence = ${sequence}`;
        at.change(`UPDATE OR IGNORE staged SET ${column} = ${value} WHERE ${isIt}`, id);
        for (const text of ["four", "five"])
          expect(await at.receive(person, text).catch(String), person).toBe(id);
      }
    }
    await at.clock.advance(10_000);
    const turns = await at.turns();
    expect(turns.map(({ messages }) => messages.at(-1)?.text)).toEqual(people.map(() => "five"));
    expect(turns.map(({ messages }) => messages.at(-2)?.text)).toEqual(people.map(() => "four"));
  });
});

describe("a number that JavaScript does not count to", () => {
  it("keeps no list from being shown", async () => {
    const ana = await at.receive("ana");
    const [huge, record] = ["9007199254740993", "'{}'"];
    at.change(
      `INSERT INTO conversations
         SELECT ${huge}, 'x', channel_type, address, 'x', NULL, 0, ${record} FROM conversations`,
    );
    at.change(`INSERT INTO messages VALUES (${huge}, '${ana}', 0, ${record})`);
    at.change(`INSERT INTO turns VALUES (${huge}, 't', '${ana}', 0, ${record}, '[]')`);
    at.change(`INSERT INTO refusals VALUES (${huge}, '${ana}', 0, ${record})`);
    for (const table of ["dead_letters", "unknown_sends"])
      at.change(`INSERT INTO ${table} VALUES (${huge}, 'x', '${ana}', ${record})`);
    const { inspector } = at.engine;
    expect((await inspector.conversations({ limit: 10 })).items).toHaveLength(1);
    expect((await inspector.conversation(ana))?.staged).toHaveLength(1);
    for (const list of [inspector.dead, inspector.unknown, inspector.refusals])
      expect((await list({ limit: 10 })).items).toEqual([]);
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ana"]);
  });

  it("is set aside by a sweep, and what is added later can be counted again", async () => {
    const huge = "9007199254740993";
    const ana = await at.receive("ana");
    await at.receive("ben");
    at.change(`UPDATE states SET rowid = ${huge} WHERE conversation_id = ?`, ana);
    await at.engine.sweeping.sweep();
    expect((await at.engine.inspector.counts()).quarantined).toBe(1);
    at.change(`INSERT INTO staged (sequence, id, conversation_id, kind, bytes, item)
      SELECT ${huge}, 'x', conversation_id, kind, bytes, item FROM staged LIMIT 1`);
    at.change(`INSERT INTO messages VALUES (${huge}, '${ana}', 0, '{}')`);
    await at.engine.sweeping.sweep();
    await at.receive("cyd");
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ana", "ben", "cyd"]);
    expect(await at.engine.conversations.history(ana, 10)).toHaveLength(2);
    expect(await at.engine.inspector.counts()).toMatchObject({ quarantined: 3, staged: 0 });
  });
});
