import type { Settings } from "../model/settings.ts";
import { RETRY_AFTER_MS_MAX } from "./defaults.ts";

export type RetryLimits = Pick<Settings, "attemptsMax" | "retryForMs" | "backoffMs" | "backoffMsMax">;

/** What kind of failure ended a try. */
export type Failure =
  /** No second try can succeed. */
  | { readonly kind: "permanent" }
  /** The responder or the provider is down or overloaded: the turn itself is fine. */
  | { readonly kind: "outage"; readonly retryAfterMs?: number | undefined }
  /** The cause is unknown: it may be the batch itself. */
  | { readonly kind: "unclassified" };

/** What was tried so far, this attempt included. */
export interface Tried {
  /** Attempts that count towards `attemptsMax`. */
  readonly counted: number;
  /** Attempts before this one that ended in an outage. */
  readonly outages?: number | undefined;
  readonly failingSinceAtMs?: number | undefined;
  /** When the answer was drafted. Failures before that are over: an outage after it is a new one. */
  readonly draftedAtMs?: number | undefined;
}

export type FailureDecision =
  /** `outageSinceAtMs` is set if the try does not count: an outage is limited by its age. */
  | { readonly kind: "retry"; readonly afterMs: number; readonly outageSinceAtMs?: number }
  | { readonly kind: "dead-letter" };

/** Doubles with every attempt up to the maximum, plus or minus half, so that failures spread out. */
export function backoffMs(attempt: number, limits: RetryLimits, random: () => number): number {
  return jittered(Math.min(limits.backoffMs * 2 ** (attempt - 1), limits.backoffMsMax), random);
}

/** As long again as the outage has lasted: the same doubling where no attempts are counted. */
export function backoffByAgeMs(ageMs: number, limits: RetryLimits, random: () => number): number {
  return jittered(Math.min(Math.max(limits.backoffMs, ageMs), limits.backoffMsMax), random);
}

function jittered(fullMs: number, random: () => number): number {
  return Math.round(fullMs * (0.5 + random()));
}

/** What to do after a failed try. An outage is not a poisoned batch: time limits one, a count the other. */
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
      return tried.counted >= limits.attemptsMax
        ? { kind: "dead-letter" }
        : { kind: "retry", afterMs: backoffMs(tried.counted, limits, random) };
    case "outage": {
      const outageSinceAtMs = failingSinceAtMs(tried, nowMs);
      if (isOutageOver(tried, nowMs, limits)) return { kind: "dead-letter" };
      // A `Retry-After` wins over our own backoff if it is a time that will come. One that names no time
      // ("now", a date in the past) would make us ask without a pause.
      const told = failure.retryAfterMs ?? 0;
      const own = backoffByAgeMs(nowMs - outageSinceAtMs, limits, random);
      const afterMs = told > 0 ? Math.max(Math.min(told, RETRY_AFTER_MS_MAX), limits.backoffMs / 2) : own;
      return { kind: "retry", afterMs, outageSinceAtMs };
    }
  }
}

/** When the outage began to which a failure now belongs. */
export function failingSinceAtMs(
  {
    failingSinceAtMs: since,
    draftedAtMs = Number.NEGATIVE_INFINITY,
  }: Pick<Tried, "failingSinceAtMs" | "draftedAtMs">,
  nowMs: number,
): number {
  return since !== undefined && since >= draftedAtMs && since <= nowMs ? since : nowMs;
}

/** Old enough and tried enough: while a worker was stopped, or its clock leapt, time passed without a try. */
export function isOutageOver(
  tried: Omit<Tried, "counted">,
  nowMs: number,
  { retryForMs, attemptsMax }: Pick<RetryLimits, "retryForMs" | "attemptsMax">,
): boolean {
  const ageMs = nowMs - failingSinceAtMs(tried, nowMs);
  return ageMs >= retryForMs && (tried.outages ?? 0) + 1 >= attemptsMax;
}
