import { describe, expect, test } from "vitest";
import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import type { TableName } from "../../../src/engines/aws/dynamo/tables.ts";
import { conversationKeyOf } from "../../../src/engines/aws/items/keys.ts";
import { stageKey } from "../../../src/engines/aws/items/staged.ts";
import type { Engine } from "../../../src/ports/engine.ts";
import { as } from "../../../src/testing/engine-contract/builders.ts";
import { type MemoryAws, memoryAws } from "./memory-aws.ts";

/** What the next version of Lull might write: known by its number, and by what all versions write. */
const NEWER: Item = { v: 2, works: "in another form", armed_at_ms: "later", body: { rich: true } };

async function staged(at: MemoryAws, engine: Engine): Promise<string> {
  const [outcome] = await engine.receiving.stage([{ arrival: at.arrival() }]);
  return as("staged", outcome!).conversationId;
}

function writeNewer({ tables }: MemoryAws, table: TableName, key: Item): Item {
  const rev = table === "state" && { rev: "its last writer" };
  const item = { ...tables.read(table, key), ...key, ...rev, ...NEWER };
  tables.write(table, key, item, 0);
  return item;
}

/** What is in all tables, but for a sweep's own notes. */
function everything({ tables }: MemoryAws): Item[] {
  const names: TableName[] = ["conversations", "stage", "triggerLock", "state", "messages", "seen"];
  const items = names.flatMap((name) => tables.all(name, undefined, "all"));
  return items.filter(({ conversation_id }) => !String(conversation_id).startsWith("lull/"));
}

describe("a row of a newer version", () => {
  test("that holds a conversation's state is left alone: not leased, set aside or settled", async () => {
    const at = memoryAws();
    const engine = at.open("old");
    const id = await staged(at, engine);
    await at.clock.advance(10_000);
    const key = conversationKeyOf(id);
    const newer = writeNewer(at, "state", key);
    const before = everything(at);
    await expect(engine.turns.take(id)).rejects.toMatchObject({ code: "NEWER_VERSION", retry: "later" });
    const chunk = { turnId: `t.${id}`, chunk: 0 };
    const status = { account: "a", providerId: "p", status: "delivered", chunk } as const;
    expect(await engine.receiving.recordDelivery("test", status)).toBe("unmatched");
    expect(everything(at)).toEqual(before);
    expect(at.tables.read("state", key)).toEqual(newer);
    // The newer worker is done with it: what waits is answered.
    at.tables.write("state", key, { ...key, v: 1 }, 0);
    as("turn", await engine.turns.take(id));
  });

  test("that stands for a window is left to its own version, and every customer may write", async () => {
    const at = memoryAws();
    const engine = at.open("old");
    const id = await staged(at, engine);
    const key = conversationKeyOf(id);
    const newer = writeNewer(at, "triggerLock", key);
    expect(await staged(at, engine)).toBe(id);
    expect(at.tables.read("triggerLock", key)).toEqual(newer);
    await at.clock.advance(10_000);
    await expect(engine.turns.take(id)).rejects.toMatchObject({ code: "NEWER_VERSION" });
    expect(at.tables.read("triggerLock", key)).toEqual(newer);
    // No worker has a lease, and nothing is forgotten.
    expect(at.tables.read("state", key)?.lease_token).toBeUndefined();
    expect(at.tables.all("stage", undefined, "all")).toHaveLength(2);
  });

  test("that is staged is neither skipped nor overwritten: its conversation waits for a reader", async () => {
    const at = memoryAws();
    const engine = at.open("old");
    const arrival = at.arrival();
    const [outcome] = await engine.receiving.stage([{ arrival }]);
    const id = as("staged", outcome!).conversationId;
    const [{ message_sid }] = at.tables.all("stage", undefined, "all") as [Item];
    const newer = writeNewer(at, "stage", stageKey(id, String(message_sid)));
    await staged(at, engine);
    // The provider delivers the first one again.
    expect(await engine.receiving.stage([{ arrival }])).toEqual([{ kind: "duplicate" }]);
    expect(at.tables.read("stage", stageKey(id, String(message_sid)))).toEqual(newer);
    await at.clock.advance(10_000);
    await expect(engine.turns.take(id)).rejects.toMatchObject({ code: "NEWER_VERSION" });
    expect(at.tables.all("stage", undefined, "all")).toHaveLength(2);
    expect(at.tables.read("triggerLock", conversationKeyOf(id))).toBeDefined();
    expect(at.tables.read("state", conversationKeyOf(id))?.lease_token).toBeUndefined();
  });

  test("stops no sweep, and a dead worker's other leases are freed", async () => {
    const at = memoryAws();
    const [engine, dying] = [at.open("old"), at.open("dying")];
    const [first, second] = await Promise.all(
      ["ana", "ben"].map(async (sender) => {
        const [outcome] = await engine.receiving.stage([{ arrival: at.arrival({ sender }) }]);
        return as("staged", outcome!).conversationId;
      }),
    );
    await at.clock.advance(10_000);
    for (const id of [first!, second!]) as("turn", await dying.turns.take(id));
    const newer = writeNewer(at, "state", conversationKeyOf(first!));
    expect(await engine.sweeping.freeLeases("dying")).toBe(1);
    await at.clock.advance(600_000);
    await engine.sweeping.sweep();
    // A mark that a worker was told to look may be noted in it, and nothing else.
    const { swept_at_ms: _, ...rest } = at.tables.read("state", conversationKeyOf(first!))!;
    expect(rest).toEqual(newer);
  });
});

