import { expect, it } from "vitest";
import { countingClock } from "../testing/counting-clock.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { type Watch, waitFor, whenAborted } from "./wait-for.ts";

const never = new Promise<string>(() => {});

/** A clock that counts who still watches it, and a watch on it. */
function watched() {
  const clock = fakeClock();
  const counting = countingClock(clock);
  const late: Watch<string> = (end) => counting.after(1_000, () => end("late"));
  return { clock, timers: counting.timers, late };
}

it("what the work comes to ends the wait, and nothing is watched any more", async () => {
  const { timers, late } = watched();
  const lost = new AbortController();
  let told = 0;
  const whenLost = whenAborted(lost.signal, () => {
    told += 1;
    return "lost";
  });
  expect(await waitFor(Promise.resolve("done"), [whenLost, late])).toBe("done");
  expect(timers()).toBe(0);
  lost.abort();
  expect(told).toBe(0);
  await expect(waitFor(Promise.reject(new Error("failed")), [late])).rejects.toThrow("failed");
  expect(timers()).toBe(0);
});

it("the first watch that ends the wait decides, and the others stop", async () => {
  const { clock, timers, late } = watched();
  const lost = new AbortController();
  const waiting = waitFor(never, [whenAborted(lost.signal, () => "lost"), late]);
  lost.abort();
  expect(await waiting).toBe("lost");
  expect(timers()).toBe(0);
  const outOfTime = waitFor(never, [late]);
  await clock.advance(1_000);
  expect(await outOfTime).toBe("late");
});

it("what has aborted already ends the wait before it begins: nothing else is watched", async () => {
  const { timers, late } = watched();
  const aborted = whenAborted(AbortSignal.abort(), () => "lost");
  expect(await waitFor(never, [aborted, late])).toBe("lost");
  expect(timers()).toBe(0);
});

it("a wait that ended hears no more of its work, not even that it failed", async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  expect(await waitFor(promise, [whenAborted(AbortSignal.abort(), () => "lost")])).toBe("lost");
  reject(new Error("too late"));
  await new Promise((settled) => setImmediate(settled));
});

it("a watch that comes too late changes nothing", async () => {
  let end: (how: string) => void = () => {};
  const waiting = waitFor(Promise.resolve("done"), [
    (given) => {
      end = given;
      return () => {};
    },
  ]);
  expect(await waiting).toBe("done");
  end("late");
  expect(await waiting).toBe("done");
});
