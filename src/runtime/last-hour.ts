const PART_MS = 300_000;
const PARTS = 12;

/** How many there were in the last hour, to five minutes: what is counted once is not told for ever. */
export class LastHour {
  readonly #nowMs: () => number;
  readonly #counts = new Map<number, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get value(): number {
    this.#forget();
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  add(amount: number): void {
    this.#forget();
    const part = this.#part();
    this.#counts.set(part, (this.#counts.get(part) ?? 0) + amount);
  }

  /** Either way: a clock that was set back leaves parts that are yet to come. */
  #forget(): void {
    const now = this.#part();
    for (const part of this.#counts.keys()) if (Math.abs(now - part) >= PARTS) this.#counts.delete(part);
  }

  #part(): number {
    return Math.floor(this.#nowMs() / PART_MS);
  }
}
