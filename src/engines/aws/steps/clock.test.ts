import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";

const HOUR = 3_600_000;

it("after the clock was set back, a lease no further ahead than the clock skew stays as it is", async () => {
  const { s, fixture } = await memoryScene();
  await s.receive({ sender: "ana" });
  await s.receive({ sender: "ben" });
  await s.windowPasses();
  const [ana, ben] = await s.turns();
  await s.engine.sweeping.sweep();
  fixture.setClockBack(HOUR);
  const key = { conversation_id: ben!.conversation.id };
  const ahead = { lease_taken_at_ms: s.nowMs + 1_000, lease_until_at_ms: s.nowMs + 61_000 };
  fixture.write("state", { ...fixture.row("state", key), ...ahead });
  const { clockSetBack } = await s.engine.sweeping.sweep();
  expect(clockSetBack).toEqual({ byMs: HOUR, conversations: 1 });
  expect(fixture.row("state", key)).toMatchObject(ahead);
  expect(fixture.row("state", { conversation_id: ana!.conversation.id })).toMatchObject({
    lease_taken_at_ms: s.nowMs,
    lease_until_at_ms: s.nowMs + s.settings.leaseMs,
  });
});
