const MINUTE_MS = 60_000;

/**
 * How many refusals may be recorded of all senders together who prove nothing. A place is taken before the
 * store is asked, since many ask at once, and given back for what the store did not refuse.
 */
export class RecordPace {
  readonly #perMinuteMax: number;
  #left: number;
  #atMs: number | undefined;

  constructor(perMinuteMax: number) {
    this.#perMinuteMax = perMinuteMax;
    this.#left = perMinuteMax;
  }

  /** How many of the wanted records may be made now. */
  take(wanted: number, nowMs: number): number {
    // A clock that was set back takes nothing away.
    const passedMs = Math.max(0, nowMs - (this.#atMs ?? nowMs));
    this.#atMs = nowMs;
    this.release((passedMs / MINUTE_MS) * this.#perMinuteMax);
    const taken = Math.min(wanted, Math.floor(this.#left));
    this.#left -= taken;
    return taken;
  }

  release(places: number): void {
    this.#left = Math.min(this.#perMinuteMax, this.#left + places);
  }
}
