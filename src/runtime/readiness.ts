import type { Clock } from "../ports/clock.ts";

interface Asked {
  readonly answer: Promise<void>;
  /** When the answer was there. */
  overAtMs?: number;
}

/** How long an answer counts. Whoever asks decides about a machine or a load balancer, not about a request. */
const ANSWER_MS = 1_000;

/**
 * Anybody may ask whether we are ready, as often as they like. The store is asked by one of them at a time, and about once a second: it
 * would otherwise be a lever, a small request of a stranger that moves several of ours.
 */
export class Readiness {
  readonly #clock: Clock;
  readonly #ask: () => Promise<void>;
  #asked: Asked | undefined;

  constructor(clock: Clock, ask: () => Promise<void>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  get(): Promise<void> {
    const last = this.#asked;
    if (last && this.#counts(last.overAtMs)) return last.answer;
    const asked: Asked = { answer: this.#ask() };
    this.#asked = asked;
    const over = () => {
      asked.overAtMs = this.#clock.nowMs();
    };
    asked.answer.then(over, over);
    return asked.answer;
  }

  /** Something changed: the next one asks anew. */
  forget(): void {
    this.#asked = undefined;
  }

  #counts(overAtMs: number | undefined): boolean {
    // A clock that was set back makes no answer last.
    return overAtMs === undefined || Math.abs(this.#clock.nowMs() - overAtMs) < ANSWER_MS;
  }
}
