import { expect, it } from "vitest";
import { type MemoryAws, memoryAws } from "../../../../test/aws/simulated/memory-aws.ts";
import { FEED_LIMITS } from "../../../core/defaults.ts";
import type { Taken } from "../../../model/take.ts";
import type { Engine } from "../../../ports/engine.ts";
import { as, silent } from "../../../testing/engine-contract/builders.ts";
import type { Item } from "../dynamo/expression.ts";
import { itemBytes } from "../items/item-size.ts";

const BATCH = 30;

/** What a worker reads of the stage: how many items, and the units that DynamoDB would bill for them. */
class Reads {
  items = 0;
  units = 0;

  count(request: string, table: unknown, answer: unknown): void {
    if (table !== "stage") return;
    const items = itemsOf(answer);
    this.items += items.length;
    const sizes = items.map(itemBytes);
    const units = (bytes: number) => Math.max(1, Math.ceil(bytes / 4_096));
    // A query is billed for all that it reads; items read by key are billed one by one.
    this.units += request === "getMany" ? sum(sizes.map(units)) : units(sum(sizes));
  }
}

function itemsOf(answer: unknown): Item[] {
  if (answer === undefined) return [];
  // Counting them is reading them.
  if (typeof answer === "number") return Array.from({ length: answer }, () => ({}));
  if (Array.isArray(answer)) return answer;
  return "items" in (answer as object) ? (answer as { items: Item[] }).items : [answer as Item];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

async function piled(
  messages: number,
): Promise<{ fixture: MemoryAws; engine: Engine; reads: Reads; id: string }> {
  const fixture = memoryAws();
  const reads = new Reads();
  const engine = fixture.open("worker", async ({ name, args }, happen) => {
    const answer = await happen();
    if (["get", "query", "queryPage", "getMany", "count"].includes(name)) reads.count(name, args[0], answer);
    return answer;
  });
  const arrivals = Array.from({ length: messages }, () => fixture.arrival({ text: "x".repeat(80) }));
  const staged = await engine.receiving.stage(arrivals.map((arrival) => ({ arrival })));
  await fixture.clock.advance(10_000);
  reads.items = 0;
  reads.units = 0;
  return { fixture, engine, reads, id: as("staged", staged[0]!).conversationId };
}

async function drained(messages: number): Promise<{ reads: Reads; texts: number }> {
  const { engine, reads, id } = await piled(messages);
  let texts = 0;
  const drain = async (taken: Taken): Promise<void> => {
    texts += taken.messages.length;
    const commit = { ...silent(taken), more: taken.cut };
    const { next } = as("committed", await engine.turns.commit(taken.lease, commit));
    if (next) await drain(as("turn", next).taken);
  };
  await drain(as("turn", await engine.turns.take(id)).taken);
  return { reads, texts };
}

it("what waits is read once for its order and once with its turn: the cost is linear", async () => {
  const [half, whole] = [await drained(1_000), await drained(2_000)];
  expect([half.texts, whole.texts]).toEqual([1_000, 2_000]);
  expect(whole.reads.items).toBeLessThanOrEqual(2 * 2_000);
  expect(whole.reads.units / half.reads.units).toBeLessThan(2.1);
  expect(whole.reads.units).toBeLessThanOrEqual(2_000 + 2_000 / 4 + 2_000 / BATCH);
}, 60_000);

it("a visitor's page reads a bounded part of a pile, and tells that there is at least as much", async () => {
  const { engine, reads, id } = await piled(2_000);
  const detail = await engine.inspector.conversation(id, FEED_LIMITS);
  expect(reads.items).toBeLessThanOrEqual(500);
  expect(detail?.staged).toHaveLength(200);
  expect(detail?.lock?.staged).toBe(500);
});
