import type { Clock } from "../../ports/clock.ts";
import { mayPass } from "./failure.ts";

export interface Retrying {
  readonly attemptsMax: number;
  /** The first wait; it doubles, give or take half. 0 tries again at once. */
  readonly baseMs: number;
}

export const RETRYING: Retrying = { attemptsMax: 6, baseMs: 25 };

const WAIT_MS_MAX = 1_000;

/** Doubles with every attempt, give or take half: many who failed at once do not come back at once. */
export async function backOff(attempt: number, { baseMs }: Retrying, clock: Clock): Promise<void> {
  const waitMs = Math.min(baseMs * 2 ** (attempt - 1), WAIT_MS_MAX) * (0.5 + Math.random());
  if (waitMs > 0) await clock.sleep(waitMs);
}

/** Tries again what may pass: throttling, somebody's transaction in the way, a lost answer. The request has to bear being repeated. */
export async function retrying<T>(request: () => Promise<T>, how: Retrying, clock: Clock): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      if (attempt >= how.attemptsMax || !mayPass(error)) throw error;
    }
    await backOff(attempt, how, clock);
  }
}
