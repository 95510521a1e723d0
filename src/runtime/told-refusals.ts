import type { RefusalCode } from "../core/refusals.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

const MINUTE_MS = 60_000;
/** Reasons that are told apart within a minute. */
const REASONS_MAX = 20;
const OTHER_REASONS = "other reasons";

interface Told {
  readonly fields: { readonly channel: string; readonly code: RefusalCode; readonly reason: string };
  readonly atMs: number;
  more: number;
}

/**
 * Webhooks that were refused. Whoever is not let in must not fill the log: each reason is told at once, and then once a minute with how many
 * more there were. At level `debug` every one is, which is what metrics are counted from.
 */
export class ToldRefusals {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #told = new Map<string, Told>();
  #stopTimer: (() => void) | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  note(channel: string, code: RefusalCode, reason: string): void {
    const nowMs = this.#clock.nowMs();
    const known = this.#told.get(keyOf(channel, code, reason));
    if (known && isFresh(known, nowMs)) this.#count(known);
    else if (known || this.#hasRoom(nowMs) || reason === OTHER_REASONS)
      this.#tell(channel, code, reason, nowMs);
    else this.note(channel, code, OTHER_REASONS);
  }

  /** Tells how many there were that nobody heard of. */
  flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const { fields, more } of this.#told.values())
      if (more > 0) this.#log("warn", "webhook.refusals", { ...fields, more });
    this.#told.clear();
  }

  #tell(channel: string, code: RefusalCode, reason: string, atMs: number): void {
    const fields = { channel, code, reason };
    this.#told.set(keyOf(channel, code, reason), { fields, atMs, more: 0 });
    this.#log("warn", "webhook.refused", fields);
  }

  #count(known: Told): void {
    known.more += 1;
    this.#log("debug", "webhook.refused", known.fields);
    this.#stopTimer ??= this.#clock.after(MINUTE_MS, () => this.flush());
  }

  /** What was told longer ago than a minute, and did not happen again, may go. */
  #hasRoom(nowMs: number): boolean {
    if (this.#told.size < REASONS_MAX) return true;
    for (const [key, told] of this.#told) if (!isFresh(told, nowMs)) this.#told.delete(key);
    return this.#told.size < REASONS_MAX;
  }
}

function keyOf(channel: string, code: RefusalCode, reason: string): string {
  return `${channel} ${code} ${reason}`;
}

/** Also where the clock was set back. What is being counted is, until it is told. */
function isFresh({ atMs, more }: Told, nowMs: number): boolean {
  return more > 0 || Math.abs(nowMs - atMs) < MINUTE_MS;
}
