import { describe, expect, test } from "vitest";
import { CONTROLS, conversationKeyOf, LEASE_SHARDS_MAX } from "../../../src/engines/aws/items/keys.ts";
import type { Engine } from "../../../src/ports/engine.ts";
import { as } from "../../../src/testing/engine-contract/builders.ts";
import { type Around, type MemoryAws, memoryAws } from "./memory-aws.ts";

/** Counts the looks at the item that says whether all is paused. */
function countingPauses(): { readonly around: Around; readonly reads: () => number } {
  let reads = 0;
  const paused = JSON.stringify(conversationKeyOf(CONTROLS));
  const around: Around = ({ name, args }, happen) => {
    if (name === "get" && JSON.stringify(args[1]) === paused) reads += 1;
    return happen();
  };
  return { around, reads: () => reads };
}

async function staged(at: MemoryAws, engine: Engine, sender: string): Promise<string> {
  const [outcome] = await engine.receiving.stage([{ arrival: at.arrival({ sender }) }]);
  return as("staged", outcome!).conversationId;
}

describe("the pause", () => {
  test("is looked at about once a second, however many conversations are", async () => {
    const at = memoryAws();
    const { around, reads } = countingPauses();
    const engine = at.open("worker", around);
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => staged(at, engine, `sender-${n}`)));
    // What a project allows is in the same item.
    expect(reads()).toBe(1);
    await at.clock.advance(10_000);
    for (const id of ids) as("turn", await engine.turns.take(id));
    expect(reads()).toBe(2);
  });

  test("counts everywhere within a second, and its end at once", async () => {
    const at = memoryAws();
    const [here, there] = [at.open("here"), at.open("there")];
    const [first, second, third] = await Promise.all(["a", "b", "c"].map((name) => staged(at, here, name)));
    await at.clock.advance(10_000);
    as("turn", await there.turns.take(first!));
    await here.conversations.pauseAll(true);
    as("later", await here.turns.take(second!));
    await at.clock.advance(1_000);
    as("later", await there.turns.take(third!));
    await here.conversations.pauseAll(false);
    as("turn", await there.turns.take(third!));
    as("turn", await there.turns.take(second!));
  });

  test("is read as it is now", async () => {
    const at = memoryAws();
    const [here, there] = [at.open("here"), at.open("there")];
    const id = await staged(at, there, "ana");
    await at.clock.advance(10_000);
    as("turn", await there.turns.take(id));
    await here.conversations.pauseAll(true);
    expect((await there.inspector.counts()).paused).toBe(true);
  });
});

describe("the index over live leases", () => {
  const shardsIn = (at: MemoryAws) =>
    new Set(at.tables.all("state", undefined, "all").flatMap((item) => item.lease_shard ?? []));

  test("is spread over as many partitions as were asked for", async () => {
    const at = memoryAws();
    const engine = at.open("worker", undefined, { leaseShards: 16 });
    for (let n = 0; n < 200; n += 1) await staged(at, engine, `sender-${n}`);
    await at.clock.advance(10_000);
    for (const { conversation_id } of at.tables.all("triggerLock", undefined, "all"))
      as("turn", await engine.turns.take(String(conversation_id)));
    expect(shardsIn(at).size).toBe(16);
    expect((await engine.inspector.counts()).leases).toBe(200);
  });

  test("is read to its end after the number was lowered: no lease is forgotten", async () => {
    const at = memoryAws();
    const before = at.open("before", undefined, { leaseShards: LEASE_SHARDS_MAX });
    for (let n = 0; n < 100; n += 1) await staged(at, before, `sender-${n}`);
    await at.clock.advance(10_000);
    for (const { conversation_id } of at.tables.all("triggerLock", undefined, "all"))
      as("turn", await before.turns.take(String(conversation_id)));
    expect(shardsIn(at).size).toBeGreaterThan(30);
    const after = at.open("after");
    // They lapse. Partitions beyond today's number are searched every ten minutes, by every worker that
    // looks.
    at.triggers.length = 0;
    let seen = { leases: 0, locks: 0 };
    for (let round = 0; round < 12; round += 1) {
      await at.clock.advance(60_000);
      await after.sweeping.sweep();
      const { leases } = await after.inspector.counts();
      const { items } = await after.inspector.locks({ limit: 200 });
      seen = { leases: Math.max(seen.leases, leases), locks: Math.max(seen.locks, items.length) };
    }
    expect(seen).toEqual({ leases: 100, locks: 100 });
    expect(new Set(at.triggers.map(({ conversationId }) => conversationId)).size).toBe(100);
    expect((await after.inspector.gauges()).staleLeases).toBeGreaterThan(0);
    // In that minute, freeing a dead worker's leases searches them as well.
    while (Math.floor(at.clock.nowMs() / 60_000) % 10 !== 7) await at.clock.advance(10_000);
    expect(await after.sweeping.freeLeases("before")).toBe(100);
  });
});
