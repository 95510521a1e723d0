import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { ConfigError, tellable } from "../../../errors.ts";
import type { Log } from "../../../model/log.ts";
import type { Clock } from "../../../ports/clock.ts";
import { failure } from "../../../wire/aws-failure.ts";
import { within } from "../../../wire/deadline.ts";
import { VERSION } from "../items/version.ts";
import { once, type Retrying, retrying } from "../retry.ts";

/** The longest that SQS delays a message. A trigger for a later time is looked at and sent again. */
const DELAY_MS_MAX = 900_000;
const RECEIVE_MAX = 10;
/**
 * How long a received trigger stays hidden: longer than it takes to lease its conversation, after which it is
 * deleted. If a worker is killed, the triggers that its open request receives are seen again after this time.
 */
const HIDDEN_SECONDS = 15;
/** How long a trigger waits here for a free place. After that it goes back: another worker may have one. */
const PLACE_MS_MAX = 1_000;
/** How long open requests may take when the worker stops. With many triggers they return at once. */
const CLOSE_MS_MAX = 1_000;

/** The queue of triggers whose channel is unknown, and of channels without one of their own. */
export const DEFAULT_QUEUE = "default";

/** A wake-up for a conversation: "look", nothing more. */
export interface Trigger {
  readonly conversationId: string;
  /** The first half of the conversation's key; empty from a queue, unless another system sent it. */
  readonly sender: string;
  /** The channel whose queue it goes through. */
  readonly channel: string;
}

export interface ReceivedTrigger extends Trigger {
  readonly queue: string;
  readonly receipt: string;
}

export interface TriggersOptions {
  readonly client: SQSClient;
  /** Queue URLs by channel name. */
  readonly queues: Readonly<Record<string, string>>;
  readonly waitSeconds: number;
  readonly retrying: Retrying;
  readonly clock: Clock;
  readonly log: Log;
}

/** The earliest time at which a trigger for that time can fire. */
export function triggerAtMs(wakeAtMs: number, nowMs: number): number {
  return Math.min(Math.max(wakeAtMs, nowMs), nowMs + DELAY_MS_MAX);
}

/** Whether a trigger that fires at that time may be on its way. */
export function comesInTime(atMs: number, nowMs: number): boolean {
  return atMs <= nowMs + DELAY_MS_MAX;
}

/** What the steps need of a queue: a wake-up for a time, which comes at least once. */
export interface Triggers {
  /** Durable when it resolves. `leastSeconds`: a worker that looks sooner finds it still held. */
  send(trigger: Trigger, wakeAtMs: number, leastSeconds?: number): Promise<void>;
  receive(max: number, signal: AbortSignal): Promise<ReceivedTrigger[]>;
  /** Finished: they need not come again. One that comes again all the same only causes one more look. */
  done(received: readonly ReceivedTrigger[]): Promise<void>;
  /** Throws if a queue does not exist or may not be used. */
  check(): Promise<void>;
}

/** The channel queues: triggers out with a delay, and in by long polling. */
export class QueueTriggers implements Triggers {
  readonly #options: TriggersOptions;
  #waiting: ReceivedTrigger[] = [];
  readonly #overdue = new Set<() => void>();
  readonly #polls = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  #error: unknown;

  constructor(options: TriggersOptions) {
    this.#options = options;
  }

  async send(trigger: Trigger, wakeAtMs: number, leastSeconds = 0): Promise<void> {
    const { client, clock, retrying: how } = this.#options;
    const nowMs = clock.nowMs();
    const atMs = triggerAtMs(wakeAtMs, nowMs);
    const command = {
      QueueUrl: this.#queueOf(trigger.channel),
      MessageBody: JSON.stringify({
        // A newer trigger causes a look as well: the rows say which version may act.
        v: VERSION,
        // No address: a message stays in the queue when its person is erased.
        conversation_id: trigger.conversationId,
        channel: trigger.channel,
        wake_at_ms: atMs,
      }),
      // SQS counts whole seconds, so round up: a window may close late, never early.
      DelaySeconds: Math.max(leastSeconds, Math.ceil((atMs - nowMs) / 1_000)),
    };
    try {
      await retrying((ending) => client.send(new SendMessageCommand(command), ending), how, clock);
    } catch (error) {
      throw failure(error, `queue of channel ${trigger.channel}`);
    }
  }

