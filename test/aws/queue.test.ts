import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { queue } from "../../src/responders/queue/index.ts";
import { fakeTurn } from "../../src/testing/fake-turn.ts";
import { type AwsResources, awsResources } from "../../tools/aws-local/aws-resources.ts";
import type { Emulators } from "../../tools/aws-local/emulators.ts";
import { eventually } from "../lull-process.ts";
import { API_TOKEN } from "../service/outside.ts";
import { type Environment, type Surroundings, surroundings } from "../service/surroundings.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

interface HandedOver {
  readonly turn: { readonly id: string; readonly attempt: number };
  readonly conversation_id: string;
  readonly combined_body: string;
  readonly messages: readonly { readonly message_sid: string }[];
  readonly [field: string]: unknown;
}

/** A service whose turns go to queues of this test, which reads them as their program would. */
function queuesOn(emulators: Emulators) {
  let sqs: SQSClient;
  let resources: AwsResources;
  let at: Surroundings;
  let count = 0;
  beforeAll(async () => {
    sqs = emulators.sqs();
    resources = await awsResources(emulators);
  });
  afterAll(async () => {
    sqs.destroy();
  });
  afterEach(() => at?.end());

  async function target(kind: "standard" | "fifo" = "standard"): Promise<string> {
    count += 1;
    const isFifo = kind === "fifo";
    const command = new CreateQueueCommand({
      QueueName: `${resources.prefix}target-${count}${isFifo ? ".fifo" : ""}`,
      ...(isFifo && { Attributes: { FifoQueue: "true" } }),
    });
    return (await sqs.send(command)).QueueUrl!;
  }

  /** Takes what stands in the queue, as far as one look shows it. */
  async function read(QueueUrl: string, WaitTimeSeconds = 0): Promise<(HandedOver & { group?: string })[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds,
      MessageSystemAttributeNames: ["All"],
    });
    const { Messages = [] } = await sqs.send(command);
    for (const { ReceiptHandle } of Messages)
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    return Messages.map(({ Body, Attributes }) => ({
      ...(JSON.parse(Body ?? "") as HandedOver),
      ...(Attributes?.MessageGroupId !== undefined && { group: Attributes.MessageGroupId }),
    }));
  }

  async function first(QueueUrl: string): Promise<HandedOver & { group?: string }> {
    return (await read(QueueUrl, 20))[0]!;
  }

  async function counts() {
    return (await at.api("/counts")) as Record<string, number>;
  }

  async function onlyConversation() {
    const { items } = (await at.api("/conversations")) as { items: Record<string, unknown>[] };
    expect(items).toHaveLength(1);
    return items[0]!;
  }

  /** The service, with SQS but without an engine on AWS, unless the environment says otherwise. */
  async function set(environment: Environment): Promise<void> {
    const names = ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL_SQS"];
    const access = Object.fromEntries(names.map((name) => [name, resources.env[name]!]));
    at = await surroundings({ ...access, ...environment });
  }

  return {
    target,
    read,
    first,
    counts,
    onlyConversation,
    set,
    get sqs() {
      return sqs;
    },
    get resources() {
      return resources;
    },
    get service() {
      return at;
    },
  };
}

