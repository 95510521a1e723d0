import type { Clock } from "../../ports/clock.ts";
import { AWS_DEADLINES, DeadlineMissed, within } from "../../wire/deadline.ts";
import { mayPass } from "./failure.ts";

/** How often AWS is asked, and for how long. */
export interface Retrying {
  readonly attemptsMax: number;
  /** The first wait; it doubles, give or take half. 0 tries again at once. */
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

/** Doubles with every attempt, give or take half: many who failed at once do not come back at once. */
export async function backOff(
  attempt: number,
  { baseMs }: Pick<Retrying, "baseMs">,
  clock: Clock,
): Promise<void> {
  const waitMs = Math.min(baseMs * 2 ** (attempt - 1), WAIT_MS_MAX) * (0.5 + Math.random());
  if (waitMs > 0) await clock.sleep(waitMs);
}

/** What a request gets to end by: handed to the SDK's `send`. */
export interface Ending {
  readonly abortSignal: AbortSignal;
}

/**
 * Tries again what may pass: throttling, somebody's transaction in the way, a lost answer, silence. The request has to bear being
 * repeated, also when it took effect and nobody told: then the answer to the second one says so (`ALL_OLD`, ids of our own making).
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
      // For a person: not how little time the last try had left, but how long nobody answered.
      if (isOver() && error instanceof DeadlineMissed) throw new DeadlineMissed(how.callMsMax);
      if (attempt >= how.attemptsMax || !mayPass(error)) throw error;
      await backOff(attempt, how, clock);
      if (isOver()) throw error;
    }
  }
}

/** One try and no more, for what nobody depends on. */
export function once<T>(request: (ending: Ending) => Promise<T>, msMax: number, clock: Clock): Promise<T> {
  return within(clock, msMax, (abortSignal) => request({ abortSignal }));
}
