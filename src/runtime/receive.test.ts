import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { Channel, ReceiveSummary } from "../ports/channel.ts";
import type { EngineProvider } from "../ports/engine.ts";
import { aroundEngine } from "../testing/around-engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testLull } from "../testing/test-lull.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import { statusOf } from "../wire/refusal-status.ts";
import { createService } from "./create-service.ts";

const WEBHOOK = testWebhook(testMessage());

function receiving(engine: EngineProvider, channel: Channel = testChannel()) {
  const clock = fakeClock();
  const events: string[] = [];
  const lines: string[] = [];
  const service = createService({
    engine,
    channels: { test: channel },
    respond: () => "hello",
    clock,
    limits: { receiveTimeoutSeconds: 10 },
    log: (level, event, { code, more } = {}) => {
      events.push(event);
      if (level !== "debug") lines.push([level, event, code, more].filter((word) => word).join(" "));
    },
  });
  return { clock, events, lines, service, post: () => service.receive("test", WEBHOOK) };
}

/** A store that does what it is asked, and answers only when the test lets it. */
function slowly(): { readonly engine: EngineProvider; readonly letGo: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const engine = aroundEngine(memory(), () => async (name, _input, call) => {
    const result = await call();
    if (name === "receiving.stage") await promise;
    return result;
  });
  return { engine, letGo: resolve };
}

it("a webhook whose store does not answer is answered in time: come back later", async () => {
  const { engine, letGo } = slowly();
  const at = receiving(engine);
  const answer = at.post();
  let isAnswered = false;
  void answer.then(() => {
    isAnswered = true;
  });
  await at.clock.advance(9_999);
  expect(isAnswered).toBe(false);
  await at.clock.advance(1);
  expect((await answer).status).toBe(503);
  expect(at.events).toContain("webhook.failed");
  // It was staged all the same. Delivered again, it is one message.
  letGo();
  expect((await at.post()).status).toBe(200);
  const { inspector } = await at.service.engine();
  expect((await inspector.counts()).staged).toBe(1);
});

describe("what its channel says of a webhook is answered in the channel's words:", () => {
  it.each<[string, Partial<Channel>, string | undefined]>([
    ["it is forged", { verify: () => ({ kind: "refused", why: "no signature" }) }, "INVALID_SIGNATURE"],
    ["it is ours", { parse: () => ({ kind: "ignored", why: "our own message" }) }, undefined],
    ["it is broken", { parse: () => ({ kind: "invalid", why: "no sender" }) }, "INVALID_PAYLOAD"],
    ["it cannot say", { verify: () => Promise.reject(new Error("no secret")) }, "STORE_UNAVAILABLE"],
  ])("%s", async (_, says, code) => {
    const told: ReceiveSummary[] = [];
    const answer: Channel["answer"] = (summary) => {
      told.push(summary);
      return { status: 200, headers: {}, body: "" };
    };
    const at = receiving(memory(), { ...testChannel(), answer, ...says });
    await at.post();
    expect(told.map((summary) => summary.code)).toEqual([code]);
    expect((await (await at.service.engine()).inspector.counts()).staged).toBe(0);
  });

  it("it is a challenge", async () => {
    const parse: Channel["parse"] = () => ({
      kind: "challenge",
      answer: { status: 200, headers: {}, body: "42" },
    });
    const at = receiving(memory(), { ...testChannel(), parse });
    expect((await at.post()).body).toBe("42");
  });
});

it("a webhook whose secret does not come is answered in time, and nothing is stored", async () => {
  const at = receiving(memory(), { ...testChannel(), verify: () => new Promise(() => {}) });
  const answer = at.post();
  await at.clock.advance(10_000);
  expect((await answer).status).toBe(503);
  const { inspector } = await at.service.engine();
  expect((await inspector.counts()).staged).toBe(0);
});

it("a message that is refused for good is refused once: the provider is not asked back", async () => {
  const told: ReceiveSummary[] = [];
  const answer: Channel["answer"] = (summary) => {
    told.push(summary);
    return { status: 200, headers: {}, body: "" };
  };
  const refusing = aroundEngine(
    memory(),
    () => async (name, _input, call) =>
      name === "receiving.stage"
        ? [{ kind: "refused", code: "PROJECT_INACTIVE", conversationId: "c", tellBusy: true }]
        : call(),
  );
  const at = receiving(refusing, { ...testChannel(), answer });
  await at.post();
  expect(told).toEqual([{ code: "PROJECT_INACTIVE" }]);
  expect(at.events).not.toContain("conversation.full");
});

