import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { Channel } from "../ports/channel.ts";
import type { EngineProvider } from "../ports/engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testLull } from "../testing/test-lull.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import { createService } from "./create-service.ts";
import type { Service } from "./service.ts";

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

it.each([
  ["another tenant's channel of the same type", "other"],
  ["another tenant's channel of another type", "mail"],
])("nothing is said over %s", async (_which, channel) => {
  const clock = fakeClock();
  const [ours, other] = [testChannel({ addresses: ["+1"] }), testChannel({ addresses: ["+2"] })];
  const mail = testChannel({ type: "mail", addresses: ["+1"] });
  const service = createService({
    ...{ engine: memory(), clock, log: () => {}, respond: () => "hello", channels: {} },
    projects: { acme: { channels: { ours } }, beta: { channels: { other, mail } } },
  });
  await service.start();
  const { conversation } = await service.createConversation({ channel: "ours", address: "+1", sender: "s" });
  const request = { conversationId: conversation.id, text: "hi", author: "me" };
  await expect(service.say({ ...request, channel })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: `channel ${channel} is not one for this conversation`,
  });
  expect(await service.say({ ...request, channel: "ours" })).toBe("staged");
  await clock.advance(1_000);
  expect([ours, other, mail].map(({ outbox }) => outbox.length)).toEqual([1, 0, 0]);
  await service.stop(0);
});

it("nothing is said from another number than the one that the customer wrote to", async () => {
  const channels = { ours: testChannel({ addresses: ["+1"] }), other: testChannel({ addresses: ["+2"] }) };
  const service = createService({ engine: memory(), channels, log: () => {}, respond: () => "hello" });
  const { conversation } = await service.createConversation({ channel: "ours", address: "+1", sender: "s" });
  const request = { conversationId: conversation.id, text: "hi", author: "me", channel: "other" };
  await expect(service.say(request)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  await service.stop(0);
});

it("a channel of no name is told first, also where there is no such conversation", async () => {
  const lull = testLull({ respond: () => "hello" });
  const request = { conversationId: "no-such-id", text: "coo", author: "me" };
  expect(await lull.service.say(request)).toBe("not-found");
  await expect(lull.service.say({ ...request, channel: "pigeon" })).rejects.toMatchObject({ retry: "never" });
  await lull.stop();
});

describe("where nothing else is said, it goes over", () => {
  const clock = fakeClock();
  const service = (channels: Readonly<Record<string, Channel>>, engine: EngineProvider = memory()) =>
    createService({ engine, channels, clock, log: () => {}, respond: () => "hello" });
  const idOf = async (at: Service) =>
    (await (await at.engine()).inspector.conversations({ limit: 1 })).items[0]!.id;

  it("the channel that was used last", async () => {
    const [test, mail] = [testChannel(), testChannel({ type: "mail" })];
    const at = service({ test, mail });
    await at.start();
    await at.receive("test", testWebhook(testMessage()));
    await clock.advance(10_000);
    const request = { conversationId: await idOf(at), author: "me" };
    await at.say({ ...request, text: "in the post", channel: "mail" });
    await clock.advance(1_000);
    await at.say({ ...request, text: "and more" });
    await clock.advance(1_000);
    expect(mail.outbox.map(({ text }) => text)).toEqual(["in the post", "and more"]);
    await at.say({ ...request, text: "here again", channel: "test" });
    await clock.advance(1_000);
    expect(test.outbox.map(({ text }) => text)).toEqual(["hello", "here again"]);
    await at.stop(0);
  });

  it.each([0, 1])(
    "a channel of today, though the one that brought what waits is renamed: %d",
    async (more) => {
      const engine = memory();
      const before = service({ old: testChannel() }, engine);
      await before.receive("old", testWebhook(testMessage()));
      const renamed = testChannel();
      const at = service({ renamed }, engine);
      for (let n = 0; n < more; n += 1)
        await at.receive("renamed", testWebhook(testMessage({ providerId: `more-${n}` })));
      expect(await at.say({ conversationId: await idOf(at), text: "hi", author: "me" })).toBe("staged");
      await at.start();
      await clock.advance(1_000);
      expect(renamed.outbox.map(({ text }) => text)).toEqual(["hi"]);
      await at.stop(0);
      await before.stop(0);
    },
  );
});
