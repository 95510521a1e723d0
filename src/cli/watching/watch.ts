import type { Clock } from "../../ports/clock.ts";
import type { SignOfLife } from "./sign-of-life.ts";

/** How often it is looked for an answer before the time is over. */
export const LOOKS = 10;

/** How much longer the first answer may take: until then a program is loaded and compiled, on a machine that may be busy. */
export const FIRST_ANSWER_FACTOR = 6;

export interface WatchOptions {
  /** How long whoever is watched may leave us without an answer. */
  readonly hungMs: number;
  readonly clock: Pick<Clock, "after">;
  /** Called at every look: a question that went astray is not held against anybody. */
  readonly ask: () => void;
  /** No answer in time, which is given. Called once; nobody is asked after that. */
  readonly onHung: (silentMs: number) => void;
}

export interface Watch {
  /** An answer came. Whoever may be held at a breakpoint has all the time it needs for the next one. */
  heard(answer: SignOfLife): void;
  stop(): void;
}

/**
 * Asks somebody again and again for a sign of life.
 *
 * It counts looks that found no answer, not the time between two answers. Whoever looks may have stood still itself, alone or with
 * everybody else (a suspended laptop, a frozen process group, a machine with too much to do): no look was made then, and nobody is
 * to blame for more than one.
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
