/** Work of one kind of which only so much is carried out at once. It takes a slot only while it runs. */
export class Slots {
  readonly #max: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** What `run` answers, or what `refused` does when there is no slot. */
  async use<T>(run: () => Promise<T>, refused: () => T): Promise<T> {
    if (this.#taken >= this.#max) return refused();
    this.#taken += 1;
    return this.#within(run);
  }

  /** What `run` answers, as soon as there is a slot. */
  async useNext<T>(run: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#max) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#within(run);
  }

  async #within<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#taken -= 1;
    }
  }
}

/** Places that one of several parties may take of those that all share. */
export class Share {
  readonly #whole: Slots;
  readonly #own: Slots;

  constructor(whole: Slots, max: number) {
    this.#whole = whole;
    this.#own = new Slots(max);
  }

  /** What `run` answers, or what `refused` does when its party, or all of them, have no place left. */
  use<T>(run: () => Promise<T>, refused: () => T): Promise<T> {
    return this.#own.use(() => this.#whole.use(run, refused), refused);
  }
}
