import { RETRY_AFTER_MS_MAX } from "./defaults.ts";

export interface RetryLimits {
  readonly attemptsMax: number;
  readonly backoffMs: number;
  readonly backoffMsMax: number;
}

export interface Failure {
  readonly retry: "later" | "never";
  readonly retryAfterMs?: number | undefined;
}

export type FailureDecision =
  | { readonly kind: "retry"; readonly afterMs: number }
  | { readonly kind: "bury" };

/** Doubles with every attempt up to the maximum, give or take half, so that many failures do not come back as one wave. */
export function backoffMs(attempt: number, limits: RetryLimits, random: () => number): number {
  const full = Math.min(limits.backoffMs * 2 ** (attempt - 1), limits.backoffMsMax);
  return Math.round(full * (0.5 + random()));
}

/** What to do with a turn whose attempt number `attempt` failed. Somebody's `Retry-After` wins over our own idea. */
export function decideFailure(
  failure: Failure,
  attempt: number,
  limits: RetryLimits,
  random: () => number,
): FailureDecision {
  if (failure.retry === "never" || attempt >= limits.attemptsMax) return { kind: "bury" };
  const told = failure.retryAfterMs ?? Number.NaN;
  // Whatever was told has to be a time that comes.
  const afterMs = told >= 0 ? Math.min(told, RETRY_AFTER_MS_MAX) : backoffMs(attempt, limits, random);
  return { kind: "retry", afterMs };
}
