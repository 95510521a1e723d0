import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";

it("a pause that 0.1.0 stored counts, until it is ended", async () => {
  const { s, fixture } = await memoryScene();
  await fixture.write("state", { conversation_id: "lull/paused", paused: true });
  expect((await s.engine.inspector.counts()).paused).toBe(true);
  await s.receive("hi");
  await s.windowPasses();
  await s.nothingDue();
  await s.engine.conversations.pauseAll(false);
  await s.passes(s.settings.holdMs);
  expect((await s.take()).messages).toHaveLength(1);
});
