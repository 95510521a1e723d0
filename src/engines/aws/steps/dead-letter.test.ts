import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-world.ts";

describe("messages of a conversation that is nowhere", () => {
  it("are a dead letter, also where no row says where it was", async () => {
    const { s, world } = await memoryScene();
    const { conversationId, id } = await s.receive("hi");
    const key = { conversation_id: conversationId, message_sid: id };
    const { primary_channel, ...row } = world.row("stage", key)!;
    world.write("stage", row);
    world.remove("conversations", { primary_channel, conversation_id: conversationId });
    world.remove("state", { conversation_id: conversationId });
    await s.windowPasses();
    const other = await world.open("another process, which has not seen it");
    await other.turns.take(conversationId);
    const [letter, ...more] = await s.dead();
    expect(more).toEqual([]);
    expect([letter?.reason, letter?.messages.map(({ text }) => text)]).toEqual([
      "CONVERSATION_NOT_FOUND",
      ["hi"],
    ]);
    expect(world.row("stage", key)).toBeUndefined();
  });
});