describeOnEmulators("the responder queue of a service", (emulators) => {
  const on = queuesOn(emulators);
  const { target, read, first, counts, onlyConversation, set } = on;

  it.each(["sqlite", "aws"])(
    "hands a burst over as one turn and does not reply (engine %s)",
    async (engine) => {
      const url = await target();
      await set({ ...(engine === "aws" && on.resources.env), LULL_AI_QUEUE: url });
      await on.service.start(1);
      for (const text of ["hi", "a table", "for two"]) await on.service.write(1, text);
      const handed = await first(url);
      expect(handed).toMatchObject({
        turn: { attempt: 1 },
        primary_channel: "+50370000001",
        channel: "whatsapp",
        channel_type: "whatsapp",
        combined_body: "hi\na table\nfor two",
        conversation: { address: "+14155238886", project_status: "active", hand_off_to_human: false },
      });
      expect(handed.messages).toHaveLength(3);
      await eventually("the commit", async () => ((await counts()).turns === 1 ? true : undefined));
      expect(await onlyConversation()).toMatchObject({ id: handed.conversation_id, status: "queued_for_ai" });
      expect([on.service.twilio.sent.length, on.service.openai.asked.length]).toEqual([0, 0]);
      expect(await read(url)).toEqual([]);
    },
  );

  it("gets the turns of a conversation that a human has, and those only", async () => {
    const url = await target();
    await set({ LULL_HANDOFF_QUEUE: url });
    await on.service.start(1);
    await on.service.write(1, "hi");
    await on.service.twilio.whenSent(1);
    const { id } = await onlyConversation();
    await on.service.api(`/conversations/${id}/hand-off`, {
      method: "POST",
      body: JSON.stringify({ reason: "angry" }),
    });
    await on.service.write(1, "a human, please");
    expect(await first(url)).toMatchObject({
      combined_body: "a human, please",
      conversation: { hand_off_to_human: true },
    });
    await eventually("the commit", async () => ((await counts()).turns === 2 ? true : undefined));
    expect(await onlyConversation()).toMatchObject({ status: "awaiting_agent" });
    expect(on.service.twilio.sent).toHaveLength(1);
  });

  it("takes the late answer through the API, once", async () => {
    const url = await target();
    await set({});
    const responder = { queue: { url, answerWithinSeconds: 600, historyMessagesMax: 10 } };
    await writeFile(join(on.service.folder, "lull.config.json"), JSON.stringify({ responder }));
    await on.service.start(1);
    await on.service.write(1, "hi");
    const { turn, answer_within_seconds } = await first(url);
    expect(answer_within_seconds).toBe(600);
    const headers = { authorization: `Bearer ${API_TOKEN}` };
    const reply = () =>
      on.service.post(`/api/turns/${turn.id}/reply`, { headers, body: JSON.stringify({ text: "hello" }) });
    // The "later" answer may still be on its way; a reply before it counts as well.
    expect((await reply()).status).toBe(202);
    await on.service.twilio.whenSent(1);
    await eventually("the commit", async () => ((await counts()).turns === 1 ? true : undefined));
    expect((await reply()).status).toBe(409);
    await on.service.write(1, "thanks");
    expect(await first(url)).toMatchObject({
      history: [
        { role: "user", body: "hi" },
        { role: "assistant", body: "hello" },
      ],
    });
    expect(on.service.twilio.sent.map(({ body }) => body)).toEqual(["hello"]);
  });

  it("is answered by whoever has the turn token, configured by variables alone (engine aws)", async () => {
    const url = await target();
    const own = await awsResources(emulators);
    const token = "turns-".repeat(4);
    const answering = { LULL_AI_QUEUE: url, LULL_AI_QUEUE_ANSWER_SECONDS: "600", LULL_TURN_TOKEN: token };
    await set({ ...own.env, ...answering });
    await on.service.start(1);
    await on.service.write(1, "hi");
    const { turn, answer_within_seconds, target_queue_url } = await first(url);
    expect([answer_within_seconds, target_queue_url]).toEqual([600, url]);
    const headers = { authorization: `Bearer ${token}` };
    const body = JSON.stringify({ text: "hello" });
    const reply = await on.service.post(`/api/turns/${encodeURIComponent(turn.id)}/reply`, { headers, body });
    expect(reply.status).toBe(202);
    await on.service.twilio.whenSent(1);
    await eventually("the commit", async () => ((await counts()).turns === 1 ? true : undefined));
    expect(on.service.twilio.sent.map((sent) => sent.body)).toEqual(["hello"]);
  });

  it("hands over again after kill -9 before the commit: the same turn.id, and nothing lost", async () => {
    const url = await target();
    // Queues of its own: open requests of killed processes last for a while, and take triggers with them.
    const own = await awsResources(emulators);
    await set({ ...own.env, LULL_LEASE_SECONDS: "3600" });
    // Handed over, and the process is gone before it could write that down.
    const source = JSON.stringify(join(import.meta.dirname, "../../src/responders/queue/index.ts"));
    await writeFile(
      join(on.service.folder, "lull.config.ts"),
      `import { queue } from ${source};
       const hand = queue({ url: ${JSON.stringify(url)} });
       export default {
         respond: async (turn) => {
           const reply = await hand(turn);
           if (turn.attempt === 1) process.kill(process.pid, "SIGKILL");
           return reply;
         },
       };`,
    );
    await on.service.start(2);
    await on.service.write(1, "hi");
    const earlier = await first(url);
    const again = await first(url);
    expect([earlier.turn.attempt, again.turn.attempt]).toEqual([1, 2]);
    expect(again.turn.id).toBe(earlier.turn.id);
    expect(again.messages).toEqual(earlier.messages);
    await eventually("the commit", async () => {
      const { turns, staged, dead } = await counts();
      return turns === 1 && staged === 0 && dead === 0 ? true : undefined;
    });
  });

  it("a target that is not there makes a dead letter that says so, at once", async () => {
    await set({ LULL_AI_QUEUE: `${await target()}-gone` });
    await on.service.start(1);
    await on.service.write(1, "hi");
    const letter = await eventually("a dead letter", async () => {
      const { items } = (await on.service.api("/dead")) as { items: { reason: string; attempts: number }[] };
      return items[0];
    });
    expect(letter).toMatchObject({ attempts: 1, reason: expect.stringContaining("QUEUE_NOT_FOUND") });
  });
});

