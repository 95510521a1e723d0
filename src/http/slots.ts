import type { EdgeAnswer } from "./edge.ts";

/**
 * Requests that are being carried out. One counts from when its body is there: whoever only announces one, or sends it a byte at a time,
 * takes nobody's place.
 */
export class Slots {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  async within(run: () => Promise<EdgeAnswer> | EdgeAnswer, full: () => EdgeAnswer): Promise<EdgeAnswer> {
    if (this.#taken >= this.#max) return full();
    this.#taken += 1;
    try {
      return await run();
    } finally {
      this.#taken -= 1;
    }
  }
}
