import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import type { LogFields } from "../../model/log.ts";
import type { Taken } from "../../model/take.ts";
import type { Engine } from "../../ports/engine.ts";
import { allSent, arrival, draftFor, replied, unknown } from "../../testing/engine-contract/builders.ts";
import { type FakeClock, fakeClock } from "../../testing/fake-clock.ts";
import { sqlite } from "./index.ts";

let folder = "";
let file = "";
let clock: FakeClock;
let engine: Engine;
let logged: { event: string; fields: LogFields }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lull-foreign-"));
  file = join(folder, "lull.db");
  clock = fakeClock();
  logged = [];
  engine = await sqlite({ file, writer: "inline", synchronous: "off" }).open({
    clock,
    settings: settingsWith({}),
    workerId: "here",
    log: (_level, event, fields = {}) => void logged.push({ event, fields }),
    onArmed: () => {},
  });
});

afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

let count = 0;
async function receive(sender: string, text = "hi"): Promise<string> {
  count += 1;
  const message = arrival({ providerId: `m${count}`, sender, text, arrivedAtMs: clock.nowMs() });
  const [outcome] = await engine.receiving.stage([{ arrival: message }]);
  return outcome?.kind === "staged" ? outcome.conversationId : "";
}

/** Changes the file behind the engine's back. */
function change(sql: string, ...values: SQLInputValue[]): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.prepare(sql).run(...values);
  database.close();
}

function read(sql: string): Record<string, unknown> {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare(sql).get();
  database.close();
  return row ?? {};
}

async function turns(): Promise<Taken[]> {
  const { outcomes } = await engine.turns.takeDue(100, new AbortController().signal);
  return outcomes.flatMap((outcome) => (outcome.kind === "turn" ? [outcome.taken] : []));
}

/** Every conversation that is due by now, or is found by sweeps within a few leases, gets a reply. */
async function answered(): Promise<string[]> {
  const heard: string[] = [];
  for (let look = 0; look < 12; look += 1) {
    for (const taken of await turns()) {
      heard.push(taken.messages[0]?.sender ?? taken.outbound?.to ?? "");
      const draft = taken.draft ?? draftFor(taken);
      await engine.turns.draft(taken.lease, draft);
      const kind = (await engine.turns.commit(taken.lease, replied(taken, allSent(draft)))).kind;
      expect(kind).toBe("committed");
    }
    await engine.sweeping.sweep();
    await clock.advance(15_000);
  }
  return heard.toSorted();
}

/** What may stand in place of a value of ours. */
const STRANGE: readonly (string | number | null | Uint8Array)[] = [
  "",
  "{}",
  "[]",
  "null",
  '"soon"',
  "7",
  '{"works":',
  7,
  new Uint8Array([0xff, 0x00, 0x7b]),
];

/** Every place in a JSON value, as a path. */
function places(value: unknown, path: readonly string[] = []): string[][] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [
    ...(path.length > 0 ? [[...path]] : []),
    ...inner.flatMap(([key, each]) => places(each, [...path, key])),
  ];
}

function withValue(value: unknown, [key = "", ...rest]: readonly string[], put: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = rest.length === 0 ? put : withValue(copy[key], rest, put);
  return copy;
}

