import { SMALL_BODY_BYTES_MAX } from "../core/defaults.ts";
import type { Clock } from "../ports/clock.ts";
import { BODY_BYTES_PER_SECOND_MIN, BODY_PATIENCE_MS, OPEN_BODY_BYTES } from "./defaults.ts";

/** Why a body was given up: it came too slowly, or others needed the room that it held. */
export type GivenUp = "too-slow" | "crowded-out";

export interface IntakeOptions {
  /** What all bodies may hold together. */
  readonly bytesMax: number;
  /**
   * Set where several parties share it: each may hold as much as it leaves free for others, and so much in
   * any case.
   */
  readonly bytesMin?: number;
  /** How long one may take. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** How often bodies are looked at. */
const LOOK_MS = 1_000;

/** What the callers of one tenant hold. */
class Party {
  /** Their bodies that are not whole, the oldest first. */
  readonly open = new Set<Reading>();
  held = 0;
}

/**
 * All bodies that are held, together. Their senders have proven nothing yet, so what they may hold is
 * limited. At the limit a large body is given up, and for a small one the oldest: a provider's webhook is
 * small and whole within milliseconds, while a body that has been open for long is the attack. A whole body
 * counts until its request is over, since proof takes time too, but it is no longer given up.
 */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #parties = new Map<string, Party>();
  #held = 0;
  #isLooking = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Holds a place for a body while `run` reads it and does what it is for. */
  async during<T>(run: (reading: Reading) => Promise<T>, party?: string): Promise<T> {
    const reading = new Reading(this, party);
    try {
      return await run(reading);
    } finally {
      reading.end();
    }
  }

  /** A body begins. At the limit, the oldest open bodies make room for it. */
  begin(reading: Reading): void {
    const party = this.#partyOf(reading);
    party.open.add(reading);
    this.#hold(party, OPEN_BODY_BYTES);
    if (this.#isFull(party)) this.#makeRoom(party);
    if (!this.#isLooking) this.#lookLater();
  }

  grew(reading: Reading, more: number): void {
    const party = this.#partyOf(reading);
    if (!party.open.has(reading)) return;
    this.#hold(party, more);
    if (!this.#isFull(party)) return;
    if (reading.bytes > SMALL_BODY_BYTES_MAX) this.#giveUp(reading, "crowded-out");
    else this.#makeRoom(party);
  }

  /**
   * What an open body costs besides its bytes is no longer counted: connections have a limit of their own.
   */
  whole(reading: Reading): boolean {
    const party = this.#partyOf(reading);
    if (!party.open.delete(reading)) return false;
    this.#hold(party, -OPEN_BODY_BYTES);
    return true;
  }

  ended(reading: Reading): void {
    const party = this.#partyOf(reading);
    if (party.open.delete(reading)) this.#hold(party, -OPEN_BODY_BYTES - reading.held);
    else if (reading.isWhole) this.#hold(party, -reading.held);
  }

  #partyOf({ party }: Reading): Party {
    const known = this.#parties.get(party) ?? new Party();
    this.#parties.set(party, known);
    return known;
  }

  #hold(party: Party, more: number): void {
    party.held += more;
    this.#held += more;
  }

  /** Whether there is no room for this party, though there may be for another. */
  #isFull(party: Party): boolean {
    const { bytesMax, bytesMin = bytesMax } = this.#options;
    return this.#held > bytesMax || party.held > Math.max(bytesMin, bytesMax - this.#held);
  }

  /** The party that holds most gives bodies up first, whichever that is. */
  #makeRoom(party: Party): void {
    const largest = [...this.#parties.values()].sort((one, other) => other.held - one.held);
    for (const each of largest)
      for (const reading of each.open) {
        if (!this.#isFull(party)) return;
        this.#giveUp(reading, "crowded-out");
      }
  }

  #giveUp(reading: Reading, why: GivenUp): void {
    this.ended(reading);
    reading.giveUp(why);
  }

  #open(): Reading[] {
    return [...this.#parties.values()].flatMap(({ open }) => [...open]);
  }

  /**
   * One timer for all, and none for a body that is there at once. Counts looks instead of times, because
   * clocks are set.
   */
  #lookLater(): void {
    const { clock, timeoutMs } = this.#options;
    const lookMs = Math.min(LOOK_MS, timeoutMs);
    this.#isLooking = true;
    clock.after(lookMs, () => {
      this.#isLooking = false;
      for (const reading of this.#open())
        if (reading.isTooSlow(lookMs, timeoutMs)) this.#giveUp(reading, "too-slow");
      if (this.#open().length > 0) this.#lookLater();
    });
  }
}

/** A place for one body, from its first byte to the end of its request. */
export class Reading {
  readonly #intake: Intake;
  /** Whose caller sends it. */
  readonly party: string;
  #onGivenUp: (why: GivenUp) => void = () => {};
  givenUp: GivenUp | undefined;
  isWhole = false;
  bytes = 0;
  held = 0;
  #openMs = 0;
  #slowMs = 0;
  #bytesThen = 0;

  constructor(intake: Intake, party = "") {
    this.#intake = intake;
    this.party = party;
  }

  /**
   * The body comes from now on. `onGivenUp` is called at most once, and not after the body is whole. Not
   * called for a body that is there anyway.
   */
  begin(onGivenUp: (why: GivenUp) => void): void {
    this.#onGivenUp = onGivenUp;
    this.#intake.begin(this);
  }

  /** So many bytes came, for which so much memory is held. */
  grew(bytes: number, held: number): void {
    const more = held - this.held;
    this.bytes = bytes;
    this.held = held;
    this.#intake.grew(this, more);
  }

  /** All of it is there. */
  whole(): void {
    this.isWhole = this.#intake.whole(this);
  }

  giveUp(why: GivenUp): void {
    this.givenUp = why;
    this.#onGivenUp(why);
  }

  /** The request is over, and its body no longer held. */
  end(): void {
    this.#intake.ended(this);
    this.isWhole = false;
  }

  /**
   * Asked every `lookMs`: whether the body has been open for too long, or hardly anything came for a while.
   */
  isTooSlow(lookMs: number, timeoutMs: number): boolean {
    const isSlow = this.bytes - this.#bytesThen < (BODY_BYTES_PER_SECOND_MIN * lookMs) / 1_000;
    this.#slowMs = isSlow ? this.#slowMs + lookMs : 0;
    this.#openMs += lookMs;
    this.#bytesThen = this.bytes;
    // The first look may have come right after the beginning.
    return this.#openMs > timeoutMs || this.#slowMs > BODY_PATIENCE_MS;
  }
}
