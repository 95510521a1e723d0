import type { Settings } from "../model/settings.ts";
import { RETRY_AFTER_MS_MAX } from "./defaults.ts";

export type RetryLimits = Pick<Settings, "attemptsMax" | "retryForMs" | "backoffMs" | "backoffMsMax">;

/** What kind of failure ended a try. */
export type Failure =
  /** No second try can mend it. */
  | { readonly kind: "permanent" }
  /** Somebody outside is away or has too much to do: the turn is as good as it was. */
  | { readonly kind: "outage"; readonly retryAfterMs?: number | undefined }
  /** Nobody can tell what it was: it may be the batch itself. */
  | { readonly kind: "unclassified" };

/** What was tried before, this time included. */
export interface Tried {
  /** Tries that count. */
  readonly attempts: number;
  /** Tries before this one that ended in an outage. */
  readonly outages?: number | undefined;
  readonly failingSinceAtMs?: number | undefined;
  /** When the answer was there. What failed before that is over: an outage from here on is another one. */
  readonly draftedAtMs?: number | undefined;
}

export type FailureDecision =
  /** `outageSinceAtMs` is set where the try does not count: an outage is limited by its age. */
  | { readonly kind: "retry"; readonly afterMs: number; readonly outageSinceAtMs?: number }
  | { readonly kind: "dead-letter" };

/** Doubles with every attempt up to the maximum, give or take half, so that many failures do not come back as one wave. */
export function backoffMs(attempt: number, limits: RetryLimits, random: () => number): number {
  return jittered(Math.min(limits.backoffMs * 2 ** (attempt - 1), limits.backoffMsMax), random);
}

/** As long again as it has been going on: the same doubling for whoever counts no attempts. */
export function backoffByAgeMs(ageMs: number, limits: RetryLimits, random: () => number): number {
  return jittered(Math.min(Math.max(limits.backoffMs, ageMs), limits.backoffMsMax), random);
}

function jittered(fullMs: number, random: () => number): number {
  return Math.round(fullMs * (0.5 + random()));
}

/** What to do with a turn whose try failed. An outage is not a poisoned batch: time limits the one, a count the other. */
export function decideFailure(
  failure: Failure,
  tried: Tried,
  nowMs: number,
  limits: RetryLimits,
  random: () => number,
): FailureDecision {
  switch (failure.kind) {
    case "permanent":
      return { kind: "dead-letter" };
    case "unclassified":
      return tried.attempts >= limits.attemptsMax
        ? { kind: "dead-letter" }
        : { kind: "retry", afterMs: backoffMs(tried.attempts, limits, random) };
    case "outage": {
      const outageSinceAtMs = failingSinceAtMs(tried, nowMs);
      const ageMs = nowMs - outageSinceAtMs;
      // Both: in a pause, a stop or a leap of the clock nobody tried.
      const isTriedEnough = (tried.outages ?? 0) + 1 >= limits.attemptsMax;
      if (ageMs >= limits.retryForMs && isTriedEnough) return { kind: "dead-letter" };
      // Somebody's `Retry-After` wins over our own idea, as long as it is a time that comes.
      // One that is no time at all ("now", a date that is past) would have us ask without a pause.
      const told = failure.retryAfterMs ?? 0;
      const own = backoffByAgeMs(ageMs, limits, random);
      const afterMs = told > 0 ? Math.max(Math.min(told, RETRY_AFTER_MS_MAX), limits.backoffMs / 2) : own;
      return { kind: "retry", afterMs, outageSinceAtMs };
    }
  }
}

/** When the outage began that a failure now belongs to. */
export function failingSinceAtMs(
  { failingSinceAtMs: since, draftedAtMs = 0 }: Pick<Tried, "failingSinceAtMs" | "draftedAtMs">,
  nowMs: number,
): number {
  return since !== undefined && since >= draftedAtMs && since <= nowMs ? since : nowMs;
}
