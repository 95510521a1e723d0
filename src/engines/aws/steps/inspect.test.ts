import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { takeLease } from "./lease.ts";

it("a worker that only looks is not shown as working on a reply, and refuses no message", async () => {
  const { s, fixture } = await memoryScene({ whileBusy: "reject" });
  const { conversationId } = await s.receive("hi");
  expect((await takeLease(fixture.context(), conversationId)).kind).toBe("leased");
  expect((await s.detail(conversationId)).conversation.status).toBe("new");
  expect((await s.conversations())[0]?.status).toBe("new");
  // Its outcome is checked: staged.
  await s.receive("more");
});
