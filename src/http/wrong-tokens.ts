import { RareWords } from "../runtime/rare-words.ts";
import type { Service } from "../runtime/service.ts";

const MINUTE_MS = 60_000;
/** Every wrong token of the last minute makes the answer to the next one wait this much longer. */
const STEP_MS = 100;
const WAIT_MS_MAX = 2_000;
/** Wrong tokens that wait for their answer at once: beyond them nobody's token is looked at. That is 25 guesses a second at most. */
const WAITING_MAX = 50;

/** Counts who tries tokens, tells of it, and takes the speed out of it. Whoever has the right one never waits. */
export class WrongTokens {
  readonly #service: Pick<Service, "clock" | "log">;
  readonly #told = new RareWords();
  #times: number[] = [];
  #waiting = 0;

  constructor(service: Pick<Service, "clock" | "log">) {
    this.#service = service;
  }

  get areTooMany(): boolean {
    return this.#waiting >= WAITING_MAX;
  }

  /** Resolves when the caller may hear that it was wrong. */
  async note(): Promise<void> {
    const { clock, log } = this.#service;
    const nowMs = clock.nowMs();
    const reason = "a wrong token";
    const failures = this.#told.note(reason, nowMs);
    if (failures !== undefined) log("warn", "api.refused", { reason, failures });
    const lately = this.#times.filter((atMs) => Math.abs(nowMs - atMs) < MINUTE_MS);
    // No more than decide about the wait.
    this.#times = [...lately, nowMs].slice(-(WAIT_MS_MAX / STEP_MS));
    if (lately.length === 0) return;
    this.#waiting += 1;
    await clock.sleep(Math.min(lately.length * STEP_MS, WAIT_MS_MAX));
    this.#waiting -= 1;
  }
}
