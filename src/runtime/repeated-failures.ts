/** How long the same failure is only counted before it is told again. */
const SILENT_MS = 60_000;
/** Reasons that are remembered. Beyond it the one told longest ago is forgotten, and told again if it comes back. */
const REASONS_MAX = 20;

/** Failures that repeat by the second: each reason is told at once, and then once a minute with their number. */
export class RepeatedFailures {
  readonly #told = new Map<string, { readonly atMs: number; failures: number }>();

  /** How many failures to tell of, this one included. Undefined: nothing is to be told now. */
  note(reason: string, nowMs: number): number | undefined {
    const known = this.#told.get(reason);
    const failures = (known?.failures ?? 0) + 1;
    // Also after a clock that was set back.
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
