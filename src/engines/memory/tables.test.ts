import { expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import { arrival } from "../../testing/engine-contract/builders.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { memory } from "./index.ts";
import { memoryTables } from "./tables.ts";

it("of one conversation two turns at most are in the works: a batch, and an outbound beside it", async () => {
  const clock = fakeClock();
  const tables = memoryTables();
  const settings = settingsWith({ attemptsMax: 1_000, batchMessagesMax: 2 });
  const engine = await memory({ tables }).open({
    clock,
    settings,
    holder: "here",
    log: () => {},
    onArmed: () => {},
  });
  const key = { channelType: "test", address: "lull", sender: "ana" };
  const { id: conversationId } = (await engine.conversations.create(key)).conversation;
  const works: number[] = [];
  for (let round = 0; round < 40; round += 1) {
    const providerId = `m${round}`;
    await engine.receiving.stage([{ arrival: arrival({ providerId, arrivedAtMs: clock.nowMs() }) }]);
    const texts = [`said ${round}`];
    await engine.conversations.say({
      id: `o${round}`,
      conversationId,
      channel: "test",
      to: "ana",
      texts,
      author: "eva",
    });
    await clock.advance(60_000);
    const { outcomes } = await engine.turns.takeDue(10, new AbortController().signal);
    for (const outcome of outcomes) {
      if (outcome.kind !== "turn") continue;
      // Now and then a turn is done: then another kind of turn has its chance.
      const { lease } = outcome.taken;
      if (round % 7 === 3) await engine.turns.commit(lease, { outcome: "no-reply", more: false });
      else await engine.turns.release(lease, { kind: "retry", afterMs: 0, reason: "away" });
    }
    works.push(tables.states.get(conversationId)?.works.length ?? 0);
  }
  expect(Math.max(...works)).toBeLessThanOrEqual(2);
  expect(Math.max(...works)).toBeGreaterThan(0);
  await engine.close();
});

it("nothing is set aside where no other process can write", async () => {
  const context = {
    clock: fakeClock(),
    settings: settingsWith({}),
    holder: "here",
    log: () => {},
    onArmed: () => {},
  };
  const engine = await memory().open(context);
  expect(await engine.inspector.gauges()).toMatchObject({ quarantined: 0 });
});

it("a refusal that a fast clock wrote stays until its own time, and those behind it go at theirs", () => {
  const tables = memoryTables();
  for (const [sender, atMs] of [
    ["fast", 900],
    ["old", 100],
    ["new", 300],
  ] as const)
    tables.refusals.put({ messageId: sender, channel: "test", sender, code: "ROUTE_NOT_FOUND", atMs });
  const past = { nowMs: 500, keepAfterMs: Number.NEGATIVE_INFINITY, refusalsAfterMs: 200, refusalsMax: 10 };
  expect(tables.removal.expire(past, 10)).toEqual({ rows: 1, isCut: false });
  expect(tables.refusals.list({ limit: 10 }).items.map(({ sender }) => sender)).toEqual(["new", "fast"]);
});
