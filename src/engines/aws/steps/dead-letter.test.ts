import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";

describe("messages of a conversation that is nowhere", () => {
  it("are a dead letter, also where no row says where it was", async () => {
    const { s, fixture } = await memoryScene();
    const { conversationId, id } = await s.receive("hi");
    const key = { conversation_id: conversationId, message_sid: id };
    const { primary_channel, ...row } = fixture.row("stage", key)!;
    fixture.write("stage", row);
    fixture.remove("conversations", { primary_channel, conversation_id: conversationId });
    fixture.remove("state", { conversation_id: conversationId });
    await s.windowPasses();
    const other = await fixture.open("another process, which has not seen it");
    await other.turns.take(conversationId);
    const [letter, ...more] = await s.dead();
    expect(more).toEqual([]);
    expect([letter?.reason, letter?.messages.map(({ text }) => text)]).toEqual([
      "CONVERSATION_NOT_FOUND",
      ["hi"],
    ]);
    expect(fixture.row("stage", key)).toBeUndefined();
  });
});