describe("a row that is not ours", () => {
  it.each(STRANGE)("in place of a state, %j, stops no conversation", async (strange) => {
    const ana = await receive("ana");
    await receive("ben");
    change("UPDATE states SET state = ? WHERE conversation_id = ?", strange, ana);
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ana", "ben"]);
    expect(await engine.inspector.counts()).toMatchObject({
      quarantined: 1,
      staged: 0,
      windows: 0,
      leases: 0,
    });
  });

  it.each(STRANGE)(
    "in place of a record, %j, is mended: its conversation goes on under its own id",
    async (strange) => {
      const ana = await receive("ana");
      change("UPDATE conversations SET record = ? WHERE id = ?", strange, ana);
      await clock.advance(10_000);
      expect(await answered()).toEqual(["ana"]);
      expect(await receive("ana")).toBe(ana);
      expect(await engine.conversations.get(ana)).toMatchObject({ sender: "ana", handedOff: false });
      expect((await engine.inspector.counts()).quarantined).toBe(1);
    },
  );

  it("in place of a record and its key is a dead letter, and its person can write again", async () => {
    const ana = await receive("ana");
    await receive("ben");
    change("UPDATE conversations SET record = '{', sender = x'00ff' WHERE id = ?", ana);
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ben"]);
    expect(await engine.inspector.counts()).toMatchObject({ quarantined: 1, conversations: 1, dead: 1 });
    const { items } = await engine.inspector.dead({ limit: 10 });
    expect(items).toMatchObject([{ conversationId: ana, reason: "CONVERSATION_NOT_FOUND" }]);
    await receive("ana");
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ana"]);
  });

  it("in place of a state is left out of the list of locks", async () => {
    const ana = await receive("ana");
    const ben = await receive("ben");
    change("UPDATE states SET state = '{}' WHERE conversation_id = ?", ana);
    const { items } = await engine.inspector.locks({ limit: 10 });
    expect(items.map(({ conversationId }) => conversationId)).toEqual([ben]);
  });

  it.each(["4611686018427387904", "'no'", "x'00'", "-1"])(
    "with an invalid column (%s) is found and shown all the same",
    async (value) => {
      const ana = await receive("ana");
      await receive("ben");
      change(`UPDATE conversations SET task_complete = ${value} WHERE id = ?`, ana);
      await clock.advance(10_000);
      expect(await answered()).toEqual(["ana", "ben"]);
      expect((await engine.inspector.conversations({ limit: 10 })).items).toHaveLength(2);
    },
  );

  it("with a number that JavaScript does not count to keeps no list from being shown", async () => {
    const ana = await receive("ana");
    const [huge, record] = ["9007199254740993", "'{}'"];
    change(
      `INSERT INTO conversations
         SELECT ${huge}, 'x', channel_type, address, 'x', NULL, 0, ${record} FROM conversations`,
    );
    change(`INSERT INTO messages VALUES (${huge}, '${ana}', 0, ${record})`);
    change(`INSERT INTO turns VALUES (${huge}, 't', '${ana}', 0, ${record})`);
    change(`INSERT INTO refusals VALUES (${huge}, '${ana}', 0, ${record})`);
    for (const table of ["dead_letters", "unknown_sends"])
      change(`INSERT INTO ${table} VALUES (${huge}, 'x', '${ana}', ${record})`);
    const { inspector } = engine;
    expect((await inspector.conversations({ limit: 10 })).items).toHaveLength(1);
    expect((await inspector.conversation(ana))?.staged).toHaveLength(1);
    for (const list of [inspector.dead, inspector.unknown, inspector.refusals])
      expect((await list({ limit: 10 })).items).toEqual([]);
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ana"]);
  });

  it("with such a number is set aside by a sweep, and what is added later can be counted again", async () => {
    const huge = "9007199254740993";
    const ana = await receive("ana");
    await receive("ben");
    change(`UPDATE states SET rowid = ${huge} WHERE conversation_id = ?`, ana);
    await engine.sweeping.sweep();
    expect((await engine.inspector.counts()).quarantined).toBe(1);
    change(`INSERT INTO staged (sequence, id, conversation_id, kind, bytes, item)
      SELECT ${huge}, 'x', conversation_id, kind, bytes, item FROM staged LIMIT 1`);
    change(`INSERT INTO messages VALUES (${huge}, '${ana}', 0, '{}')`);
    await engine.sweeping.sweep();
    await receive("cyd");
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ana", "ben", "cyd"]);
    expect(await engine.conversations.history(ana, 10)).toHaveLength(2);
    expect(await engine.inspector.counts()).toMatchObject({ quarantined: 3, staged: 0 });
  });

  it("whose wake-up is due while its lease is held is not looked at again and again", async () => {
    const ana = await receive("ana");
    await clock.advance(10_000);
    expect(await turns()).toHaveLength(1);
    change("UPDATE states SET wake_at_ms = 0 WHERE conversation_id = ?", ana);
    const look = async () => (await engine.turns.takeDue(9, new AbortController().signal)).outcomes;
    expect((await look()).map(({ kind }) => kind)).toEqual(["busy"]);
    expect(await look()).toEqual([]);
  });

  it("is mended without forgetting that a human took over", async () => {
    const ana = await receive("ana");
    await engine.conversations.change(ana, { handedOff: true, handOffReason: "angry" });
    change("UPDATE conversations SET record = json_set(record, '$.totalTokens', 'many') WHERE id = ?", ana);
    expect(await engine.conversations.get(ana)).toMatchObject({
      handedOff: true,
      handOffReason: "angry",
      totalTokens: 0,
    });
  });

  it("is shown as it will be mended, as of now", async () => {
    const ana = await receive("ana");
    change("UPDATE conversations SET record = '{' WHERE id = ?", ana);
    await clock.advance(5_000);
    const nowMs = clock.nowMs();
    expect(await engine.conversations.get(ana)).toMatchObject({ createdAtMs: nowMs, updatedAtMs: nowMs });
  });

  it("is mended without forgetting that it was completed", async () => {
    const ana = await receive("ana");
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ana"]);
    await engine.conversations.change(ana, { taskComplete: true });
    change("UPDATE conversations SET record = '{' WHERE id = ?", ana);
    expect(await engine.conversations.get(ana)).toMatchObject({ id: ana, taskComplete: true });
    expect(await receive("ana")).not.toBe(ana);
  });

  it("anywhere in a state with everything in it, any field and value: all are answered", async () => {
    const ana = await receive("ana");
    await clock.advance(10_000);
    const [taken] = await turns();
    await engine.turns.draft(
      taken!.lease,
      draftFor(taken!, ["one", "two"], { usage: USAGE, handOff: "why" }),
    );
    await receive("ana");
    const whole = JSON.parse(String(read("SELECT state FROM states").state));
    expect(Object.keys(whole).toSorted()).toEqual(["draft", "lease", "window", "works"]);
    await receive("ben");
    const row = "UPDATE states SET state = ?, wake_at_ms = 0 WHERE conversation_id = ?";
    for (const place of places(whole)) {
      for (const put of [null, "soon", [], {}, 1e300, undefined]) {
        change(row, JSON.stringify(withValue(whole, place, put)), ana);
        const label = `${place.join(".")} = ${JSON.stringify(put)}`;
        const { outcomes, nextAtMs } = await engine.turns.takeDue(100, new AbortController().signal);
        expect(["busy", "later", "turn"], label).toContain(outcomes[0]?.kind);
        expect(Number.isFinite(nextAtMs), label).toBe(true);
        await engine.inspector.locks({ limit: 10 });
        await engine.inspector.conversations({ limit: 10 });
      }
    }
    // The last of them: after it every customer who wrote is answered.
    expect(await answered()).toEqual(expect.arrayContaining(["ana", "ben"]));
    expect(await engine.inspector.counts()).toMatchObject({ staged: 0 });
  });

  it("with any of its times a year ahead, alone or with a wake-up to match, mutes no chat", async () => {
    const YEAR = 365 * 24 * 3_600_000;
    const ana = await receive("ana");
    await clock.advance(10_000);
    const [taken] = await turns();
    const sending = { kind: "sending", sendByAtMs: clock.nowMs() } as const;
    const draft = draftFor(taken!, "one", { awaitingUntilAtMs: clock.nowMs() });
    const drafted = { ...draft, chunks: draft.chunks.map((chunk) => ({ ...chunk, state: sending })) };
    await engine.turns.draft(taken!.lease, drafted);
    await receive("ana");
    const stored = JSON.parse(String(read("SELECT state FROM states").state));
    const held = { ...stored, notBeforeAtMs: clock.nowMs(), leftBehindAtMs: clock.nowMs() };
    const { lease: _lease, ...free } = held;
    const { awaitingUntilAtMs: _until, ...sendingDraft } = held.draft;
    const row = "UPDATE states SET state = ?, wake_at_ms = ? WHERE conversation_id = ?";
    for (const whole of [held, free, { ...free, draft: sendingDraft }]) {
      const times = places(whole).filter((place) => place.at(-1)!.endsWith("AtMs"));
      for (const place of times) {
        for (const wakeAtMs of [0, clock.nowMs() + YEAR]) {
          const odd = withValue(whole, place, clock.nowMs() + YEAR);
          change("DELETE FROM states");
          change("DELETE FROM staged");
          await receive("ana");
          change(row, JSON.stringify(odd), wakeAtMs, ana);
          const label = `${place.join(".")} of ${Object.keys(whole).join()}, ${wakeAtMs}`;
          expect(await answered(), label).toContain("ana");
          expect(await engine.inspector.counts(), label).toMatchObject({ staged: 0, windows: 0, leases: 0 });
        }
      }
    }
  }, 60_000);

  it.each([
    ["DELETE FROM conversations WHERE sender = 'ana'"],
    ["UPDATE conversations SET record = 'x', sender = CAST(x'ff' AS TEXT) WHERE sender = 'ana'"],
  ])("%s, while a reply waits to be sent: a dead letter, and no other is troubled", async (spoil) => {
    await receive("ana");
    await clock.advance(10_000);
    const [taken] = await turns();
    const draft = draftFor(taken!, "one");
    await engine.turns.draft(taken!.lease, draft);
    await engine.turns.release(taken!.lease, { kind: "retry", afterMs: 1_000, reason: "503", draft });
    change(spoil);
    await receive("ben");
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ben"]);
    const [letter] = (await engine.inspector.dead({ limit: 9 })).items;
    expect(letter).toMatchObject({ reason: "CONVERSATION_NOT_FOUND", messages: [{ text: "hi" }], draft });
    expect(await engine.inspector.counts()).toMatchObject({ staged: 0, windows: 0, leases: 0 });
  });

  it("that says that a window lasts for thirty years mutes no conversation", async () => {
    const ana = await receive("ana");
    const window = JSON.stringify({ kind: "fixed", lengthMs: 1e12 });
    change(
      "UPDATE conversations SET record = json_set(record, '$.window', json(?)) WHERE id = ?",
      window,
      ana,
    );
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ana"]);
    await receive("ana", "and now?");
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ana"]);
  });

  it("anywhere in a staged message, any field and value: the rest of its burst is answered", async () => {
    const ana = await receive("ana", "first");
    const whole = JSON.parse(String(read("SELECT item FROM staged").item));
    for (const place of places(whole)) {
      for (const put of ["soon", [], {}, 1e300, undefined]) {
        const label = `${place.join(".")} = ${JSON.stringify(put)}`;
        change("UPDATE staged SET item = ?", JSON.stringify(withValue(whole, place, put)));
        await receive("ana", "second");
        await clock.advance(10_000);
        const [taken] = await turns();
        expect(taken?.messages.at(-1)?.text, label).toBe("second");
        for (const { arrivedAtMs, position, sequence } of taken!.messages) {
          expect([arrivedAtMs, position, sequence].every(Number.isFinite), label).toBe(true);
        }
        await engine.turns.commit(taken!.lease, replied(taken!, allSent(draftFor(taken!))));
        expect((await engine.inspector.counts()).staged, label).toBe(0);
        change(
          "INSERT INTO staged (id, conversation_id, kind, bytes, item) VALUES (?, ?, 'message', 2, '')",
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
    await receive("ana", "one");
    await receive("ana", "two");
    change(spoil);
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ana"]);
    expect(await engine.inspector.counts()).toMatchObject({ quarantined: 1, staged: 0 });
  });

  it.each(["9223372036854775807", "9007199254740993", "5000000000", "-1", "'many'", "x'00'"])(
    "with %s bytes does not keep new messages out",
    async (bytes) => {
      await receive("ana", "one");
      await receive("ana", "two");
      change(`UPDATE staged SET bytes = ${bytes}`);
      expect(await receive("ana", "three")).not.toBe("");
      await clock.advance(10_000);
      const [taken] = await turns();
      expect(taken?.messages.map(({ text }) => text)).toEqual(["three"]);
      expect((await engine.inspector.counts()).quarantined).toBe(2);
    },
  );

  it.each([
    ["UPDATE states SET wake_at_ms = 'soon'"],
    ["UPDATE states SET wake_at_ms = NULL"],
    ["UPDATE states SET wake_at_ms = x'00'"],
    ["UPDATE states SET wake_at_ms = 9223372036854775807"],
    ["UPDATE states SET holder = 'stranger/1/1/x/y', turn_id = 7"],
    ["UPDATE states SET holder = x'ff'"],
    ["UPDATE states SET conversation_id = CAST(x'63ff63' AS TEXT)"],
    ["UPDATE states SET conversation_id = x'00ff'"],
    ["UPDATE states SET conversation_id = NULL"],
    ["UPDATE staged SET conversation_id = CAST(x'63ff63' AS TEXT) WHERE sequence = 3"],
    ["UPDATE staged SET conversation_id = x'00ff' WHERE sequence = 3"],
  ])("%s: every customer is answered", async (spoil) => {
    await receive("ana");
    change(spoil);
    await receive("ben");
    await receive("cyd");
    change(spoil.includes("sequence") ? spoil : "SELECT 1");
    await clock.advance(10_000);
    const heard = await answered();
    expect(heard).toEqual(
      expect.arrayContaining(spoil.includes("sequence") ? ["ana", "ben"] : ["ana", "ben", "cyd"]),
    );
    expect(await engine.inspector.counts()).toMatchObject({ staged: 0 });
    expect((await engine.turns.takeDue(9, new AbortController().signal)).outcomes).toEqual([]);
  });

  it("among what is kept is left out of lists and histories, and shown once", async () => {
    const ana = await receive("ana");
    await clock.advance(10_000);
    const [taken] = await turns();
    await engine.turns.commit(
      taken!.lease,
      replied(taken!, unknown(draftFor(taken!), 0), { outcome: "unknown" }),
    );
    await receive("ana");
    await clock.advance(10_000);
    const [second] = await turns();
    await engine.turns.release(second!.lease, { kind: "dead-letter", reason: "broken" });
    for (const table of ["messages", "turns", "unknown_sends", "dead_letters"]) {
      change(`UPDATE ${table} SET record = '{"number":1}' WHERE number = 1`);
    }
    expect((await engine.inspector.dead({ limit: 10 })).items).toEqual([]);
    expect((await engine.inspector.unknown({ limit: 10 })).items).toEqual([]);
    const { messages, turns: kept } = (await engine.inspector.conversation(ana))!;
    expect([messages.length, kept.length]).toEqual([1, 0]);
    expect(await engine.conversations.history(ana, 10)).toHaveLength(1);
    const { items } = await engine.inspector.quarantined!({ limit: 10 });
    expect(items.map(({ table }) => table).toSorted()).toEqual([
      "dead_letters",
      "messages",
      "turns",
      "unknown_sends",
    ]);
  });
});

const USAGE = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

describe("what was set aside", () => {
  it("is kept to the byte, logged without a word of it, and gone when an operator discards it", async () => {
    const ana = await receive("ana", "very private");
    change("UPDATE staged SET item = CAST(x'7b22ff' AS TEXT)");
    await clock.advance(10_000);
    await turns();
    const { items } = await engine.inspector.quarantined!({ limit: 10 });
    expect(items).toMatchObject([
      { table: "staged", conversationId: ana, why: "it is no JSON", atMs: clock.nowMs() },
    ]);
    expect(JSON.parse(items[0]!.raw)).toMatchObject({ item: { hex: "7B22FF" }, kind: "message" });
    const told = logged.filter(({ event }) => event === "store.quarantined");
    expect(told).toEqual([
      { event: "store.quarantined", fields: { table: "staged", conversation: ana, reason: "it is no JSON" } },
    ]);
    expect(await engine.repairs.discardQuarantined!(items[0]!.id)).toBe("discarded");
    expect(await engine.repairs.discardQuarantined!(items[0]!.id)).toBe("not-found");
    expect((await engine.inspector.counts()).quarantined).toBe(0);
  });

  it("names the turn of a state that was about one: its reply may have gone out", async () => {
    await receive("ana");
    await clock.advance(10_000);
    const [taken] = await turns();
    change("UPDATE states SET state = '{}'");
    expect(await engine.turns.renew(taken!.lease)).toEqual({ kind: "lost" });
    expect(logged.at(-1)).toMatchObject({ fields: { table: "states", turn: taken!.turnId } });
  });

  it("goes when its person is erased", async () => {
    const ana = await receive("ana");
    change("UPDATE states SET state = '{}'");
    await clock.advance(10_000);
    expect(await answered()).toEqual(["ana"]);
    expect((await engine.inspector.counts()).quarantined).toBe(1);
    await engine.conversations.erase(ana);
    expect((await engine.inspector.counts()).quarantined).toBe(0);
  });
});

describe("whatever makes the look at one conversation fail", () => {
  it("does not stop the others: it is put off, logged, and looked at again", async () => {
    const ana = await receive("ana");
    await receive("ben");
    change(`CREATE TRIGGER no BEFORE UPDATE ON states
      WHEN NEW.holder IS NOT NULL AND NEW.conversation_id = '${ana}'
      BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
    await clock.advance(10_000);
    expect((await turns()).map(({ messages }) => messages[0]?.sender)).toEqual(["ben"]);
    const [told, ...more] = logged.filter(({ event }) => event === "conversation.put-off");
    expect(told?.fields).toEqual({ conversation: ana, reason: "not this one" });
    expect(more).toEqual([]);
    expect(await turns()).toEqual([]);
    change("DROP TRIGGER no");
    await clock.advance(60_000);
    expect((await turns()).map(({ messages }) => messages[0]?.sender)).toEqual(["ana", "ben"]);
  });

  it("does not stop a sweep", async () => {
    const ana = await receive("ana");
    const ben = await receive("ben");
    change("DELETE FROM states");
    change(`CREATE TRIGGER no BEFORE INSERT ON states WHEN NEW.conversation_id = '${ana}'
      BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
    await clock.advance(60_000);
    expect(await engine.sweeping.sweep()).toMatchObject({ orphans: [ben] });
    expect((await turns()).map(({ messages }) => messages[0]?.sender)).toEqual(["ben"]);
  });
});
