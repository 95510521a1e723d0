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

  /** False when there is none. */
  take(): boolean {
    if (this.#taken >= this.#max) return false;
    this.#taken += 1;
    return true;
  }

  giveBack(): void {
    this.#taken -= 1;
  }
}
