import { expect, it } from "vitest";
import { memoryScene } from "../../../test/aws/simulated/memory-world.ts";

it("a refusal keeps 1,024 characters of a name, whatever length a stranger sends", async () => {
  const { s } = await memoryScene();
  const outcome = await s.deliver(s.arrival({ sender: "x".repeat(5_000), providerId: "y".repeat(5_000) }));
  expect(outcome).toMatchObject({ kind: "refused", code: "MESSAGE_TOO_LARGE" });
  const [refusal] = (await s.engine.inspector.refusals({ limit: 10 })).items;
  expect([refusal?.sender.length, refusal?.messageId.length]).toEqual([1_024, 1_024]);
});