  /**
   * Waits for triggers on all queues at once. A queue's request goes on while another's triggers are handled,
   * and also when the caller stops waiting: aborting it could take a trigger out of the queue that no worker
   * would see until its visibility ends.
   */
  async receive(max: number, signal: AbortSignal): Promise<ReceivedTrigger[]> {
    if (signal.aborted) return [];
    if (this.#waiting.length === 0) {
      for (const queue of new Set(Object.values(this.#options.queues))) this.#poll(queue, max);
      await firstOf([...this.#polls.values()], signal);
    }
    if (signal.aborted) return [];
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined && this.#waiting.length === 0) throw error;
    return this.#waiting.splice(0, max);
  }

  #poll(queue: string, max: number): void {
    if (this.#polls.has(queue)) return;
    const { client, waitSeconds, retrying: how, clock } = this.#options;
    const stop = this.#closing.signal;
    // A poll that is never answered would keep its queue from being asked again.
    const msMax = waitSeconds * 1_000 + how.pollMarginMsMax;
    const command = new ReceiveMessageCommand({
      QueueUrl: queue,
      MaxNumberOfMessages: Math.min(max, RECEIVE_MAX),
      WaitTimeSeconds: waitSeconds,
      VisibilityTimeout: HIDDEN_SECONDS,
    });
    const poll = within(clock, msMax, (abortSignal) => client.send(command, { abortSignal }), stop)
      .then(({ Messages = [] }) => this.#keep(this.#readable(queue, Messages)))
      .catch((error) => {
        if (!stop.aborted) this.#error = failure(error, `queue ${queue}`);
      })
      .finally(() => this.#polls.delete(queue));
    this.#polls.set(queue, poll);
  }

  /** For the next caller. Triggers that find no free place soon go back to their queue. */
  #keep(received: readonly ReceivedTrigger[]): void {
    if (received.length === 0) return;
    this.#waiting.push(...received);
    const release = this.#options.clock.after(PLACE_MS_MAX, () => {
      this.#overdue.delete(release);
      void this.#passOn(received);
    });
    this.#overdue.add(release);
  }

  /**
   * Those that still wait are sent anew and then deleted. One that merely became visible again would be
   * counted as received once more, and soon be taken for poison.
   */
  async #passOn(received: readonly ReceivedTrigger[]): Promise<void> {
    const passed = received.filter((each) => this.#waiting.includes(each));
    this.#waiting = this.#waiting.filter((each) => !passed.includes(each));
    const nowMs = this.#options.clock.nowMs();
    const sent = await Promise.all(
      passed.map((each) => this.send(each, nowMs).then(() => [each], this.#kept)),
    );
    await this.done(sent.flat());
  }

  /** It becomes visible again by itself, only later. */
  readonly #kept = (error: unknown): ReceivedTrigger[] => {
    this.#options.log("warn", "trigger.not-passed-on", { reason: tellable(error) });
    return [];
  };

  /**
   * A trigger that cannot be read stays: the queue's redrive moves it to its dead letters, where an operator
   * finds it.
   */
  #readable(queue: string, messages: readonly Message[]): ReceivedTrigger[] {
    return messages.flatMap(({ Body, ReceiptHandle, MessageId }) => {
      const trigger = triggerFrom(Body);
      if (trigger && ReceiptHandle !== undefined) return [{ ...trigger, queue, receipt: ReceiptHandle }];
      this.#options.log("error", "trigger.unreadable", { id: MessageId });
      return [];
    });
  }

  async done(received: readonly ReceivedTrigger[]): Promise<void> {
    const { client, log, clock, retrying: how } = this.#options;
    for (const queue of new Set(received.map((each) => each.queue))) {
      const ofQueue = received.filter((each) => each.queue === queue);
      for (let from = 0; from < ofQueue.length; from += RECEIVE_MAX) {
        const Entries = ofQueue
          .slice(from, from + RECEIVE_MAX)
          .map(({ receipt }, at) => ({ Id: String(at), ReceiptHandle: receipt }));
        const command = new DeleteMessageBatchCommand({ QueueUrl: queue, Entries });
        await once((ending) => client.send(command, ending), how.requestMsMax, clock).catch((error) => {
          log("warn", "trigger.not-deleted", { reason: tellable(error) });
        });
      }
    }
  }

  async check(): Promise<void> {
    const { client, clock, queues, retrying: how } = this.#options;
    // All at once: a readiness check does not wait for each of them in turn.
    const looks = Object.entries(queues).map(async ([channel, QueueUrl]) => {
      const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] });
      await retrying((ending) => client.send(command, ending), how, clock).catch((error) => {
        throw failure(error, `queue of channel ${channel}`);
      });
    });
    await Promise.all(looks);
  }

  /** Received triggers that no caller took go back, also those that open requests still bring. */
  async close(): Promise<void> {
    const all = Promise.all(this.#polls.values());
    const over = new AbortController();
    await Promise.race([all, this.#options.clock.sleep(CLOSE_MS_MAX, over.signal)]);
    over.abort();
    this.#closing.abort();
    await all;
    for (const cancel of this.#overdue) cancel();
    await this.#passOn(this.#waiting);
  }

  /** The channel's own, the default one, or any: every worker may take every conversation. */
  #queueOf(channel: string): string {
    const queues = requireQueue(this.#options.queues);
    return queues[channel] ?? queues[DEFAULT_QUEUE] ?? Object.values(queues)[0]!;
  }
}

/** Without one no worker would ever be woken. */
export function requireQueue(queues: TriggersOptions["queues"]): TriggersOptions["queues"] {
  if (Object.keys(queues).length > 0) return queues;
  throw new ConfigError("no queue: give aws({ queues }) or set LULL_QUEUE_DEFAULT to a queue's URL");
}

/** Leaves no listener behind: the signal lives as long as its worker. */
async function firstOf(polls: readonly Promise<void>[], signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const aborted = () => resolve();
  signal.addEventListener("abort", aborted);
  await Promise.race([...polls, promise]);
  signal.removeEventListener("abort", aborted);
}

/** The body of a trigger, also as another system would write it. */
export function triggerFrom(body: string | undefined): Trigger | undefined {
  try {
    const { conversation_id, primary_channel, channel } = JSON.parse(body ?? "") as Record<string, unknown>;
    if (typeof conversation_id !== "string" || conversation_id === "") return undefined;
    return {
      conversationId: conversation_id,
      sender: typeof primary_channel === "string" ? primary_channel : "",
      channel: typeof channel === "string" ? channel : DEFAULT_QUEUE,
    };
  } catch {
    return undefined;
  }
}
