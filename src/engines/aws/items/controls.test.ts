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

it("a project that goes on while a conversation is looked at wakes that one, too", async () => {
  const { s, fixture } = await memoryScene();
  await s.receive("hi");
  await s.engine.conversations.changeProject("default", { paused: true });
  await s.windowPasses();
  const goesOn = () => s.engine.conversations.changeProject("default", { paused: false });
  fixture.before("request.put", goesOn);
  const outcomes = await fixture.takeDue(s.engine);
  expect(outcomes.map(({ kind }) => kind)).toEqual(["later", "turn"]);
});

it("what waits for a paused project is looked at every seven to fifteen minutes", async () => {
  const { s, fixture } = await memoryScene();
  await s.engine.conversations.changeProject("default", { paused: true });
  const senders = ["ana", "ben", "cyd", "dan", "eva", "fay"];
  for (const sender of senders) await s.receive({ sender });
  await s.windowPasses();
  await s.nothingDue();
  const inMs = fixture.triggers().map(({ wakeAtMs }) => wakeAtMs - s.nowMs);
  expect(Math.min(...inMs)).toBeGreaterThanOrEqual(450_000);
  expect(Math.max(...inMs)).toBeLessThanOrEqual(900_000);
  expect(new Set(inMs).size).toBeGreaterThan(1);
  await fixture.write("state", { conversation_id: "lull/paused" });
  await s.passes(900_000);
  expect(await s.turns()).toHaveLength(senders.length);
});

it.each([
  { part: "project-channels:default", value: "sms", why: "allowedChannels is no list" },
  { part: "project-paused:default", value: "yes", why: "paused is neither true nor false" },
])("a foreign $part is told, and leaves a stopped project stopped", async ({ part, value, why }) => {
  const { s, fixture } = await memoryScene();
  const stored = { "project-status:default": "stopped", [part]: value };
  await fixture.write("state", { conversation_id: "lull/paused", ...stored });
  expect((await s.engine.inspector.projectChanges()).get("default")).toEqual({ status: "stopped" });
  const outcome = await s.deliver(s.arrival("hi"));
  expect(outcome).toMatchObject({ kind: "refused", code: "PROJECT_INACTIVE" });
  expect(fixture.told("store.quarantined")).toMatchObject([{ item: "default", reason: why }]);
});

it("a foreign list of channels leaves a paused project paused", async () => {
  const { s, fixture } = await memoryScene();
  const stored = { "project-channels:default": 7, "project-paused:default": true };
  await fixture.write("state", { conversation_id: "lull/paused", ...stored });
  await s.receive("hi");
  await s.windowPasses();
  await s.nothingDue();
});
