import {
  type ReceivedTrigger,
  type Trigger,
  type Triggers,
  triggerAtMs,
} from "../../../src/engines/aws/queue/triggers.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { RequestName } from "../../../src/testing/simulator/plan.ts";
import type { Random } from "../../../src/testing/simulator/random.ts";

const VISIBILITY_MS = 10_000;
const POLL_MS = 200;
const WAIT_MS = 2_000;
const TWICE = 0.03;
const LATE = 0.05;
const LATE_MS = 3_000;
/** A copy may come long after the first was handled. */
const COPY_LATE_MS = 15_000;

interface Message {
  readonly trigger: Trigger;
  readonly id: string;
  visibleAtMs: number;
}

/** A standard queue: at least once, in no order, hidden for a while when received. */
export class MemoryQueue {
  readonly #random: Random;
  #messages: Message[] = [];
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  add(trigger: Trigger, visibleAtMs: number): void {
    const lateMs = this.#random.chance(LATE) ? this.#random.below(LATE_MS) : 0;
    this.#push(trigger, visibleAtMs + lateMs);
    if (this.#random.chance(TWICE)) this.#push(trigger, visibleAtMs + this.#random.below(COPY_LATE_MS));
  }

  #push(trigger: Trigger, visibleAtMs: number): void {
    this.#count += 1;
    this.#messages.push({
      trigger: { ...trigger, sender: "" },
      id: `message-${this.#count}`,
      visibleAtMs,
    });
  }

  take(max: number, nowMs: number): ReceivedTrigger[] {
    const visible = this.#messages.filter(({ visibleAtMs }) => visibleAtMs <= nowMs);
    const taken: ReceivedTrigger[] = [];
    while (taken.length < max && visible.length > 0) {
      const [message] = visible.splice(this.#random.below(visible.length), 1);
      message!.visibleAtMs = nowMs + VISIBILITY_MS;
      taken.push({ ...message!.trigger, queue: "memory", receipt: message!.id });
    }
    return taken;
  }

  delete(ids: ReadonlySet<string>): void {
    this.#messages = this.#messages.filter(({ id }) => !ids.has(id));
  }
}

export interface Way {
  /** A request on its way there, and back. */
  readonly delay: () => Promise<void>;
  /** The faults that the run has for a request. */
  readonly meets: <T>(name: RequestName, happen: () => Promise<T>) => Promise<T>;
}

/** The queue as one worker sees it. A worker's clock may be wrong; the queue's own is not. */
export class MemoryTriggers implements Triggers {
  readonly #queue: MemoryQueue;
  readonly #clock: Clock;
  readonly #queueNowMs: () => number;
  readonly #way: Way;

  constructor(queue: MemoryQueue, clock: Clock, queueNowMs: () => number, way: Way) {
    this.#queue = queue;
    this.#clock = clock;
    this.#queueNowMs = queueNowMs;
    this.#way = way;
  }

  send(trigger: Trigger, wakeAtMs: number, leastSeconds = 0): Promise<void> {
    return this.#request("trigger.send", async () => {
      const nowMs = this.#clock.nowMs();
      const seconds = Math.max(leastSeconds, Math.ceil((triggerAtMs(wakeAtMs, nowMs) - nowMs) / 1_000));
      const { conversationId, sender, channel } = trigger;
      this.#queue.add({ conversationId, sender, channel }, this.#queueNowMs() + seconds * 1_000);
    });
  }

  receive(max: number, signal: AbortSignal): Promise<ReceivedTrigger[]> {
    return this.#request("trigger.receive", async () => {
      for (let waitedMs = 0; ; waitedMs += POLL_MS) {
        const taken = this.#queue.take(max, this.#queueNowMs());
        if (taken.length > 0 || waitedMs >= WAIT_MS || signal.aborted) return taken;
        await this.#clock.sleep(POLL_MS, signal);
      }
    });
  }

  done(received: readonly ReceivedTrigger[]): Promise<void> {
    return this.#request("trigger.done", async () =>
      this.#queue.delete(new Set(received.map(({ receipt }) => receipt))),
    );
  }

  async check(): Promise<void> {}

  async #request<T>(name: RequestName, happen: () => Promise<T>): Promise<T> {
    await this.#way.delay();
    const result = await this.#way.meets(name, happen);
    await this.#way.delay();
    return result;
  }
}
