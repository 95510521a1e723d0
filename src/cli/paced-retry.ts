import type { DeadLetter } from "../model/dead-letter.ts";
import type { Clock } from "../ports/clock.ts";

/** Fewer may be bad luck: messages that no try can mend, beside those that an outage left. */
const DEAD_AGAIN_MIN = 5;

export interface Pace {
  readonly clock: Clock;
  readonly perSecond: number;
  /** The newest dead letters as they stand now, more than come in a second. */
  readonly newest: () => Promise<readonly DeadLetter[]>;
  readonly onStep: (done: number) => void;
}

export interface Paced<T> {
  readonly results: readonly T[];
  /** What came of those that were retried, where the rest was given up for that. */
  readonly deadAgain?: readonly DeadLetter[];
}

/**
 * Oldest first, so many a second: all at once would meet a provider that has just come back. Given up where
 * most of them become dead letters again: what made them fail is not repaired.
 */
export async function retryPaced<T>(
  letters: readonly DeadLetter[],
  act: (letter: DeadLetter) => Promise<T>,
  { clock, perSecond, newest, onStep }: Pace,
): Promise<Paced<T>> {
  const startedAtMs = clock.nowMs();
  const results: T[] = [];
  const conversations = new Set<string>();
  const deadAgain = new Map<string, DeadLetter>();
  for (const letter of [...letters].sort((a, b) => a.atMs - b.atMs)) {
    if (results.length > 0 && results.length % perSecond === 0) {
      onStep(results.length);
      await clock.sleep(Math.max(0, startedAtMs + (results.length / perSecond) * 1_000 - clock.nowMs()));
      for (const since of await newest())
        if (since.atMs >= startedAtMs && conversations.has(since.conversationId))
          deadAgain.set(since.id, since);
      if (deadAgain.size >= DEAD_AGAIN_MIN && deadAgain.size * 2 > results.length)
        return { results, deadAgain: [...deadAgain.values()] };
    }
    results.push(await act(letter));
    conversations.add(letter.conversationId);
  }
  return { results };
}
