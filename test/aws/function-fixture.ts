import { randomUUID } from "node:crypto";
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { aws, createQueues, createTables } from "../../src/engines/aws/index.ts";
import {
  type HttpResponse,
  type LambdaConfig,
  type LambdaContext,
  type LambdaHandlers,
  lambdaHandlers,
  type SqsRecord,
} from "../../src/lambda/index.ts";
import type { LogFields } from "../../src/model/log.ts";
import type { GivenSettings } from "../../src/model/settings.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { testChannel } from "../../src/testing/test-channel.ts";
import type { Emulators } from "../../tools/aws-local/emulators.ts";
import { UNHURRIED } from "./aws-fixture.ts";
import { HeldTriggers } from "./held-triggers.ts";
import { type AwsRequest, type Fate, startProxy } from "./proxy.ts";

/** A context as the runtime of a function makes one, with the time that is left. */
export function contextWith(remainingMs: number): LambdaContext {
  const endsAtMs = Date.now() + remainingMs;
  return {
    awsRequestId: randomUUID(),
    functionName: "lull-test",
    getRemainingTimeInMillis: () => Math.max(0, endsAtMs - Date.now()),
  };
}

export interface FunctionFixtureOptions {
  readonly config?: Partial<LambdaConfig>;
  /** Settings that users do not configure. */
  readonly defaults?: Partial<GivenSettings>;
  /** The machine's own time: for what a queue does by itself. */
  readonly inRealTime?: boolean;
  readonly visibilitySeconds?: number;
}

export interface Polled {
  readonly records: readonly SqsRecord[];
  readonly failed: readonly string[];
  readonly tookMs: number;
}

