import { withoutTry } from "../core/reason.ts";
import type { Log, LogFields } from "../model/log.ts";
import type { Clock } from "../ports/clock.ts";

const MINUTE_MS = 60_000;
/** Reasons that are told apart within a minute. */
const REASONS_MAX = 20;
const OTHER_REASONS = "other reasons";
/** Conversations that are counted as waiting. */
const WAITING_MAX = 10_000;

/** A turn that failed and is tried again: what its line says. */
export interface Retry extends LogFields {
  readonly conversation: string;
  readonly turn: string;
  readonly attempt: number;
  readonly reason: string | undefined;
  readonly afterMs: number;
  readonly outageSinceAtMs: number | undefined;
}

/** Why turns fail at present, and whose. */
interface Failing {
  readonly reason: string;
  sinceAtMs: number;
  retries: number;
  /** Those of `retries` that no line has told yet. */
  more: number;
  /** Until when each conversation should have been tried again. */
  readonly waiting: Map<string, number>;
}

/**
 * The log of turns that are tried again. While an AI or a provider is away every turn fails, again and again:
 * each reason is logged at once, then once a minute with how many more there were, since when and how many
 * conversations wait, and once when none waits any more. At level `debug` every one is logged, because
 * metrics are counted from that.
 */
export class RetryLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #failing = new Map<string, Failing>();
  readonly #byConversation = new Map<string, { readonly failing: Failing; readonly turn: string }>();
  #begun: number[] = [];
  #stopTimer: (() => void) | undefined;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  note(retry: Retry): void {
    const nowMs = this.#clock.nowMs();
    const { failing, isNew } = this.#failingFor(retry, nowMs);
    const before = this.#byConversation.get(retry.conversation);
    if (before && before.failing !== failing) this.#end(before.failing, retry.conversation);
    this.#await(failing, retry, nowMs);
    failing.retries += 1;
    failing.sinceAtMs = Math.min(failing.sinceAtMs, retry.outageSinceAtMs ?? nowMs);
    if (isNew) this.#log("warn", "turn.retry", retry);
    else {
      failing.more += 1;
      this.#log("debug", "turn.retry", retry);
    }
    this.#stopTimer ??= this.#clock.after(MINUTE_MS, () => this.#tellMinute());
  }

  /** It ended, or is another worker's. What a person or a notice said meanwhile is another turn. */
  ended({ conversation, turn }: Pick<Retry, "conversation" | "turn">): void {
    const waiting = this.#byConversation.get(conversation);
    if (waiting?.turn === turn) this.#end(waiting.failing, conversation);
  }

  #end(failing: Failing, conversation: string): void {
    this.#forget(failing, conversation);
    if (failing.waiting.size === 0) this.#over(failing);
  }

  /** Logs what was only counted. */
  flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const failing of this.#failing.values()) this.#tellMore(failing);
    this.#failing.clear();
    this.#byConversation.clear();
  }

  #failingFor({ reason: given = "" }: Retry, nowMs: number): { failing: Failing; isNew: boolean } {
    const kind = withoutTry(given);
    const reason = this.#failing.has(kind) || this.#hasRoom(nowMs) ? kind : OTHER_REASONS;
    const known = this.#failing.get(reason);
    if (known) return { failing: known, isNew: false };
    const failing = { reason, sinceAtMs: nowMs, retries: 0, more: 0, waiting: new Map<string, number>() };
    this.#failing.set(reason, failing);
    this.#begun.push(nowMs);
    return { failing, isNew: true };
  }

  /** Those that are over count as well: an error that is worded anew each time would fill the log. */
  #hasRoom(nowMs: number): boolean {
    const begun = this.#begun.filter((atMs) => Math.abs(nowMs - atMs) < MINUTE_MS);
    this.#begun = begun;
    return begun.length < REASONS_MAX;
  }

  #await(failing: Failing, { conversation, turn, afterMs }: Retry, nowMs: number): void {
    if (!failing.waiting.has(conversation) && this.#byConversation.size >= WAITING_MAX) return;
    failing.waiting.set(conversation, nowMs + afterMs);
    this.#byConversation.set(conversation, { failing, turn });
  }

  #forget(failing: Failing, conversation: string): void {
    failing.waiting.delete(conversation);
    this.#byConversation.delete(conversation);
  }

  #tellMinute(): void {
    this.#stopTimer = undefined;
    const nowMs = this.#clock.nowMs();
    for (const failing of this.#failing.values()) {
      this.#tellMore(failing);
      // Not tried again when it should have been: another process has it, or a person does.
      for (const [conversation, atMs] of failing.waiting)
        if (nowMs - atMs > MINUTE_MS) this.#forget(failing, conversation);
      if (failing.waiting.size === 0) this.#over(failing);
    }
    if (this.#failing.size > 0) this.#stopTimer = this.#clock.after(MINUTE_MS, () => this.#tellMinute());
  }

  #tellMore(failing: Failing): void {
    const { reason, more, sinceAtMs, waiting } = failing;
    failing.more = 0;
    if (more > 0) this.#log("warn", "turn.retries", { reason, more, conversations: waiting.size, sinceAtMs });
  }

  /** Not told of a single retry: the end of its turn says as much. */
  #over({ reason, retries, sinceAtMs }: Failing): void {
    this.#failing.delete(reason);
    const forMs = this.#clock.nowMs() - sinceAtMs;
    if (retries > 1) this.#log("warn", "turn.retries-over", { reason, retries, sinceAtMs, forMs });
  }
}
