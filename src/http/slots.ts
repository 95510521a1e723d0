/**
 * Requests of one kind that are being carried out. A request counts from when its body is there: a caller
 * that only announces a body, or sends it a byte at a time, takes no slot from another.
 */
export class Slots {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** What `run` answers, or what `refused` does when there is no slot. */
  async use<T>(run: () => Promise<T>, refused: () => T): Promise<T> {
    if (this.#taken >= this.#max) return refused();
    this.#taken += 1;
    try {
      return await run();
    } finally {
      this.#taken -= 1;
    }
  }
}