it("a message that is staged is answered with its conversation, a duplicate without", async () => {
  const told: ReceiveSummary[] = [];
  const answer: Channel["answer"] = (summary) => {
    told.push(summary);
    return { status: 200, headers: {}, body: "" };
  };
  const at = receiving(memory(), { ...testChannel(), answer });
  await at.post();
  await at.post();
  const { items } = await (await at.service.engine()).inspector.conversations({ limit: 1 });
  expect(told).toEqual([{ conversationId: items[0]!.id }, {}]);
});

it.each([
  ["not-retrying", 400],
  ["retrying", 200],
  ["client", 400],
] as const)(
  "an odd message beside sound ones is refused alone, recorded and told: %s hears %i",
  async (family, status) => {
    const details: (string | undefined)[] = [];
    const answer: Channel["answer"] = ({ code, detail }) => {
      details.push(detail);
      return { status: statusOf(code, family), headers: {}, body: "" };
    };
    const at = receiving(memory(), { ...testChannel(), answer });
    const named = (providerId: string, sender: unknown) => ({ ...testMessage({ providerId }), sender });
    const given = [named("1", "ana"), named("2", { id: 7 }), null, named("3", "ben")];
    expect((await at.service.receive("test", testWebhook(...given))).status).toBe(status);
    expect(details).toEqual(["a message of this channel cannot be kept: it is no object"]);
    const { inspector } = await at.service.engine();
    const { items: refusals } = await inspector.refusals({ limit: 10 });
    expect(refusals.map(({ code, messageId, sender }) => ({ code, messageId, sender }))).toEqual([
      { code: "INVALID_PAYLOAD", messageId: "test/(unreadable)/(unreadable)", sender: "(unreadable)" },
      { code: "INVALID_PAYLOAD", messageId: "test/test/2", sender: "(unreadable)" },
    ]);
    expect(at.events.filter((event) => event === "webhook.refused")).toHaveLength(2);
    expect(at.events).not.toContain("message.refused");
    const { items } = await inspector.conversations({ limit: 10 });
    expect(items.map(({ sender }) => sender).sort()).toEqual(["ana", "ben"]);
    expect((await inspector.counts()).staged).toBe(2);
  },
);

it("a payload of more messages than a minute's limit is taken once a minute was free", async () => {
  const lull = testLull({
    window: { seconds: 1 },
    respond: () => "hello",
    limits: { senderPerMinuteMax: 2 },
  });
  await lull.receive("ana", "hi");
  const request = testWebhook(...["p1", "p2", "p3"].map((providerId) => testMessage({ providerId })));
  const post = async () => (await lull.service.receive("test", request)).status;
  expect([await post(), await post()]).toEqual([429, 429]);
  await lull.advance(60_000);
  expect(await post()).toBe(200);
  await lull.advance(1_000);
  expect(lull.sent.map(({ to }) => to)).toEqual(["ana", "ana"]);
  await lull.stop();
});

const FLOOD = 300;

/** As many webhooks at once, each of another sender. */
async function flood(at: ReturnType<typeof receiving>, message: object): Promise<number[]> {
  const answers = Array.from({ length: FLOOD }, (_, n) => {
    const given = testMessage({ providerId: `f${n}`, sender: `sender-${n}` });
    return at.service.receive("test", testWebhook({ ...given, ...message }));
  });
  return [...new Set((await Promise.all(answers)).map(({ status }) => status))];
}

describe("what was not taken in is logged once, and then as a number", () => {
  const unsigned = { ...testChannel(), hasVisitors: true, isUnsigned: true, textLengthMax: 10 };

  it("a text that is too long", async () => {
    const at = receiving(memory(), unsigned);
    expect(await flood(at, { text: "eleven signs" })).toEqual([409]);
    expect(at.lines).toEqual(["info message.refused MESSAGE_TOO_LARGE"]);
    expect(at.events.filter((event) => event === "message.refused")).toHaveLength(FLOOD);
    await at.clock.advance(60_000);
    expect(at.lines.slice(1)).toEqual([`info message.refusals MESSAGE_TOO_LARGE ${FLOOD - 1}`]);
  });

  it("a message that cannot be kept", async () => {
    const at = receiving(memory());
    await flood(at, { sender: { id: 7 } });
    expect(at.lines).toEqual(["error webhook.refused INVALID_PAYLOAD"]);
  });

  it("a webhook whose secret cannot be read, or that fails in another way", async () => {
    const verify = () => Promise.reject(new Error("no secret"));
    const at = receiving(memory(), { ...testChannel(), verify });
    expect(await flood(at, {})).toEqual([503]);
    expect(at.lines).toEqual(["error webhook.failed"]);
    await at.service.stop();
    expect(at.lines.slice(1)).toEqual([`error webhook.failures ${FLOOD - 1}`]);
  });

  it("a sender who writes too much", async () => {
    const at = receiving(memory(), unsigned);
    expect(await flood(at, { sender: "ana", text: "hi" })).toEqual([200, 429]);
    expect(at.lines).toEqual(["warn webhook.refused RATE_LIMITED"]);
    expect(at.events.filter((event) => event === "webhook.refused")).toHaveLength(FLOOD - 120);
    expect((await (await at.service.engine()).inspector.counts()).refusals).toBe(0);
  });
});

