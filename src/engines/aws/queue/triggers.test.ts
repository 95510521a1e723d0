import { SQSClient } from "@aws-sdk/client-sqs";
import { type FauxqsServer, startFauxqs } from "fauxqs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Clock } from "../../../ports/clock.ts";
import { countingClock } from "../../../testing/counting-clock.ts";
import { fakeClock } from "../../../testing/fake-clock.ts";
import { RETRYING } from "../retry.ts";
import { createQueues } from "./create-queues.ts";
import { comesInTime, QueueTriggers, triggerAtMs, triggerFrom } from "./triggers.ts";

const WAIT = { timeout: 20_000 };
const forever = () => new AbortController().signal;

describe("a trigger", () => {
  it("is read as it was sent, and as another sender would write it", () => {
    const read = (body: unknown) => triggerFrom(JSON.stringify(body));
    expect(read({ conversation_id: "c", primary_channel: "ana", channel: "sms" })).toEqual({
      conversationId: "c",
      sender: "ana",
      channel: "sms",
    });
    const bare = { conversationId: "c", sender: "", channel: "default" };
    expect(read({ conversation_id: "c" })).toEqual(bare);
    expect(read({ conversation_id: "c", primary_channel: 7, channel: null })).toEqual(bare);
  });

  it.each([undefined, "", "poison", "null", "[]", "{}", '{"conversation_id":7}', '{"conversation_id":""}'])(
    "is not read from %s",
    (body) => {
      expect(triggerFrom(body)).toBeUndefined();
    },
  );

  it("comes when it is wanted, not before now, and in 15 minutes at the latest", () => {
    expect([triggerAtMs(500, 1_000), triggerAtMs(1_500, 1_000)]).toEqual([1_000, 1_500]);
    expect(triggerAtMs(2_000_000, 1_000)).toBe(901_000);
    expect([comesInTime(901_000, 1_000), comesInTime(901_001, 1_000)]).toEqual([true, false]);
  });
});

let server: FauxqsServer;
let client: SQSClient;
let answered: string[];
let asked: { name: string; input: Record<string, unknown> }[];
let count = 0;
const opened: QueueTriggers[] = [];
beforeAll(async () => {
  server = await startFauxqs({ port: 0, logger: false });
});
afterAll(() => server.stop());
beforeEach(() => {
  [asked, answered] = [[], []];
  client = new SQSClient({
    endpoint: `http://127.0.0.1:${server.port}`,
    region: "eu-west-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    useQueueUrlAsEndpoint: false,
  });
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        asked.push({ name: commandName, input: args.input as Record<string, unknown> });
        const answer = await next(args);
        answered.push(commandName);
        return answer;
      },
    { step: "initialize" },
  );
});
afterEach(async () => {
  for (const triggers of opened.splice(0)) await triggers.close();
  client.destroy();
});

const made = async (...channels: string[]) => {
  count += 1;
  return createQueues({ prefix: `queues-${count}-`, channels, clients: { sqs: client } });
};
const told: string[] = [];
const open = (queues: Record<string, string>, clock: Clock = fakeClock(), waitSeconds = 0) => {
  const log = (_level: string, event: string) => void told.push(event);
  const triggers = new QueueTriggers({ client, queues, waitSeconds, retrying: RETRYING, clock, log });
  opened.push(triggers);
  return triggers;
};
const trigger = (conversationId: string, channel = "default") => ({
  conversationId,
  sender: "ana",
  channel,
});
const requests = (name: string) => asked.filter((each) => each.name === name);

describe("the queues of the channels", () => {
  it("are made with only an address and the environment's credentials", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
    const endpoint = `http://127.0.0.1:${server.port}`;
    const urls = await createQueues({ endpoint, region: "eu-west-1", prefix: "alone-", channels: ["sms"] });
    vi.unstubAllEnvs();
    expect(Object.keys(urls)).toEqual(["default", "sms"]);
    await open(urls).check();
  });

  it("are the channel's own, else the default one, else whichever there is", async () => {
    const { default: general, sms, email } = await made("sms", "email");
    const both = open({ sms: sms!, default: general! });
    for (const channel of ["sms", "email"]) await both.send(trigger("c", channel), 0);
    await open({ email: email! }).send(trigger("c", "sms"), 0);
    expect(requests("SendMessageCommand").map(({ input }) => input.QueueUrl)).toEqual([sms, general, email]);
  });

  it("delay in whole seconds, rounded up, and as long as a lease is still held", async () => {
    const clock = fakeClock();
    const triggers = open(await made(), clock);
    await triggers.send(trigger("c"), clock.nowMs() + 2_001);
    await triggers.send(trigger("c"), clock.nowMs() - 5_000);
    await triggers.send(trigger("c"), clock.nowMs(), 1);
    expect(requests("SendMessageCommand").map(({ input }) => input.DelaySeconds)).toEqual([3, 0, 1]);
  });

  it("that cannot be asked are reported to the worker that waits for a trigger", async () => {
    const { default: queue } = await made();
    const triggers = open({ default: `${queue}-gone` });
    await expect(triggers.receive(10, forever())).rejects.toThrow(/does not exist/);
  });
});

