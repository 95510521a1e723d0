import type { Clock } from "../ports/clock.ts";

interface Asked {
  readonly answer: Promise<void>;
  /** When the answer was there. */
  overAtMs?: number;
}

/** How long an answer counts. Readiness decides about a machine or a load balancer, not about one request. */
const ANSWER_MS = 1_000;

/**
 * Any caller may ask whether we are ready, as often as it likes. The store is asked by one of them at a time,
 * about once a second: otherwise a stranger's small request would cause several of ours.
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

  /** Something changed: the next caller asks the store anew. */
  forget(): void {
    this.#asked = undefined;
  }

  #counts(overAtMs: number | undefined): boolean {
    // A clock that was set back must not prolong an answer.
    return overAtMs === undefined || Math.abs(this.#clock.nowMs() - overAtMs) < ANSWER_MS;
  }
}
