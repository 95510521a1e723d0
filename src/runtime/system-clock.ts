import type { Clock } from "../ports/clock.ts";

/** The longest delay a timer of the platform takes; longer waits are cut into several. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The machine's own time. The only place that asks for it. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  async sleep(ms, signal) {
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(Math.max(0, ms), TIMER_MS_MAX));
      signal?.addEventListener("abort", done);
    });
  },
  after(ms, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), TIMER_MS_MAX));
    return () => clearTimeout(timer);
  },
};
