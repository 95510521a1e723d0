import {
  type ReceivedTrigger,
  type Trigger,
  type Triggers,
  triggerAtMs,
} from "../../../src/engines/aws/triggers.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Random } from "../../../src/testing/simulator/random.ts";

const VISIBILITY_MS = 10_000;
const POLL_MS = 200;
const WAIT_MS = 2_000;
const TWICE = 0.03;

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
    const copies = this.#random.chance(TWICE) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      this.#count += 1;
      this.#messages.push({ trigger, id: `message-${this.#count}`, visibleAtMs });
    }
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

/** The queue as one worker sees it. */
export class MemoryTriggers implements Triggers {
  readonly #queue: MemoryQueue;
  readonly #clock: Clock;
  readonly #delay: () => Promise<void>;

  constructor(queue: MemoryQueue, clock: Clock, delay: () => Promise<void>) {
    this.#queue = queue;
    this.#clock = clock;
    this.#delay = delay;
  }

  async send(trigger: Trigger, wakeAtMs: number, leastSeconds = 0): Promise<void> {
    await this.#delay();
    const nowMs = this.#clock.nowMs();
    const seconds = Math.max(leastSeconds, Math.ceil((triggerAtMs(wakeAtMs, nowMs) - nowMs) / 1_000));
    const { conversationId, primaryChannel, channel } = trigger;
    this.#queue.add({ conversationId, primaryChannel, channel }, nowMs + seconds * 1_000);
    await this.#delay();
  }

  async receive(max: number, signal: AbortSignal): Promise<ReceivedTrigger[]> {
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      await this.#delay();
      const taken = this.#queue.take(max, this.#clock.nowMs());
      if (taken.length > 0 || waitedMs >= WAIT_MS || signal.aborted) {
        await this.#delay();
        return taken;
      }
      await this.#clock.sleep(POLL_MS, signal);
    }
  }

  async done(received: readonly ReceivedTrigger[]): Promise<void> {
    await this.#delay();
    this.#queue.delete(new Set(received.map(({ receipt }) => receipt)));
  }

  async check(): Promise<void> {}
}
