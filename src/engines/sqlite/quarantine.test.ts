import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SharedFile } from "../../../test/sqlite/shared-file.ts";
import { draftFor, replied, unknown } from "../../testing/engine-contract/builders.ts";

let at: SharedFile;
beforeEach(async () => {
  at = await SharedFile.open();
});
afterEach(() => at.close());

describe("what was set aside", () => {
  it("is kept to the byte, logged without a word of it, and gone when an operator discards it", async () => {
    const ana = await at.receive("ana", "very private");
    at.change("UPDATE staged SET item = CAST(x'7b22ff' AS TEXT)");
    await at.clock.advance(10_000);
    await at.turns();
    const { items } = await at.engine.inspector.quarantined!({ limit: 10 });
    expect(items).toMatchObject([
      { table: "staged", conversationId: ana, why: "it is no JSON", atMs: at.clock.nowMs() },
    ]);
    expect(JSON.parse(items[0]!.raw)).toMatchObject({ item: { hex: "7B22FF" }, kind: "message" });
    const told = at.logged.filter(({ event }) => event === "store.quarantined");
    expect(told).toEqual([
      { event: "store.quarantined", fields: { table: "staged", conversation: ana, reason: "it is no JSON" } },
    ]);
    expect(await at.engine.repairs.discardQuarantined!(items[0]!.id)).toBe("discarded");
    expect(await at.engine.repairs.discardQuarantined!(items[0]!.id)).toBe("not-found");
    expect((await at.engine.inspector.counts()).quarantined).toBe(0);
  });

  it("names the turn of a state that was about one: its reply may have gone out", async () => {
    await at.receive("ana");
    await at.clock.advance(10_000);
    const [taken] = await at.turns();
    at.change("UPDATE states SET state = '{}'");
    expect(await at.engine.turns.renew(taken!.lease)).toEqual({ kind: "lost" });
    expect(at.logged.at(-1)).toMatchObject({ fields: { table: "states", turn: taken!.turnId } });
  });

  it("goes when its person is erased", async () => {
    const ana = await at.receive("ana");
    at.change("UPDATE states SET state = '{}'");
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ana"]);
    expect((await at.engine.inspector.counts()).quarantined).toBe(1);
    await at.engine.conversations.erase(ana);
    expect((await at.engine.inspector.counts()).quarantined).toBe(0);
  });

  it("of what was said, of turns and of letters is missing from their lists, and shown once", async () => {
    const ana = await at.receive("ana");
    await at.clock.advance(10_000);
    const [taken] = await at.turns();
    await at.engine.turns.commit(
      taken!.lease,
      replied(taken!, unknown(draftFor(taken!), 0), { outcome: "unknown" }),
    );
    await at.receive("ana");
    await at.clock.advance(10_000);
    const [second] = await at.turns();
    await at.engine.turns.release(second!.lease, { kind: "dead-letter", reason: "broken" });
    const older = at.read("SELECT messages FROM turns").messages;
    at.change(
      "INSERT INTO messages (conversation_id, at_ms, record) SELECT ?, 0, value FROM json_each(?)",
      ana,
      String(older),
    );
    for (const table of ["messages", "turns", "unknown_sends", "dead_letters"]) {
      at.change(`UPDATE ${table} SET record = '{"number":1}' WHERE number = 1`);
    }
    expect((await at.engine.inspector.dead({ limit: 10 })).items).toEqual([]);
    expect((await at.engine.inspector.unknown({ limit: 10 })).items).toEqual([]);
    const { messages, turns: kept } = (await at.engine.inspector.conversation(ana))!;
    // What was said is read without how the turn went; the row goes when that is read.
    expect([messages.length, kept.length]).toEqual([3, 0]);
    expect(await at.engine.conversations.history(ana, 10)).toHaveLength(1);
    const { items } = await at.engine.inspector.quarantined!({ limit: 10 });
    expect(items.map(({ table }) => table).toSorted()).toEqual([
      "dead_letters",
      "messages",
      "turns",
      "unknown_sends",
    ]);
  });
});

describe("whatever makes the look at one conversation fail", () => {
  it("does not stop the others: it is put off, logged, and looked at again", async () => {
    const ana = await at.receive("ana");
    await at.receive("ben");
    at.change(`CREATE TRIGGER no BEFORE UPDATE ON states
      WHEN NEW.holder IS NOT NULL AND NEW.conversation_id = '${ana}'
      BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
    await at.clock.advance(10_000);
    expect((await at.turns()).map(({ messages }) => messages[0]?.sender)).toEqual(["ben"]);
    const [told, ...more] = at.logged.filter(({ event }) => event === "conversation.put-off");
    expect(told?.fields).toEqual({ conversation: ana, reason: "not this one" });
    expect(more).toEqual([]);
    expect(await at.turns()).toEqual([]);
    at.change("DROP TRIGGER no");
    await at.clock.advance(60_000);
    expect((await at.turns()).map(({ messages }) => messages[0]?.sender)).toEqual(["ana", "ben"]);
  });

  it("does not stop a sweep", async () => {
    const ana = await at.receive("ana");
    const ben = await at.receive("ben");
    at.change("DELETE FROM states");
    at.change(`CREATE TRIGGER no BEFORE INSERT ON states WHEN NEW.conversation_id = '${ana}'
      BEGIN SELECT RAISE(ABORT, 'not this one'); END`);
    await at.clock.advance(60_000);
    expect(await at.engine.sweeping.sweep()).toMatchObject({ orphans: [ben] });
    expect((await at.turns()).map(({ messages }) => messages[0]?.sender)).toEqual(["ben"]);
  });
});