describe("the queues of a worker that stops", () => {
  it("are asked for nothing by a worker that has stopped", async () => {
    const triggers = open(await made());
    expect(await triggers.receive(10, AbortSignal.abort())).toEqual([]);
    expect(requests("ReceiveMessageCommand")).toEqual([]);
  });

  it("give a stopping worker nothing, and what it was to get goes back", async () => {
    const stopping = open(await made());
    await stopping.send(trigger("c"), 0);
    const stop = new AbortController();
    const received = stopping.receive(10, stop.signal);
    stop.abort();
    expect(await received).toEqual([]);
    await stopping.close();
    expect(requests("SendMessageCommand")).toHaveLength(2);
    expect(requests("DeleteMessageBatchCommand")).toHaveLength(1);
  });

  it("let a worker go that stops while its request is still open", async () => {
    const clock = fakeClock();
    const stopping = open(await made(), clock, 20);
    const stop = new AbortController();
    const received = stopping.receive(10, stop.signal);
    await expect.poll(() => requests("ReceiveMessageCommand").length, WAIT).toBe(1);
    stop.abort();
    expect(await received).toEqual([]);
    expect(answered).not.toContain("ReceiveMessageCommand");
    opened.splice(0);
    const closed = stopping.close();
    await clock.advance(1_000);
    await closed;
  });

  it("give a worker nothing that stopped just as its trigger came", async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    // The moment in which a trigger is here and its second begins.
    const stopping = open(await made(), {
      ...clock,
      after(ms, run) {
        if (ms === 1_000) stop.abort();
        return clock.after(ms, run);
      },
    });
    await stopping.send(trigger("c"), 0);
    expect(await stopping.receive(10, stop.signal)).toEqual([]);
    expect(stop.signal.aborted).toBe(true);
  });
});

describe("the queues, once triggers were received,", () => {
  it("are rid of triggers that are done with, ten in a request", async () => {
    const triggers = open(await made("sms"));
    for (let at = 0; at < 12; at += 1) await triggers.send(trigger(`c${at}`), 0);
    await triggers.send(trigger("c12", "sms"), 0);
    const received = [];
    while (received.length < 13) received.push(...(await triggers.receive(5, forever())));
    await triggers.done(received);
    const entries = requests("DeleteMessageBatchCommand").map(({ input }) => (input.Entries as []).length);
    expect(entries.sort((a, b) => a - b)).toEqual([1, 2, 10]);
    expect(await triggers.receive(10, forever())).toEqual([]);
  });

  it("get back triggers that find no place within a second", async () => {
    const clock = fakeClock();
    const triggers = open(await made("sms"), clock);
    await triggers.send(trigger("c1"), 0);
    await triggers.send(trigger("c2", "sms"), 0);
    const first = await triggers.receive(1, forever());
    expect(first).toHaveLength(1);
    const bothHaveCome = () => answered.filter((name) => name === "ReceiveMessageCommand").length;
    await expect.poll(bothHaveCome, WAIT).toBe(2);
    await clock.advance(999);
    expect(requests("SendMessageCommand")).toHaveLength(2);
    await clock.advance(1);
    await expect.poll(() => answered.includes("DeleteMessageBatchCommand"), WAIT).toBe(true);
    expect(requests("SendMessageCommand")).toHaveLength(3);
  });

  it("leave no timer behind, and none that has come is kept", async () => {
    const clock = fakeClock();
    const watched = countingClock(clock);
    const triggers = open(await made(), watched);
    await triggers.send(trigger("c"), 0);
    await triggers.done(await triggers.receive(10, forever()));
    expect(watched.cancelledLate()).toBe(0);
    await clock.advance(1_000);
    opened.splice(0);
    await triggers.close();
    await clock.settle();
    expect([watched.timers(), watched.sleepers(), watched.cancelledLate()]).toEqual([0, 0, 0]);
  });
});
