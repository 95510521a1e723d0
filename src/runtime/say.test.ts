import { expect, it } from "vitest";
import { testLull } from "../testing/test-lull.ts";

it.each(["pigeon", "constructor", "__proto__"])("nothing is said on a channel %s", async (channel) => {
  const lull = testLull({ respond: () => "hello" });
  const { conversation } = await lull.service.createConversation({
    channel: "test",
    address: "a",
    sender: "s",
  });
  const request = { conversationId: conversation.id, text: "coo", author: "me", channel };
  await expect(lull.service.say(request)).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "there is no channel of this name; there are test",
  });
  await lull.stop();
});

it("a conversation of a channel that is configured no longer is not spoken in", async () => {
  const lull = testLull({ respond: () => "hello" });
  const { conversations } = await lull.service.engine();
  const { conversation } = await conversations.create({ channelType: "fax", address: "a", sender: "s" });
  await expect(
    lull.service.say({ conversationId: conversation.id, text: "coo", author: "me" }),
  ).rejects.toThrow("no channel of type fax for our address a is configured");
  await lull.stop();
});