describe("refusals of senders who prove nothing", () => {
  const refusalsOf = async (at: ReturnType<typeof receiving>) =>
    (await (await at.service.engine()).inspector.counts()).refusals;
  const unsigned = { ...testChannel(), hasVisitors: true, isUnsigned: true, textLengthMax: 10 };
  const tooLong = { text: "eleven signs" };

  it("are written down as far as a minute has places, however many come at once", async () => {
    const at = receiving(memory(), unsigned);
    await flood(at, tooLong);
    expect(await refusalsOf(at)).toBe(60);
    await at.clock.advance(60_000);
    await flood(at, { ...tooLong, account: "another" });
    expect(await refusalsOf(at)).toBe(120);
  });

  it("find their places free, however many messages were taken in before", async () => {
    const at = receiving(memory(), unsigned);
    expect(await flood(at, { text: "hi" })).toEqual([200]);
    await flood(at, { ...tooLong, account: "another" });
    expect(await refusalsOf(at)).toBe(60);
  });

  it("are all written down where senders are proven", async () => {
    const at = receiving(memory(), { ...unsigned, isUnsigned: false });
    await flood(at, tooLong);
    expect(await refusalsOf(at)).toBe(FLOOD);
  });
});

it("a redelivery is acknowledged and changes nothing", async () => {
  const at = receiving(memory());
  expect([(await at.post()).status, (await at.post()).status]).toEqual([200, 200]);
  expect(at.events).toContain("message.duplicate");
  expect((await (await at.service.engine()).inspector.counts()).staged).toBe(1);
});

it("a redelivery is acknowledged, also when its sender has written too much since", async () => {
  const lull = testLull({ respond: () => "hello", limits: { senderPerMinuteMax: 2 } });
  expect(await lull.receive("ana", "one", "m-1")).toBe(200);
  expect(await lull.receive("ana", "two", "m-2")).toBe(200);
  expect(await lull.receive("ana", "three", "m-3")).toBe(429);
  expect(await lull.receive("ana", "one", "m-1")).toBe(200);
  await lull.advance(10_000);
  expect(lull.sent).toHaveLength(1);
  expect(await lull.receive("ana", "two", "m-2")).toBe(200);
  await lull.stop();
});

describe("a message that was refused, brought again when it might come in:", () => {
  /** The only answer that is being made keeps its customer's next message out. */
  async function refused(channel: Partial<Channel>) {
    const answering = Promise.withResolvers<string>();
    const clock = fakeClock();
    const heard: string[] = [];
    const service = createService({
      engine: memory(),
      channels: { test: { ...testChannel(), ...channel } },
      whileBusy: "reject",
      respond: ({ text }) => {
        heard.push(text);
        return answering.promise;
      },
      clock,
    });
    const post = (providerId: string, text: string) =>
      service.receive("test", testWebhook(testMessage({ providerId, text })));
    await service.start();
    await post("1", "first");
    await clock.advance(10_000);
    await post("2", "second");
    answering.resolve("ok");
    await clock.advance(1_000);
    await post("2", "second");
    await clock.advance(10_000);
    await service.stop(0);
    return heard;
  }

  it("is a duplicate where the provider took the refusal for received", async () => {
    expect(await refused({ refusesForGood: true })).toEqual(["first"]);
  });

  it("is taken in where the caller heard that it was not", async () => {
    expect(await refused({})).toEqual(["first", "second"]);
  });

  it("is taken in where callers prove nothing: any of them could have used up its id", async () => {
    expect(await refused({ refusesForGood: true, isUnsigned: true })).toEqual(["first", "second"]);
  });
});

it.each(["pigeon", "constructor"])("nothing is received on a channel %s", async (name) => {
  const { service } = testLull({ respond: () => "hello" });
  await expect(service.receive(name, WEBHOOK)).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "there is no channel of this name; there are test",
  });
});
