import { describe, expect, it } from "vitest";
import { ATTRIBUTES_BYTES_MAX } from "../core/defaults.ts";
import { memory } from "../engines/memory/index.ts";
import { NAME_LENGTH_MAX } from "../schema/schema.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testLull } from "../testing/test-lull.ts";
import type { CreateRequest } from "./create-conversation.ts";
import { createService } from "./create-service.ts";

const ANA = { channel: "test", address: "lull", sender: "ana" };

function opened() {
  const lull = testLull({ window: { seconds: 10 }, respond: () => "hello" });
  return { lull, create: lull.service.createConversation };
}

const JSON_FRAME = '{"a":""}'.length;
const attributes = (bytes: number) => ({ a: "x".repeat(bytes - JSON_FRAME) });

describe("a program creates a conversation", () => {
  it("with all that the API takes, and greets once however often it asks", async () => {
    const { lull, create } = opened();
    await lull.service.start();
    const request = {
      ...ANA,
      senderAlias: "+15550123",
      window: { quietSeconds: 2 },
      allowedChannels: ["test"],
      attributes: { orderId: 7 },
      firstMessage: "Hello, Ana!",
      author: "shop",
    };
    const first = await create(request);
    expect(first).toMatchObject({
      created: true,
      firstMessage: "staged",
      conversation: {
        channelType: "test",
        address: "lull",
        sender: "ana",
        senderAlias: "+15550123",
        window: { kind: "quiet", quietMs: 2_000, maxMs: 10_000 },
        allowedChannels: ["test"],
        attributes: { orderId: 7 },
      },
    });
    const { id } = first.conversation;
    expect(await create(request)).toMatchObject({
      created: false,
      firstMessage: "duplicate",
      conversation: { id },
    });
    await lull.advance(1_000);
    expect(lull.sent).toEqual([{ to: "+15550123", text: "Hello, Ana!" }]);
    await lull.stop();
  });

  it("that the customer's next message goes on with", async () => {
    const { lull, create } = opened();
    const { conversation, firstMessage } = await create({
      channelType: "test",
      address: "lull",
      sender: "ana",
    });
    expect(firstMessage).toBeUndefined();
    await lull.receive("ana", "hi");
    const { staged } = (await (await lull.service.engine()).inspector.conversation(conversation.id))!;
    expect(staged.map(({ text }) => text)).toEqual(["hi"]);
    await lull.stop();
  });

  it("at the limits of its data and of its customer's name", async () => {
    const { lull, create } = opened();
    const sender = "x".repeat(NAME_LENGTH_MAX);
    const { created } = await create({ ...ANA, sender, attributes: attributes(ATTRIBUTES_BYTES_MAX) });
    expect(created).toBe(true);
    await lull.stop();
  });

  it("only at an address that one of its channels has, and makes nothing otherwise", async () => {
    const service = createService({
      engine: memory(),
      clock: fakeClock(),
      log: () => {},
      respond: () => "hello",
      channels: {
        front: testChannel({ addresses: ["+15550100"] }),
        back: testChannel({ addresses: ["+15550199"] }),
      },
    });
    const of = (given: Partial<CreateRequest>) =>
      service.createConversation({ address: "+15550100", sender: "ana", ...given });
    await expect(of({ channel: "back", firstMessage: "hi" })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: "address is none of ours on this channel; there are +15550199",
    });
    await expect(of({ channelType: "test", address: "nowhere" })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: "address is none of ours on this channel; there are +15550100, +15550199",
    });
    expect((await (await service.engine()).inspector.conversations({ limit: 10 })).items).toEqual([]);
    expect((await of({ channel: "front" })).created).toBe(true);
    expect((await of({ channelType: "test", sender: "ben" })).created).toBe(true);
    await service.stop(0);
  });

  it.each<[object, string]>([
    [{ ...ANA, channel: "fax" }, "there is no channel of this name; there are test"],
    [{ ...ANA, channel: "constructor" }, "there is no channel of this name; there are test"],
    [{ ...ANA, channelType: "sms" }, "channel test is of type test, not sms"],
    [{ address: "lull", sender: "ana" }, "channel or channelType is missing"],
    [
      { channelType: "sms", address: "lull", sender: "ana" },
      "no channel of this type is configured; there are test",
    ],
    [{ channel: "test" }, "address is missing; sender is missing"],
    [{ ...ANA, sender: " " }, "sender must not be empty"],
    [{ ...ANA, sender: "x".repeat(NAME_LENGTH_MAX + 1) }, "sender must have 1000 characters at most"],
    [{ ...ANA, sender: "\ud800" }, "sender is not well-formed Unicode"],
    [{ ...ANA, firstMesage: "hi" }, "firstMesage is not known here"],
    [
      { ...ANA, attributes: attributes(ATTRIBUTES_BYTES_MAX + 1) },
      "attributes must have 64000 bytes at most",
    ],
    [{ ...ANA, window: { seconds: -1 } }, "window.seconds must be a number from 0 to 604800"],
    [{ ...ANA, window: { seconds: 1, quietSeconds: 1 } }, "window needs either seconds, or quietSeconds"],
    [{ ...ANA, window: { quietSeconds: 9, maxSeconds: 3 } }, "maxSeconds must not be less than quietSeconds"],
    [{ ...ANA, window: { second: 1 } }, "window.second is not known here"],
  ])("and is told what is wrong with case %#", async (request, words) => {
    const { lull, create } = opened();
    await expect(create(request as CreateRequest)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining(words),
      retry: "never",
    });
    expect((await (await lull.service.engine()).inspector.counts()).conversations).toBe(0);
    await lull.stop();
  });
});