describeOnEmulators("the responder queue itself", (emulators) => {
  const on = queuesOn(emulators);
  const { target, read, first, set } = on;

  it("keeps a conversation in order in a FIFO queue, which drops a repetition and nothing else", async () => {
    const url = await target("fifo");
    const hand = queue({ url, client: on.sqs });
    const [one, two] = ["one", "two"].map((text) => ({ id: text, text, media: [], arrivedAtMs: 0 }));
    const turn = fakeTurn([], { messages: [one!] });
    await hand(turn);
    await hand({ ...turn, attempt: 2 });
    // Failed twice, and the customer went on writing: it is the same turn with more in it.
    await hand(fakeTurn([], { messages: [one!, two!], attempt: 3 }));
    expect(await first(url)).toMatchObject({ turn: { attempt: 1 }, group: "conversation-1" });
    expect(await first(url)).toMatchObject({ turn: { attempt: 3 }, combined_body: "one\ntwo" });
    expect(await read(url)).toEqual([]);
  });

  it("is refused at the start when its target is a queue that wakes us", async () => {
    for (const name of ["LULL_AI_QUEUE", "LULL_HANDOFF_QUEUE"]) {
      await set({ ...on.resources.env, [name]: on.resources.queues.default! });
      const service = on.service.lull("start", "--log-level", "error");
      expect(await service.gone()).toEqual({ code: 2, signal: null });
      const where = name === "LULL_AI_QUEUE" ? "the responder" : "handOffTo";
      expect(service.stderr).toMatch(new RegExp(`^lull: ${where}: \\S+ is one of the queues that wake us`));
      await on.service.end();
    }
  });

  it("waits no longer than the turn does", async () => {
    const arrived = Promise.withResolvers<void>();
    const silent = createServer(() => arrived.resolve()).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const endpoint = { endpoint: `http://127.0.0.1:${port}`, useQueueUrlAsEndpoint: false };
    const client = new SQSClient({ region: "eu-west-1", credentials, ...endpoint });
    const ended = new AbortController();
    const hanging = queue({ url: await target(), client })(fakeTurn("hi", { signal: ended.signal }));
    await arrived.promise;
    ended.abort(new Error("out of time"));
    await expect(hanging).rejects.toThrow("out of time");
    client.destroy();
    silent.closeAllConnections();
    silent.close();
  });
});
