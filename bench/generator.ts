import { monotonicMs, sleep } from "./clock.ts";
import { Connection } from "./connection.ts";
import { connectionOf, type LoadPlan, plannedBy } from "./load-plan.ts";

/** By message; 0 where it did not come to that. */
export interface Posted {
  /** When it was handed to its connection, which may have been busy with the one before. */
  readonly handedAtMs: number[];
  /** When it was first written. */
  readonly firstAtMs: number[];
  /** When the try began that was acknowledged. */
  readonly sentAtMs: number[];
  readonly ackedAtMs: number[];
  /** Tries that were answered with another status, or not at all. */
  readonly failedTries: number;
}

interface Lane {
  readonly connection: Connection;
  readonly waiting: number[];
  isBusy: boolean;
}

const RETRY_MS = 20;
const TICK_MS = 1;

/** Posts what the plan says. What is not acknowledged is posted again, as its provider would. */
export class Generator {
  readonly #plan: LoadPlan;
  readonly #requests: readonly Buffer[];
  readonly #lanes: readonly Lane[];
  readonly #posted: Posted & { failedTries: number };
  #handed = 0;
  #acked = 0;
  #wake: () => void = () => {};
  #afterEach: (message: number) => void = () => {};

  constructor(url: string, plan: LoadPlan, requests: readonly Buffer[]) {
    this.#plan = plan;
    this.#requests = requests;
    this.#lanes = Array.from({ length: plan.connections }, () => ({
      connection: new Connection(url),
      waiting: [],
      isBusy: false,
    }));
    const none = () => new Array<number>(plan.messages).fill(0);
    this.#posted = {
      handedAtMs: none(),
      firstAtMs: none(),
      sentAtMs: none(),
      ackedAtMs: none(),
      failedTries: 0,
    };
  }

  async run(): Promise<Posted> {
    const startedAtMs = monotonicMs();
    const endsAtMs = startedAtMs + (this.#plan.forMs ?? Number.POSITIVE_INFINITY);
    if (this.#plan.perSecond === undefined) this.#asFastAsAnswered(endsAtMs);
    else await this.#atPace(startedAtMs, endsAtMs);
    while (this.#acked < this.#handed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    for (const { connection } of this.#lanes) connection.close();
    return this.#posted;
  }

  /** Every connection takes its next message when the one before was answered. */
  #asFastAsAnswered(endsAtMs: number): void {
    const { messages, connections } = this.#plan;
    const next = (message: number) => {
      if (message < messages && monotonicMs() < endsAtMs) this.#hand(message);
    };
    this.#afterEach = (message) => next(message + connections);
    for (let lane = 0; lane < connections; lane += 1) next(lane);
  }

  async #atPace(startedAtMs: number, endsAtMs: number): Promise<void> {
    while (this.#handed < this.#plan.messages && monotonicMs() < endsAtMs) {
      const planned = plannedBy(monotonicMs() - startedAtMs, this.#plan);
      while (this.#handed < planned) this.#hand(this.#handed);
      await sleep(TICK_MS);
    }
  }

  #hand(message: number): void {
    this.#handed += 1;
    this.#posted.handedAtMs[message] = monotonicMs();
    const lane = this.#lanes[connectionOf(message, this.#plan)]!;
    if (lane.isBusy) lane.waiting.push(message);
    else this.#post(lane, message);
  }

  #post(lane: Lane, message: number): void {
    lane.isBusy = true;
    const nowMs = monotonicMs();
    this.#posted.sentAtMs[message] = nowMs;
    this.#posted.firstAtMs[message] ||= nowMs;
    lane.connection.post(this.#requests[message]!, (answer) => {
      if (answer?.status === 200) return this.#acknowledge(lane, message);
      this.#posted.failedTries += 1;
      setTimeout(() => this.#post(lane, message), RETRY_MS);
    });
  }

  #acknowledge(lane: Lane, message: number): void {
    this.#posted.ackedAtMs[message] = monotonicMs();
    this.#acked += 1;
    lane.isBusy = false;
    this.#afterEach(message);
    const next = lane.waiting.shift();
    if (next !== undefined) this.#post(lane, next);
    if (this.#acked === this.#handed) this.#wake();
  }
}
