import { type Spread, spreadOf } from "../quantiles.ts";
import type { Results } from "../results.ts";

/** What one run came to. */
export interface BacklogRun {
  /** From the first turn to the last. */
  readonly turnsPerSecond: number;
  /** The same two HTTP calls for as many turns, and nothing else: what the machine can do at most. */
  readonly callsAlonePerSecond: number;
  readonly ackP50Ms: number;
  readonly ackP99Ms: number;
  readonly ackMostMs: number;
  /** How many places the turn that was furthest from its own in the order of arrival was off. */
  readonly placesOff: number;
  readonly memoryMb: number;
}

/** What `npm run bench -- backlog` came to. */
export interface BacklogResults {
  readonly day: string;
  readonly machine: Results["machine"];
  readonly conversations: number;
  readonly runs: readonly BacklogRun[];
}

export function spreadOfBacklog(runs: readonly BacklogRun[], figure: keyof BacklogRun): Spread {
  return spreadOf(runs.map((run) => run[figure]));
}

/** By run: the calls alone were made right after it. */
export function shareOfCalls(runs: readonly BacklogRun[]): Spread {
  return spreadOf(
    runs.map(({ turnsPerSecond, callsAlonePerSecond }) => turnsPerSecond / callsAlonePerSecond),
  );
}

/**
 * The most that any turn is away from where it would stand if turns began exactly in the order in which their
 * messages came in.
 */
export function placesOff(begun: readonly number[], arrived: readonly number[]): number {
  const placeOf = new Map(arrived.map((message, place) => [message, place]));
  return begun.reduce((most, message, place) => {
    const own = placeOf.get(message);
    return own === undefined ? most : Math.max(most, Math.abs(own - place));
  }, 0);
}
