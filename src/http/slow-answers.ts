import type { Clock } from "../ports/clock.ts";
import { ANSWER_BYTES_PER_SECOND_MIN, ANSWER_PATIENCE_MS, ANSWERS_BYTES_MAX } from "./defaults.ts";

interface SlowAnswer {
  /** Whose callers these are: a tenant's, for one. */
  readonly party: string;
  /** What is not out yet. */
  readonly left: () => number;
  /** As it was when it was last looked at. */
  bytes: number;
  readonly drop: () => void;
  /** Counted in looks, not by the clock: clocks are set. */
  leftMs: number;
}

/** How often they are looked at. */
const LOOK_MS = 1_000;

/**
 * The answers that the network did not take at once: their callers read slowly, or not at all. What they hold
 * together has a limit, at which the oldest of those goes whose callers hold most: a caller that reads is
 * done within a moment, and one tenant's who do not read drop no answer of another's. Each also has its time.
 */
export class SlowAnswers {
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #open = new Set<SlowAnswer>();
  #held = 0;
  #isLooking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `drop` is called at most once, and never after the returned function was. */
  add(left: () => number, drop: () => void, party = ""): () => void {
    const bytes = left();
    const answer = {
      party,
      left,
      bytes,
      drop,
      leftMs: ANSWER_PATIENCE_MS + (bytes / ANSWER_BYTES_PER_SECOND_MIN) * 1_000,
    };
    this.#held += bytes;
    if (this.#held > ANSWERS_BYTES_MAX) this.#lookAgain();
    // Before the new one is added: the newest is not dropped for its own size.
    while (this.#held > ANSWERS_BYTES_MAX && this.#open.size > 0) this.#drop(this.#oldestOfMost(answer));
    this.#open.add(answer);
    if (!this.#isLooking) this.#lookLater();
    return () => void this.#end(answer);
  }

  /** The oldest of the party that holds most, with what is new. */
  #oldestOfMost({ party, bytes }: SlowAnswer): SlowAnswer {
    const held = new Map([[party, bytes]]);
    for (const each of this.#open) held.set(each.party, (held.get(each.party) ?? 0) + each.bytes);
    const oldest = new Map<string, SlowAnswer>();
    for (const each of this.#open) if (!oldest.has(each.party)) oldest.set(each.party, each);
    return [...oldest.values()].reduce((most, each) =>
      held.get(each.party)! > held.get(most.party)! ? each : most,
    );
  }

  /** An answer that is being read holds less by now than when it began. */
  #lookAgain(): void {
    for (const answer of this.#open) {
      const left = answer.left();
      this.#held -= answer.bytes - left;
      answer.bytes = left;
    }
  }

  #end(answer: SlowAnswer): boolean {
    const isOpen = this.#open.delete(answer);
    if (isOpen) this.#held -= answer.bytes;
    return isOpen;
  }

  #drop(answer: SlowAnswer): void {
    if (this.#end(answer)) answer.drop();
  }

  /** One timer for all, and none while every answer is taken at once. */
  #lookLater(): void {
    this.#isLooking = true;
    this.#clock.after(LOOK_MS, () => {
      this.#isLooking = false;
      for (const answer of this.#open) {
        answer.leftMs -= LOOK_MS;
        if (answer.leftMs <= 0) this.#drop(answer);
      }
      if (this.#open.size > 0) this.#lookLater();
    });
  }
}
