/** How long the same failure is only counted before it is logged again. */
const SILENT_MS = 60_000;
/** Reasons that are remembered. Beyond that the one logged longest ago is forgotten, and logged anew. */
const REASONS_MAX = 20;

/** Failures that repeat by the second: each reason is logged at once, then once a minute with a count. */
export class RepeatedFailures {
  readonly #told = new Map<string, { readonly atMs: number; failures: number }>();

  /** How many failures to log, this one included. Undefined: nothing is to be logged now. */
  note(reason: string, nowMs: number): number | undefined {
    const known = this.#told.get(reason);
    const failures = (known?.failures ?? 0) + 1;
    // A distance: a clock that was set back must not silence a reason.
    if (known && Math.abs(nowMs - known.atMs) < SILENT_MS) {
      known.failures = failures;
      return undefined;
    }
    this.#told.delete(reason);
    this.#told.set(reason, { atMs: nowMs, failures: 0 });
    const [oldest] = this.#told.keys();
    if (this.#told.size > REASONS_MAX && oldest !== undefined) this.#told.delete(oldest);
    return failures;
  }
}
