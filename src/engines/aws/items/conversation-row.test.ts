import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { senderOf } from "./conversation-row.ts";

describe("a conversation that is known by its id only", () => {
  const row = { primary_channel: "ana", conversation_id: "theirs", task_complete: 0 };

  it.each([
    ["there is no note of it here", undefined],
    ["the note says nothing", ""],
    ["the note is none", 7],
  ])("is found where another system put it, though %s", async (_, note) => {
    const { s, fixture } = await memoryScene();
    fixture.write("conversations", row);
    if (note !== undefined) fixture.write("state", { conversation_id: "theirs", primary_channel: note });
    expect((await s.detail("theirs")).conversation.sender).toBe("ana");
    expect(await s.engine.conversations.change("theirs", { paused: true })).toMatchObject({ paused: true });
  });

  it("is found by our own note, which an index need not have caught up with", async () => {
    const { fixture } = await memoryScene();
    fixture.write("state", { conversation_id: "theirs", primary_channel: "ben" });
    fixture.write("conversations", row);
    const context = fixture.context();
    expect(await senderOf(context, "theirs")).toBe("ben");
    fixture.remove("state", { conversation_id: "theirs" });
    expect(await senderOf(context, "theirs")).toBe("ben");
    expect(await senderOf(fixture.context(), "nobody")).toBeUndefined();
  });
});
