import { expect, it } from "vitest";
import { systemClock } from "./system-clock.ts";

it("tells the time of the machine", () => {
  const before = Date.now();
  expect(systemClock.nowMs()).toBeGreaterThanOrEqual(before);
});

it("sleeps no shorter than asked, and not at all for what is past", async () => {
  const before = performance.now();
  await systemClock.sleep(5);
  // Timers of the platform count whole milliseconds.
  expect(performance.now() - before).toBeGreaterThan(3.5);
  await systemClock.sleep(-1);
});

it("is woken by its signal, before or during the sleep", async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(2 ** 40, controller.signal);
  controller.abort();
  await sleeping;
  await systemClock.sleep(2 ** 40, controller.signal);
});

it("calls once after a while, unless that is taken back", async () => {
  const called = await new Promise<string>((resolve) => {
    const takeBack = systemClock.after(1, () => resolve("the one that was taken back"));
    takeBack();
    systemClock.after(2, () => resolve("the other"));
  });
  expect(called).toBe("the other");
});

it("takes a wait that is longer than the platform's timers for a long one, not for none", async () => {
  const stop = new AbortController();
  const woken: string[] = [];
  const sleeping = systemClock.sleep(2 ** 40, stop.signal).then(() => woken.push("asleep"));
  const takeBack = systemClock.after(2 ** 40, () => woken.push("called"));
  // A timer that overflows ends after a millisecond, before this one.
  await systemClock.sleep(5);
  expect(woken).toEqual([]);
  takeBack();
  stop.abort();
  await sleeping;
});
