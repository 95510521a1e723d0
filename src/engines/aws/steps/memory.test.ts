import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";

const HOUR = 3_600_000;
const MEMORIES = { conversation_id: "lull/memories" };

it("ids that were learnt while they were kept for a day are forgotten after a day", async () => {
  const { s, fixture } = await memoryScene();
  const since = async () => (s.nowMs - (await s.engine.receiving.knownSinceMs())) / HOUR;
  fixture.write("state", { ...MEMORIES, [`kept_${24 * HOUR}`]: s.nowMs });
  expect(await since()).toBe(24);
  await s.engine.sweeping.sweep();
  expect(fixture.row("state", MEMORIES)).toMatchObject({ [`kept_${s.settings.dedupeMs}`]: s.nowMs });
  await s.passes(100 * HOUR);
  expect(await since()).toBeCloseTo(100, 0);
  await s.passes(100 * HOUR);
  expect(await since()).toBe(s.settings.dedupeMs / HOUR);
});

it("tables of 0.1.0 have no note: their ids were kept for a day", async () => {
  const { s, fixture } = await memoryScene();
  fixture.write("state", { conversation_id: "lull/ping" });
  expect(await s.engine.receiving.knownSinceMs()).toBe(s.nowMs - 24 * HOUR);
  await s.engine.sweeping.sweep();
  expect(fixture.row("state", MEMORIES)).toMatchObject({ [`kept_${24 * HOUR}`]: s.nowMs });
});
