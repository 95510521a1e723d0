import type { Clock } from "../ports/clock.ts";

interface Timer {
  atMs: number;
  readonly run: () => void;
}

/** A clock that moves only when it is told to. */
export interface FakeClock extends Clock {
  /** Moves on, firing what falls due on the way in order, and lets everything that follows from it settle. */
  advance(ms: number): Promise<void>;
  /** Shows an earlier time from now on. Running timers keep their remaining time. */
  setBack(ms: number): void;
  /** Lets everything that can happen now happen. */
  settle(): Promise<void>;
}

/** Turns of the event loop that count as "settled": more than any chain of steps between two waits needs. */
const SETTLE_ROUNDS = 10;

export function fakeClock(startAtMs = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = startAtMs;
  const timers = new Set<Timer>();

  const after = (ms: number, run: () => void) => {
    const timer = { atMs: nowMs + Math.max(0, ms), run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const settle = async () => {
    for (let round = 0; round < SETTLE_ROUNDS; round += 1)
      await new Promise((resolve) => setImmediate(resolve));
  };
  const earliest = () =>
    [...timers].reduce<Timer | undefined>((a, b) => (a && a.atMs <= b.atMs ? a : b), undefined);

  return {
    nowMs: () => nowMs,
    after,
    async sleep(ms, signal) {
      if (signal?.aborted) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          cancel();
          signal?.removeEventListener("abort", done);
          resolve();
        };
        const cancel = after(ms, done);
        signal?.addEventListener("abort", done);
      });
    },
    settle,
    setBack(ms) {
      nowMs -= ms;
      for (const timer of timers) timer.atMs -= ms;
    },
    async advance(ms) {
      const untilAtMs = nowMs + ms;
      await settle();
      for (let next = earliest(); next && next.atMs <= untilAtMs; next = earliest()) {
        nowMs = Math.max(nowMs, next.atMs);
        timers.delete(next);
        next.run();
        await settle();
      }
      nowMs = untilAtMs;
      await settle();
    },
  };
}
