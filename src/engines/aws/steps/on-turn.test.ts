import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";

const KEY = { channelType: "test", address: "lull" };

it.each([
  ["both names", { sender: "+15550101", senderAlias: "SV.aaaaaaaa" }],
  ["nothing but the number", { sender: "+15550101" }],
])("a message with %s finds the conversation that another process has just made for it", async (_, names) => {
  const { s, fixture } = await memoryScene({ validation: "on-turn" });
  const other = await s.open("worker-2");
  await s.engine.receiving.stage([
    { arrival: s.arrival({ sender: "SV.aaaaaaaa", senderAlias: "+15550101" }), refusal: "ROUTE_NOT_FOUND" },
  ]);
  const { conversationId } = await s.receive(names);
  await s.windowPasses();
  const makeIt = async () => {
    const made = await other.conversations.create({ ...KEY, sender: "SV.aaaaaaaa" });
    expect(made.conversation.id).toBe(conversationId);
  };
  // The first look for several rows is for messages that were answered, the second for name records.
  fixture.before("request.getMany", async () => fixture.before("request.getMany", makeIt));
  const taken = await s.take();
  expect([taken.conversation.id, taken.conversation.sender]).toEqual([conversationId, "SV.aaaaaaaa"]);
});
