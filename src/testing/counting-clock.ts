import type { Clock } from "../ports/clock.ts";

export interface CountingClock extends Clock {
  /** Callbacks that were asked for, and neither came nor were cancelled. */
  readonly timers: () => number;
  readonly sleepers: () => number;
  /** Callbacks that were cancelled after they had come. */
  readonly cancelledLate: () => number;
}

/** The same clock, counting who waits for it: a test sees a timer that was left behind. */
export function countingClock(clock: Clock): CountingClock {
  const timers = new Set<object>();
  let sleepers = 0;
  let cancelledLate = 0;
  return {
    ...clock,
    after(ms, run) {
      const timer = {};
      timers.add(timer);
      const cancel = clock.after(ms, () => {
        timers.delete(timer);
        run();
      });
      return () => {
        if (!timers.delete(timer)) cancelledLate += 1;
        cancel();
      };
    },
    sleep(ms, signal) {
      sleepers += 1;
      return clock.sleep(ms, signal).finally(() => {
        sleepers -= 1;
      });
    },
    timers: () => timers.size,
    sleepers: () => sleepers,
    cancelledLate: () => cancelledLate,
  };
}