/** Tables and a queue of their own, functions on them, and the event source mapping a round at a time. */
export async function functionFixture(emulators: Emulators, options: FunctionFixtureOptions = {}) {
  const tablePrefix = `${randomUUID().slice(0, 8)}-`;
  const queue = emulators.sqs();
  const held = new HeldTriggers(queue);
  const state = { meets: (_request: AwsRequest): Fate => "pass" };
  const asked: AwsRequest[] = [];
  const proxy = await startProxy(emulators.endpoint, {
    ...(!options.inRealTime && { held }),
    onRequest: (request) => {
      asked.push(request);
      return state.meets(request);
    },
  });
  const clients = emulators.clientsAt(proxy.url, { tries: 1 });
  const { visibilitySeconds = 60 } = options;
  await createTables({ tablePrefix, clients });
  const queues = await createQueues({ prefix: tablePrefix, visibilitySeconds, clients });
  const url = queues.default!;
  const retrying = { baseMs: 0, attemptsMax: 2, ...(!options.inRealTime && UNHURRIED) };
  const engine = aws({ tablePrefix, queues, clients, forget: "sweep", retrying });
  const clock = fakeClock();
  const channel = testChannel();
  const logged: [string, LogFields | undefined][] = [];
  let count = 0;

  /** A fresh instance of the functions: what a cold start gives. */
  const instance = (config: Partial<LambdaConfig> = {}): LambdaHandlers =>
    lambdaHandlers({
      engine: { ...engine, defaults: { ...engine.defaults, ...options.defaults } },
      channels: { test: channel },
      respond: (turn) => `heard ${turn.messages.length}: ${turn.text}`,
      log: (_level, event, fields) => void logged.push([event, fields]),
      ...(!options.inRealTime && { clock }),
      ...options.config,
      ...config,
    });

  async function poll(
    handlers: LambdaHandlers,
    { timeoutMs = 30_000, ignoresAnswer = false }: { timeoutMs?: number; ignoresAnswer?: boolean } = {},
  ): Promise<Polled> {
    const records = await receiveRecords();
    const startedAtMs = Date.now();
    const { batchItemFailures } = records.length
      ? await handlers.worker({ Records: records }, contextWith(timeoutMs))
      : { batchItemFailures: [] };
    const tookMs = Date.now() - startedAtMs;
    const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    for (const { messageId, receiptHandle } of records) {
      if (ignoresAnswer || !failed.includes(messageId))
        await queue.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: receiptHandle }));
    }
    return { records, failed, tookMs };
  }

  async function receiveRecords(): Promise<SqsRecord[]> {
    const { Messages = [] } = await queue.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ["All"],
      }),
    );
    return Messages.map((message) => recordOf(message, url));
  }

  return {
    clock,
    channel,
    held,
    asked,
    instance,
    poll,
    receiveRecords,
    /** What the next requests of the functions meet. */
    meet(meets: (request: AwsRequest) => Fate) {
      state.meets = meets;
    },
    told: (event: string) => logged.filter(([name]) => name === event).map(([, fields]) => fields),
    /** A customer writes, through the webhook function. Gives the status that the provider sees. */
    async write(handlers: LambdaHandlers, sender: string, text: string): Promise<number> {
      count += 1;
      const message = { providerId: `m${count}`, account: "a", address: "us", sender, replyTo: sender, text };
      const event = post("/webhooks/test", JSON.stringify([{ ...message, media: [] }]));
      return (await handlers.webhook(event, contextWith(10_000))).statusCode;
    },
    /** Time passes, and what is due then is in the queue. */
    async passes(ms: number) {
      await clock.advance(ms);
      await held.releaseDue(clock.nowMs());
    },
    send: (MessageBody: string) => queue.send(new SendMessageCommand({ QueueUrl: url, MessageBody })),
    conversationIn: (body: string) => (JSON.parse(body) as { conversation_id: string }).conversation_id,
    async api(handlers: LambdaHandlers, path: string, headers = {}): Promise<HttpResponse> {
      return handlers.api(get(path, headers), contextWith(10_000));
    },
    /** Waiting, hidden and delayed messages of the queue, or of its dead letters. */
    async inQueue(which: "queue" | "dead" = "queue"): Promise<number> {
      const QueueUrl = which === "dead" ? `${url}-dead` : url;
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
      const { Attributes = {} } = await queue.send(command);
      const kinds = ["", "NotVisible", "Delayed"] as const;
      return kinds.reduce((sum, kind) => sum + Number(Attributes[`ApproximateNumberOfMessages${kind}`]), 0);
    },
    async close() {
      clients.dynamodb.destroy();
      clients.sqs.destroy();
      queue.destroy();
      await proxy.close();
    },
  };
}

export type FunctionFixture = Awaited<ReturnType<typeof functionFixture>>;

export function recordOf({ MessageId, ReceiptHandle, Body, Attributes }: Message, url: string): SqsRecord {
  return {
    messageId: MessageId!,
    receiptHandle: ReceiptHandle!,
    body: Body!,
    eventSourceARN: `arn:aws:sqs:eu-west-1:000000000000:${url.split("/").at(-1)}`,
    attributes: { ...Attributes },
  };
}

const HOST = "a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com";

/** A request through an HTTP API with a stage called `prod`. */
export function httpEvent(method: string, path: string, headers: object = {}, body?: string): object {
  return {
    version: "2.0",
    rawPath: `/prod${path}`,
    rawQueryString: "",
    headers: { host: HOST, "x-forwarded-proto": "https", ...headers },
    requestContext: {
      stage: "prod",
      domainName: HOST,
      http: { method, path: `/prod${path}`, sourceIp: "127.0.0.1" },
    },
    ...(body !== undefined && { body: Buffer.from(body).toString("base64"), isBase64Encoded: true }),
  };
}

export const post = (path: string, body: string, headers = {}) => httpEvent("POST", path, headers, body);
export const get = (path: string, headers = {}) => httpEvent("GET", path, headers);
/** What the provider of such a request signs. */
export const signedUrl = (path: string) => `https://${HOST}/prod${path}`;
