import type { Clock } from "../../ports/clock.ts";
import type { SignOfLife } from "./sign-of-life.ts";

/** How many looks for an answer fit into the time. */
export const LOOKS = 10;

/**
 * How much longer the first answer may take: until then a program is loaded and compiled, possibly on a busy
 * machine.
 */
export const FIRST_ANSWER_FACTOR = 6;

export interface WatchOptions {
  /** How long the watched process may leave us without an answer. */
  readonly hungMs: number;
  readonly clock: Pick<Clock, "after">;
  /** Called at every look: a question that got lost must not count against the process. */
  readonly ask: () => void;
  /** No answer came for that long. Called once, and no question is asked after it. */
  readonly onHung: (silentMs: number) => void;
}

export interface Watch {
  /** An answer came. A process that may be held at a breakpoint has unlimited time for the next one. */
  heard(answer: SignOfLife): void;
  stop(): void;
}

/**
 * Asks a process again and again for a sign of life.
 *
 * It counts looks that found no answer, not the time between two answers. The watcher may have been frozen
 * itself, alone or with everything else (a suspended laptop, a frozen process group, an overloaded machine):
 * no looks were made then, and such a pause counts as one look at most.
 */
export function watch({ hungMs, clock, ask, onHung }: WatchOptions): Watch {
  const lookMs = hungMs / LOOKS;
  let patience = LOOKS * FIRST_ANSWER_FACTOR;
  let left = patience;
  let isExcused = false;
  let cancel = () => {};
  const look = () => {
    if (left === 0) return onHung(patience * lookMs);
    if (!isExcused) left -= 1;
    ask();
    cancel = clock.after(lookMs, look);
  };
  look();
  return {
    heard({ debugged }) {
      isExcused = debugged;
      patience = LOOKS;
      left = patience;
    },
    stop: () => cancel(),
  };
}
