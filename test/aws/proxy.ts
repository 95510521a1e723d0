import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as open,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { HeldTriggers } from "./held-triggers.ts";

export interface AwsRequest {
  readonly service: "dynamodb" | "sqs";
  /** `PutItem`, `SendMessage`, ... */
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** An error as AWS words it. Nothing took effect. */
export interface Refusal {
  readonly error: string;
  readonly status?: number;
  /** What else the error carries, such as `CancellationReasons`. */
  readonly more?: Record<string, unknown>;
}

/** What becomes of a request. */
export type Fate =
  | "pass"
  /** It never gets there: the connection is cut. */
  | "reset"
  /** It took effect, and the connection is cut before the caller hears of it. */
  | "lose-answer"
  /** The same, with a 500 instead of a cut. */
  | "answer-500"
  /** It took effect, and no answer ever comes: the connection stands, and everything seems well. */
  | "keep-silent"
  /** It takes effect twice. */
  | "twice"
  /** A batch of which nothing was done yet, as when it is throttled. */
  | "unprocessed"
  /** From now on nothing gets through: the caller is dead, before or after this request took effect. */
  | "die-before"
  | "die-after"
  | Refusal
  /** Later: others may overtake it. */
  | { readonly delayMs: number };

export interface ProxyOptions {
  /** `n` counts the requests from 1, over both services. Whatever it waits for, the request waits for. */
  readonly onRequest?: (request: AwsRequest, n: number) => Fate | Promise<Fate>;
  /** It took effect, and the caller has not heard of it yet. */
  readonly onAnswered?: (request: AwsRequest, n: number) => void | Promise<void>;
  /** Takes the triggers instead of the queue. */
  readonly held?: HeldTriggers;
}

/**
 * Stands between an engine and the emulators, for both services: every request names the one that it is for.
 */
export interface AwsProxy {
  readonly url: string;
  close(): Promise<void>;
}

interface Passed {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Received {
  readonly request: AwsRequest;
  readonly n: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export async function startProxy(
  targets: { readonly dynamodb: string; readonly sqs: string },
  options: ProxyOptions = {},
): Promise<AwsProxy> {
  const agent = new Agent({ keepAlive: true });
  let count = 0;
  let isDead = false;

  const forward = async ({ request, headers, body }: Received): Promise<Passed> => {
    if (options.held && request.name === "SendMessage") return json(200, options.held.take(request.input));
    return send(targets[request.service], headers, body, agent);
  };

  const meet = async (received: Received): Promise<Passed | "cut" | "silence"> => {
    const { request, n } = received;
    const fate = (await options.onRequest?.(request, n)) ?? "pass";
    if (typeof fate === "object" && "error" in fate) return refusal(request, fate);
    if (typeof fate === "object") await systemClock.sleep(fate.delayMs);
    if (fate === "reset") return "cut";
    if (fate === "unprocessed") return json(200, unprocessed(request));
    isDead ||= fate === "die-before";
    if (isDead) return DEAD;
    const answer = await forward(received);
    await options.onAnswered?.(request, n);
    isDead ||= fate === "die-after";
    if (isDead) return DEAD;
    if (fate === "twice") return forward(received);
    const isLost = fate === "lose-answer" || fate === "answer-500";
    if (isLost && request.name === "ReceiveMessage") await putBack(targets.sqs, request, answer, agent);
    if (fate === "lose-answer") return "cut";
    if (fate === "keep-silent") return "silence";
    return fate === "answer-500" ? refusal(request, { error: "InternalServerError", status: 500 }) : answer;
  };

  const server = createServer((incoming, response) => {
    const answered = async () => {
      const body = await bodyOf(incoming);
      if (isDead) return reply(response, DEAD);
      count += 1;
      const received = { request: requestOf(incoming, body), n: count, headers: incoming.headers, body };
      return reply(response, await meet(received));
    };
    answered().catch(() => incoming.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/**
 * `x-amz-target` names the service and the operation: `DynamoDB_20120810.PutItem`, `AmazonSQS.SendMessage`.
 */
function requestOf({ headers }: IncomingMessage, body: Buffer): AwsRequest {
  const [api = "", name = ""] = String(headers["x-amz-target"]).split(".");
  const service = api === "AmazonSQS" ? "sqs" : "dynamodb";
  return { service, name, input: JSON.parse(body.toString()) };
}

/** As it came, so that its signature still holds. */
async function send(to: string, headers: IncomingHttpHeaders, body: Buffer, agent: Agent): Promise<Passed> {
  const outgoing = open(to, { method: "POST", headers, agent });
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 500, headers: answer.headers, body: await bodyOf(answer) };
}

function reply(response: ServerResponse, answer: Passed | "cut" | "silence"): void {
  if (answer === "silence") return;
  if (answer === "cut") response.socket?.destroy();
  else response.writeHead(answer.status, answer.headers).end(answer.body);
}

function json(status: number, value: unknown): Passed {
  const body = Buffer.from(JSON.stringify(value));
  const headers = { "content-type": "application/x-amz-json-1.0", "content-length": String(body.length) };
  return { status, headers, body };
}

/** An error that no client tries again. */
const DEAD = json(400, { __type: "ProcessDied", message: "made for a test" });

function refusal({ service }: AwsRequest, { error, status = 400, more = {} }: Refusal): Passed {
  const shape = service === "sqs" ? "com.amazonaws.sqs" : "com.amazonaws.dynamodb.v20120810";
  return json(status, { __type: `${shape}#${error}`, message: `${error} (made for a test)`, ...more });
}

function unprocessed({ name, input: { RequestItems } }: AwsRequest): object {
  return name === "BatchGetItem"
    ? { Responses: {}, UnprocessedKeys: RequestItems }
    : { UnprocessedItems: RequestItems };
}

/** What was received and never heard of is back in the queue when its visibility ends: here at once. */
async function putBack(to: string, { input }: AwsRequest, answer: Passed, agent: Agent): Promise<void> {
  const { Messages = [] } = JSON.parse(answer.body.toString()) as { Messages?: { ReceiptHandle: string }[] };
  for (const { ReceiptHandle } of Messages) {
    const { headers, body } = json(200, { QueueUrl: input.QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
    await send(to, { ...headers, "x-amz-target": "AmazonSQS.ChangeMessageVisibility" }, body, agent);
  }
}
