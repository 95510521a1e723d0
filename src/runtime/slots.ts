/** Work of one kind of which only so much is carried out at once. It takes a slot only while it runs. */
export class Slots {
  readonly #max: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get free(): number {
    return this.#max - this.#taken;
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

/** So many of the places. */
export class Part {
  readonly #whole: Slots;
  readonly #own: Slots;

  constructor(whole: Slots, max: number) {
    this.#whole = whole;
    this.#own = new Slots(max);
  }

  /** What `run` answers, or what `refused` does when none of these, or of all, is left. */
  use<T>(run: () => Promise<T>, refused: () => T): Promise<T> {
    return this.#own.use(() => this.#whole.use(run, refused), refused);
  }
}

/**
 * Places of one of several parties, which may have as many as it leaves free for others: alone half of them,
 * of two a third each. However many parties hold on to theirs, another finds some.
 */
export class Share {
  readonly #whole: Slots;
  #taken = 0;

  constructor(whole: Slots) {
    this.#whole = whole;
  }

  async use<T>(run: () => Promise<T>, refused: () => T): Promise<T> {
    if (this.#taken >= this.#whole.free) return refused();
    this.#taken += 1;
    try {
      return await this.#whole.use(run, refused);
    } finally {
      this.#taken -= 1;
    }
  }
}
