import { createHash } from "node:crypto";
import { SendMessageCommand, type SendMessageCommandInput, type SQSClient } from "@aws-sdk/client-sqs";
import type { Random } from "../../src/testing/simulator/random.ts";

interface Held {
  wakeAtMs: number;
  readonly conversationId: string;
  readonly input: SendMessageCommandInput;
}

/** What a queue may do to a trigger: each with its probability, drawn by lot. */
export interface Mischief {
  readonly random: Random;
  /** It comes twice. */
  readonly twice: number;
  /** It comes next time. */
  readonly late: number;
  /** One that came long ago comes again. */
  readonly again: number;
}

/**
 * Delays by the test's clock instead of the machine's: what is sent waits here, behind the proxy, and goes to
 * the real queue, without a delay, when its time has come. SQS itself counts whole seconds of real time.
 */
export class HeldTriggers {
  readonly #queue: SQSClient;
  #held: Held[] = [];
  readonly #gone: Held[] = [];
  #count = 0;
  /** None by default: in the order of their times, once each. */
  mischief: Mischief | undefined;
  /** How often it happened. */
  readonly met = { twice: 0, late: 0, again: 0 };

  constructor(queue: SQSClient) {
    this.#queue = queue;
  }

  /** Gives what the queue would answer. */
  take(request: Record<string, unknown>): { MessageId: string; MD5OfMessageBody: string } {
    const input = request as unknown as SendMessageCommandInput;
    const body = input.MessageBody ?? "";
    const { wake_at_ms: wakeAtMs, conversation_id: conversationId } = JSON.parse(body);
    this.#held.push({ wakeAtMs, conversationId, input: { ...input, DelaySeconds: 0 } });
    this.#count += 1;
    return {
      MessageId: `held-${this.#count}`,
      MD5OfMessageBody: createHash("md5").update(body).digest("hex"),
    };
  }

  /** Of every trigger that was ever sent: a queue may bring each of them again. */
  bodies(): (string | undefined)[] {
    return [...this.#held, ...this.#gone].map(({ input }) => input.MessageBody);
  }

  get waiting(): readonly Held[] {
    return this.#held;
  }

  /** Sends what is due: earliest first, or as the mischief has it. */
  async releaseDue(nowMs: number): Promise<void> {
    const due = this.#held.filter(({ wakeAtMs }) => wakeAtMs <= nowMs);
    this.#held = this.#held.filter(({ wakeAtMs }) => wakeAtMs > nowMs);
    const released = this.mischief
      ? this.#shuffled(due, this.mischief)
      : due.sort((a, b) => a.wakeAtMs - b.wakeAtMs);
    for (const { input } of released) await this.#queue.send(new SendMessageCommand(input));
    this.#gone.push(...due);
  }

  #shuffled(due: readonly Held[], { random, twice, late, again }: Mischief): Held[] {
    const meets = (what: keyof typeof this.met, probability: number) => {
      const isMet = random.chance(probability);
      if (isMet) this.met[what] += 1;
      return isMet;
    };
    const isLate = new Set(due.filter(() => meets("late", late)));
    this.#held.push(...isLate);
    const released = due
      .filter((each) => !isLate.has(each))
      .flatMap((each) => (meets("twice", twice) ? [each, each] : each));
    if (this.#gone.length > 0 && meets("again", again)) released.push(random.pick(this.#gone));
    return released
      .map((each) => [random.next(), each] as const)
      .sort(([a], [b]) => a - b)
      .map(([, each]) => each);
  }

  /** The machine's clock was set back: the queue counts its seconds all the same. */
  setBack(ms: number): void {
    for (const held of this.#held) held.wakeAtMs -= ms;
  }

  dropAll(): void {
    this.#held = [];
  }

  /** Loses every trigger of a conversation. */
  drop(conversationId: string): void {
    this.#held = this.#held.filter((held) => held.conversationId !== conversationId);
  }
}
