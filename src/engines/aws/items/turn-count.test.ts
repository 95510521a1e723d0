import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";

describe("the count of turns", () => {
  it("goes down by an erased conversation's, and by nothing where there were none", async () => {
    const { s } = await memoryScene();
    const turns = async () => (await s.engine.inspector.counts()).turns;
    const first = await s.talk("one");
    await s.talk("two");
    const ben = await s.receive({ sender: "ben" });
    expect(await turns()).toBe(2);
    expect(await s.engine.conversations.erase(ben.conversationId)).toBe("erased");
    expect(await turns()).toBe(2);
    expect(await s.engine.conversations.erase(first.conversation.id)).toBe("erased");
    expect(await turns()).toBe(0);
  });

  it.each(["many", null, -1])(
    "is left alone by an erasure where another program wrote %s in its place",
    async (count) => {
      const { s, fixture } = await memoryScene();
      const { id } = (await s.talk("hi")).conversation;
      const key = { conversation_id: id };
      fixture.write("state", { ...fixture.row("state", key), turn_count: count });
      expect(await s.engine.conversations.erase(id)).toBe("erased");
      expect((await s.engine.inspector.counts()).turns).toBe(1);
    },
  );
});