describe("a program greets in the conversation that it creates", () => {
  it("and is recorded as the author of the first message, unless it names another one", async () => {
    const { lull, create } = opened();
    await lull.service.start();
    const { conversation } = await create({ ...ANA, firstMessage: "Hello, Ana!" });
    await lull.clock.advance(1);
    const { inspector } = await lull.service.engine();
    const detail = await inspector.conversation(conversation.id);
    expect(detail?.messages).toMatchObject([{ text: "Hello, Ana!", author: "program" }]);
    await lull.stop();
  });

  it("on the channel that it named", async () => {
    const clock = fakeClock();
    const [one, two] = [testChannel({ addresses: ["us"] }), testChannel({ addresses: ["them"] })];
    const service = createService({
      engine: memory(),
      channels: { one, two },
      clock,
      respond: () => "hello",
    });
    await service.start();
    await service.createConversation({ channel: "two", address: "them", sender: "ana", firstMessage: "Hi!" });
    await clock.advance(1_000);
    expect([one.outbox.length, two.outbox.length]).toEqual([0, 1]);
    await service.stop(0);
  });

  it("on the channel that it named, also where another one was used last", async () => {
    const clock = fakeClock();
    const [test, mail] = [testChannel(), testChannel({ type: "mail" })];
    const service = createService({
      engine: memory(),
      channels: { test, mail },
      clock,
      respond: () => "hello",
    });
    await service.start();
    const { conversation } = await service.createConversation(ANA);
    const request = { conversationId: conversation.id, author: "me", text: "in the post" };
    await service.say({ ...request, channel: "mail" });
    await clock.advance(1_000);
    await service.createConversation({ ...ANA, firstMessage: "Hi!" });
    await clock.advance(1_000);
    expect([test, mail].map(({ outbox }) => outbox.map(({ text }) => text))).toEqual([
      ["Hi!"],
      ["in the post"],
    ]);
    await service.stop(0);
  });

  it("and knows its id even if the greeting is refused", async () => {
    const { lull, create } = opened();
    const made: string[] = [];
    const greeting = create({ ...ANA, firstMessage: "x".repeat(70_000) }, (id) => void made.push(id));
    await expect(greeting).rejects.toMatchObject({ code: "REPLY_TOO_LARGE" });
    expect(await (await lull.service.engine()).conversations.get(made[0]!)).toMatchObject({ sender: "ana" });
    await lull.stop();
  });
});
