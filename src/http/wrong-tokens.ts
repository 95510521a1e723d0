import type { Clock } from "../ports/clock.ts";
import type { Service } from "../runtime/service.ts";

const MINUTE_MS = 60_000;
/** Every wrong token of the last minute makes the answer to the next one wait this much longer. */
const STEP_MS = 100;
const WAIT_MS_MAX = 2_000;
/**
 * Wrong tokens that wait for their answer at once. More are turned away, since each waiting caller keeps a
 * connection and memory.
 */
const WAITING_MAX = 50;

/**
 * Counts and logs wrong tokens, and slows down guessing one after the other. It does not bound how many are
 * tried: being turned away says "wrong" as well, and a caller with the right token must get in whatever
 * other callers do. Against guessing, a token has its length.
 */
export class WrongTokens {
  readonly #clock: Clock;
  readonly #sampled: Service["sampled"];
  #times: number[] = [];
  #waiting = 0;

  constructor({ clock, sampled }: Pick<Service, "clock" | "sampled">) {
    this.#clock = clock;
    this.#sampled = sampled;
  }

  /** Resolves when the caller may hear that it was wrong, or at once when too many wait for that. */
  async note(reason: string): Promise<"wrong" | "too-many"> {
    const nowMs = this.#clock.nowMs();
    this.#sampled.note("warn", "api.refused", { reason });
    const lately = this.#times.filter((atMs) => Math.abs(nowMs - atMs) < MINUTE_MS);
    // Keeps only as many as the longest wait needs.
    this.#times = [...lately, nowMs].slice(-(WAIT_MS_MAX / STEP_MS));
    if (lately.length === 0) return "wrong";
    if (this.#waiting >= WAITING_MAX) return "too-many";
    this.#waiting += 1;
    try {
      await this.#clock.sleep(Math.min(lately.length * STEP_MS, WAIT_MS_MAX));
    } finally {
      this.#waiting -= 1;
    }
    return "wrong";
  }
}