describe("a row of another system that notes a version of its own", () => {
  const rows: readonly (readonly [TableName, Item])[] = [
    ["stage", { message_sid: "SM1", body: "left", received_at: "2026-01-01T10:00:00Z", kind: "text" }],
    ["triggerLock", { expires_at: 1_700_000_000 }],
    ["state", { works: "done", rev: 7 }],
  ];
  const versions = [1, 2, 1_767_225_600, "2", null, [2]];
  const ways = rows.flatMap(([table, row]) => versions.map((v) => [table, { ...row, v }] as const));

  test.each(ways)("in %s is like any other row of theirs: %j mutes nobody", async (table, row) => {
    const at = memoryAws();
    const engine = at.open("worker");
    const id = await staged(at, engine);
    const foreign = { ...row, ...conversationKeyOf(id) };
    // The window was lost, or is in the place of theirs.
    at.tables.write(table, foreign, foreign, 0);
    await staged(at, engine);
    await at.clock.advance(60_000);
    const { taken } = as("turn", await engine.turns.take(id));
    expect(taken.messages).toHaveLength(2);
  });

  test.each([1, 2, "2"])(
    "is shown and can be dropped, staged with v: %j as in the place of a lock",
    async (v) => {
      const at = memoryAws();
      const engine = at.open("worker");
      for (const [table, row] of rows.slice(0, 2)) {
        const item = { ...row, v, conversation_id: "theirs" };
        at.tables.write(table, item, item, 0);
      }
      expect(await engine.inspector.counts()).toMatchObject({ quarantined: 2, staged: 0, windows: 0 });
      const { items } = await engine.inspector.quarantined({ limit: 10 });
      expect(items.map(({ why }) => why)).not.toContain("v is of a newer version");
      for (const { id } of items)
        expect(await engine.repairs.discardQuarantined(id, { evenMovable: true })).toBe("discarded");
    },
  );
});

test("what this version writes is marked", async () => {
  const at = memoryAws();
  const engine = at.open("worker");
  const id = await staged(at, engine);
  const marks = () =>
    (["stage", "triggerLock", "state"] as const).flatMap((name) =>
      at.tables
        .all(name, undefined, "all")
        .filter(({ conversation_id }) => conversation_id === id)
        .map(({ v }) => `${name} ${v}`),
    );
  // Where its row is was noted before it was leased.
  expect(marks()).toEqual(["stage 1", "triggerLock 1", "state undefined"]);
  await at.clock.advance(10_000);
  as("turn", await engine.turns.take(id));
  expect(marks()).toEqual(["stage 1", "state 1"]);
});
