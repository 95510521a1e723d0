import type { Clock } from "../../ports/clock.ts";
import { mayPass } from "../../wire/aws-failure.ts";
import { AWS_DEADLINES, DeadlineMissed, within } from "../../wire/deadline.ts";

/** How often AWS is tried, and for how long. */
export interface Retrying {
  readonly attemptsMax: number;
  /** The first wait; it doubles, plus or minus half. 0 tries again at once. */
  readonly baseMs: number;
  /** One try. */
  readonly requestMsMax: number;
  /** All tries together. */
  readonly callMsMax: number;
  /** What a long poll may take beyond its wait. */
  readonly pollMarginMsMax: number;
}

const { requestMsMax, callMsMax, pollMarginMsMax } = AWS_DEADLINES;
export const RETRYING: Retrying = {
  attemptsMax: 6,
  baseMs: 25,
  requestMsMax,
  callMsMax,
  pollMarginMsMax,
};

const WAIT_MS_MAX = 1_000;

/** Doubles with every attempt, plus or minus half, so that callers do not come back together. */
export async function backOff(
  attempt: number,
  { baseMs }: Pick<Retrying, "baseMs">,
  clock: Clock,
): Promise<void> {
  const waitMs = Math.min(baseMs * 2 ** (attempt - 1), WAIT_MS_MAX) * (0.5 + Math.random());
  if (waitMs > 0) await clock.sleep(waitMs);
}

/** The signal that ends a request, passed to the SDK's `send`. */
export interface Ending {
  readonly abortSignal: AbortSignal;
}

/**
 * Retries what may pass: throttling, a conflicting transaction, a lost answer, silence. The request must bear
 * being repeated, also if it took effect and its answer got lost: then the answer to the second one shows it
 * (`ALL_OLD`, ids of our own making).
 */
export async function retrying<T>(
  request: (ending: Ending) => Promise<T>,
  how: Retrying,
  clock: Clock,
): Promise<T> {
  const endsAtMs = clock.nowMs() + how.callMsMax;
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = Math.max(0, endsAtMs - clock.nowMs());
    try {
      return await once(request, Math.min(how.requestMsMax, leftMs), clock);
    } catch (error) {
      const isOver = () => clock.nowMs() >= endsAtMs;
      // For operators: how long there was no answer at all, not how little time the last try had left.
      if (isOver() && error instanceof DeadlineMissed) throw new DeadlineMissed(how.callMsMax);
      if (attempt >= how.attemptsMax || !mayPass(error)) throw error;
      await backOff(attempt, how, clock);
      if (isOver()) throw error;
    }
  }
}

/** One try and no more, for requests on which nothing depends. */
export function once<T>(request: (ending: Ending) => Promise<T>, msMax: number, clock: Clock): Promise<T> {
  return within(clock, msMax, (abortSignal) => request({ abortSignal }));
}
