import {
  BODY_BYTES_PER_SECOND_MIN,
  BODY_PATIENCE_MS,
  OPEN_BODY_BYTES,
  SMALL_BODY_BYTES_MAX,
} from "../core/defaults.ts";
import type { Clock } from "../ports/clock.ts";

/** Why a body was given up: it came too slowly, or others needed the room that it held. */
export type GivenUp = "too-slow" | "crowded-out";

export interface IntakeOptions {
  /** What all bodies may hold together. */
  readonly bytesMax: number;
  /** How long one may take. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** How often bodies are looked at. */
const LOOK_MS = 1_000;

/**
 * The bodies that are being read, all of them together. Whoever sends one has proven nothing yet, so what they may hold has a limit. At the
 * limit a large one is given up, and for a small one the oldest: a provider's webhook is small, and whole within milliseconds; what has been
 * open for long is the attack.
 */
export class Intake {
  readonly #options: IntakeOptions;
  /** The oldest first. */
  readonly #open = new Set<Reading>();
  #held = 0;
  #isLooking = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** A body begins. `giveUp` is called once at most, and not after its end. */
  begin(giveUp: (why: GivenUp) => void): Reading {
    const reading = new Reading(this, giveUp);
    this.#open.add(reading);
    this.#held += OPEN_BODY_BYTES;
    if (this.#held > this.#options.bytesMax) this.#makeRoom();
    if (!this.#isLooking) this.#lookLater();
    return reading;
  }

  grew(reading: Reading, more: number): void {
    if (!this.#open.has(reading)) return;
    this.#held += more;
    if (this.#held <= this.#options.bytesMax) return;
    if (reading.bytes > SMALL_BODY_BYTES_MAX) this.#giveUp(reading, "crowded-out");
    else this.#makeRoom();
  }

  ended(reading: Reading): void {
    if (this.#open.delete(reading)) this.#held -= reading.held + OPEN_BODY_BYTES;
  }

  #makeRoom(): void {
    for (const reading of this.#open) {
      if (this.#held <= this.#options.bytesMax) return;
      this.#giveUp(reading, "crowded-out");
    }
  }

  #giveUp(reading: Reading, why: GivenUp): void {
    this.ended(reading);
    reading.giveUp(why);
  }

  /** One timer for all, and none for a body that is there at once. Looks are counted instead of times: clocks are set. */
  #lookLater(): void {
    const { clock, timeoutMs } = this.#options;
    const lookMs = Math.min(LOOK_MS, timeoutMs);
    this.#isLooking = true;
    clock.after(lookMs, () => {
      this.#isLooking = false;
      for (const reading of this.#open)
        if (reading.isTooSlow(lookMs, timeoutMs)) this.#giveUp(reading, "too-slow");
      if (this.#open.size > 0) this.#lookLater();
    });
  }
}

/** One body that is being read. */
export class Reading {
  readonly giveUp: (why: GivenUp) => void;
  readonly #intake: Intake;
  bytes = 0;
  held = 0;
  #openMs = 0;
  #slowMs = 0;
  #bytesThen = 0;

  constructor(intake: Intake, giveUp: (why: GivenUp) => void) {
    this.#intake = intake;
    this.giveUp = giveUp;
  }

  /** So much of it came, for which so much memory is held. */
  grew(bytes: number, held: number): void {
    const more = held - this.held;
    this.bytes = bytes;
    this.held = held;
    this.#intake.grew(this, more);
  }

  end(): void {
    this.#intake.ended(this);
  }

  /** Asked every `lookMs`: whether it is open for too long, or hardly anything came for a while. */
  isTooSlow(lookMs: number, timeoutMs: number): boolean {
    const isSlow = this.bytes - this.#bytesThen < (BODY_BYTES_PER_SECOND_MIN * lookMs) / 1_000;
    this.#slowMs = isSlow ? this.#slowMs + lookMs : 0;
    this.#openMs += lookMs;
    this.#bytesThen = this.bytes;
    // The first look may have come right after the beginning.
    return this.#openMs > timeoutMs || this.#slowMs > BODY_PATIENCE_MS;
  }
}
