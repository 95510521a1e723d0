import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { ConfigError } from "../../errors.ts";
import { SECONDS_MAX } from "../../model/limits.ts";
import type { Reply } from "../../model/reply.ts";
import type { Responder, Turn } from "../../ports/responder.ts";
import { AWS_DEADLINES } from "../../wire/deadline.ts";
import { regionIn } from "../../wire/queue-url.ts";
import { check } from "./check.ts";
import { failure, tooLarge } from "./failure.ts";
import { bodyOf } from "./payload.ts";
import { deduplicationId, groupId } from "./unique.ts";

export interface QueueOptions {
  /**
   * The target, as SQS names it: `https://sqs.eu-west-1.amazonaws.com/111122223333/ai`. Never a queue that
   * wakes Lull.
   */
  readonly url: string;
  /** Its consumer answers through the API, within this time. Left out: there is no reply. */
  readonly answerWithinSeconds?: number;
  /** How much of the history goes along; none where left out. */
  readonly historyMessagesMax?: number;
  /** Default: the one in the URL, then what the SDK finds. */
  readonly region?: string;
  /** Only for emulators. Default: `AWS_ENDPOINT_URL_SQS`, `AWS_ENDPOINT_URL`. */
  readonly endpoint?: string;
  /** A client of your own making: traced, proxied, with other credentials. */
  readonly client?: SQSClient;
}

/** What SQS takes: everything in a message counts. */
const BYTES_MAX = 1_048_576;

/**
 * Hands the turn to a consumer behind an SQS queue. A crash between the hand-over and the commit hands it
 * over again, under the same `turn.id`; consumers have to expect that.
 */
export function queue(options: QueueOptions): Responder {
  const checked = { ...options, url: urlOf(options.url), ...within(options.answerWithinSeconds) };
  let client = options.client;
  const opened = () => (client ??= clientFor(checked));
  return Object.assign((turn: Turn) => handOver(opened(), checked, turn), {
    handsTo: checked.url,
    readsHistory: (options.historyMessagesMax ?? 0) > 0,
    check: (signal: AbortSignal) => check(opened(), checked.url, signal),
  });
}

function urlOf(url: string): string {
  const parsed = URL.parse(url);
  const isQueue =
    parsed !== null && /^https?:$/.test(parsed.protocol) && /^\/[^/]+\/[^/]+/.test(parsed.pathname);
  if (isQueue) return url;
  throw new ConfigError(
    "queue: url must be a queue's URL: https://sqs.<region>.amazonaws.com/<account>/<name>",
  );
}

function within(seconds: number | undefined): Pick<QueueOptions, "answerWithinSeconds"> {
  if (seconds === undefined) return {};
  if (typeof seconds === "number" && seconds > 0 && seconds <= SECONDS_MAX)
    return { answerWithinSeconds: seconds };
  throw new ConfigError(
    `queue: answerWithinSeconds must be more than 0 and ${SECONDS_MAX} at most, not ${seconds}`,
  );
}

function clientFor({ url, region = regionIn(url), endpoint: given }: QueueOptions): SQSClient {
  const endpoint = given ?? process.env.AWS_ENDPOINT_URL_SQS ?? process.env.AWS_ENDPOINT_URL;
  return new SQSClient({
    ...(region !== undefined && { region }),
    // An emulator's queue URLs may name a host that only it knows.
    ...(endpoint !== undefined && { endpoint, useQueueUrlAsEndpoint: false }),
    // The turn's own deadline ends everything; these end a silent endpoint much sooner.
    requestHandler: {
      connectionTimeout: AWS_DEADLINES.connectMsMax,
      requestTimeout: AWS_DEADLINES.requestMsMax,
      throwOnRequestTimeout: true,
    },
  });
}

async function handOver(client: SQSClient, options: QueueOptions, turn: Turn): Promise<Reply> {
  const { url, answerWithinSeconds, historyMessagesMax = 0 } = options;
  const history = historyMessagesMax === 0 ? [] : await turn.history(historyMessagesMax);
  const MessageBody = bodyOf(turn, { url, history, answerWithinSeconds });
  const bytes = Buffer.byteLength(MessageBody);
  if (bytes > BYTES_MAX) throw tooLarge(bytes, BYTES_MAX, history.length);
  const command = new SendMessageCommand({ QueueUrl: url, MessageBody, ...inOrder(url, turn) });
  try {
    await client.send(command, { abortSignal: turn.signal });
  } catch (error) {
    // An abort is not the queue's fault: the caller that aborted gets its own reason back.
    turn.signal.throwIfAborted();
    throw failure(error);
  }
  return answerWithinSeconds === undefined ? { queued: true } : { laterSeconds: answerWithinSeconds };
}

/** A FIFO queue keeps each conversation in order, and drops what it was given twice within five minutes. */
function inOrder(url: string, turn: Turn) {
  if (!new URL(url).pathname.endsWith(".fifo")) return {};
  return { MessageGroupId: groupId(turn), MessageDeduplicationId: deduplicationId(turn) };
}
