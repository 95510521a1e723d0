import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { idOf } from "../../../testing/engine-contract/scene.ts";

it.each([
  ["a number that is still to come", (nowMs: number) => nowMs + 1, "duplicate"],
  ["now", (nowMs: number) => nowMs, "staged"],
  ["a text, which another system wrote", (nowMs: number) => String(nowMs + 1), "staged"],
])("a message is known if the time of its item is %s", async (_, untilAt, kind) => {
  const { s, fixture } = await memoryScene();
  const { installation } = fixture.context();
  await installation.load();
  const message = s.arrival("hi");
  const id = installation.seenKey(idOf(message));
  fixture.write("seen", { id, fate: "committed", until_at_ms: untilAt(s.nowMs) });
  expect((await s.deliver(message)).kind).toBe(kind);
});
