import type { Log, LogFields, LogLevel } from "../model/log.ts";
import type { Clock } from "../ports/clock.ts";

const MINUTE_MS = 60_000;
/** Reasons of one event that are logged apart within a minute. */
const REASONS_MAX = 20;
const OTHER_REASONS = "other reasons";

/**
 * Events that a caller may cause without limit, or that every turn repeats while a failure lasts; each with
 * the event that reports how many more there were.
 */
export const SUMS = {
  "webhook.refused": ["warn", "webhook.refusals"],
  "message.refused": ["info", "message.refusals"],
  "webhook.failed": ["error", "webhook.failures"],
  "http.error": ["error", "http.errors"],
  "api.refused": ["warn", "api.refusals"],
  "config.failed": ["error", "config.failures"],
  "credentials.refused": ["error", "credentials.refusals"],
  "store.retry": ["warn", "store.retries"],
} as const;

export type SampledEvent = keyof typeof SUMS;

interface LoggedReason {
  readonly event: SampledEvent;
  readonly apart: LogFields;
  readonly atMs: number;
  more: number;
}

/**
 * A log for what callers cause who prove nothing. One that is refused must not fill the log: each reason is
 * logged at once, and then once a minute with how many more there were. At level `debug` every one is logged,
 * because metrics are counted from that.
 */
export class SampledLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #logged = new Map<string, LoggedReason>();
  #stopTimer: (() => void) | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /**
   * `apart` distinguishes entries of one event; `about` is logged with each line and is not part of a sum.
   */
  note(level: LogLevel, event: SampledEvent, apart: LogFields, about: LogFields = {}): void {
    const nowMs = this.#clock.nowMs();
    const known = this.#logged.get(keyOf(event, apart));
    if (known && isFresh(known, nowMs)) this.#count(known, about);
    else if (known || this.#hasRoom(event, nowMs) || apart.reason === OTHER_REASONS) {
      this.#logged.set(keyOf(event, apart), { event, apart, atMs: nowMs, more: 0 });
      this.#log(level, event, { ...apart, ...about });
    } else this.note(level, event, { ...apart, reason: OTHER_REASONS }, about);
  }

  /** Logs how many there were that were only counted. */
  flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const { event, apart, more } of this.#logged.values()) {
      const [level, sum] = SUMS[event];
      if (more > 0) this.#log(level, sum, { ...apart, more });
    }
    this.#logged.clear();
  }

  #count(known: LoggedReason, about: LogFields): void {
    known.more += 1;
    this.#log("debug", known.event, { ...known.apart, ...about });
    this.#stopTimer ??= this.#clock.after(MINUTE_MS, () => this.flush());
  }

  /** An entry older than a minute that did not happen again may go. Each event has room of its own. */
  #hasRoom(event: SampledEvent, nowMs: number): boolean {
    const ofEvent = [...this.#logged].filter(([, logged]) => logged.event === event);
    if (ofEvent.length < REASONS_MAX) return true;
    const past = ofEvent.filter(([, logged]) => !isFresh(logged, nowMs));
    for (const [key] of past) this.#logged.delete(key);
    return ofEvent.length - past.length < REASONS_MAX;
  }
}

function keyOf(event: SampledEvent, apart: LogFields): string {
  return JSON.stringify([event, apart]);
}

/**
 * A clock that was set back keeps no entry fresh, hence the distance. An entry that is being counted stays
 * fresh until it is logged.
 */
function isFresh({ atMs, more }: LoggedReason, nowMs: number): boolean {
  return more > 0 || Math.abs(nowMs - atMs) < MINUTE_MS;
}
