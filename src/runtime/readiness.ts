import type { Settings } from "../model/settings.ts";
import type { Clock } from "../ports/clock.ts";
import type { Engine } from "../ports/engine.ts";
import { answerWithin } from "../wire/deadline.ts";

/** What is asked, and how long: a webhook would wait no longer for its acknowledgement. */
export interface ReadinessContext {
  readonly clock: Clock;
  readonly settings: Pick<Settings, "receiveTimeoutMs">;
  engine(): Promise<Pick<Engine, "probe" | "ping">>;
}

interface Asked {
  readonly answer: Promise<void>;
  /** When the answer was there. */
  overAtMs?: number;
}

/** How long an answer counts. Readiness decides about a machine or a load balancer, not about one request. */
const ANSWER_MS = 1_000;

/**
 * Any caller may ask whether we are ready, as often as it likes. The store is asked by one of them at a time,
 * about once a second: otherwise a small request that proves nothing would cause several of ours.
 */
export class Readiness {
  readonly #context: ReadinessContext;
  #asked: Asked | undefined;

  constructor(context: ReadinessContext) {
    this.#context = context;
  }

  get(): Promise<void> {
    const last = this.#asked;
    if (last && this.#counts(last.overAtMs)) return last.answer;
    const asked: Asked = { answer: this.#ask() };
    this.#asked = asked;
    const over = () => {
      asked.overAtMs = this.#context.clock.nowMs();
    };
    asked.answer.then(over, over);
    return asked.answer;
  }

  /** Something changed: the next caller asks the store anew. */
  forget(): void {
    this.#asked = undefined;
  }

  /** By what costs the store least: callers who prove nothing cause it. */
  #ask(): Promise<void> {
    const { clock, settings } = this.#context;
    return answerWithin(clock, settings.receiveTimeoutMs, async () => {
      const engine = await this.#context.engine();
      await (engine.probe?.() ?? engine.ping());
    });
  }

  #counts(overAtMs: number | undefined): boolean {
    // A clock that was set back must not prolong an answer.
    return overAtMs === undefined || Math.abs(this.#context.clock.nowMs() - overAtMs) < ANSWER_MS;
  }
}
