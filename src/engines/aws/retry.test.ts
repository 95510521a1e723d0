import { describe, expect, it } from "vitest";
import { fakeClock } from "../../testing/fake-clock.ts";
import { DeadlineMissed } from "../../wire/deadline.ts";
import { backOff, RETRYING, type Retrying, retrying } from "./retry.ts";

const passes = () => Object.assign(new Error("slow down"), { name: "ThrottlingException" });

/** A request that fails so often, and how often it was made. */
function failing(times: number, error: () => Error = passes) {
  let tries = 0;
  const request = async () => {
    tries += 1;
    if (tries <= times) throw error();
    return "done";
  };
  return { request, tries: () => tries };
}

const how = (given: Partial<Retrying> = {}): Retrying => ({ ...RETRYING, ...given });

describe("what may pass", () => {
  it("is tried again at once where no wait is wanted", async () => {
    const { request, tries } = failing(3);
    expect(await retrying(request, how({ baseMs: 0 }), fakeClock())).toBe("done");
    expect(tries()).toBe(4);
  });

  it("is tried up to its limit", async () => {
    const { request, tries } = failing(99);
    await expect(retrying(request, how({ baseMs: 0, attemptsMax: 3 }), fakeClock())).rejects.toThrow(
      "slow down",
    );
    expect(tries()).toBe(3);
  });

  it("is waited for twice as long each time, plus or minus half, and 1.5 seconds at most", async () => {
    for (const [attempt, leastMs, mostMs] of [
      [1, 12, 38],
      [2, 25, 75],
      [5, 200, 600],
      [30, 500, 1_500],
    ] as const) {
      const clock = fakeClock();
      let isOver = false;
      void backOff(attempt, { baseMs: 25 }, clock).then(() => {
        isOver = true;
      });
      await clock.advance(leastMs);
      expect(isOver).toBe(false);
      await clock.advance(mostMs - leastMs);
      expect(isOver).toBe(true);
    }
  });

  it("is not tried again when its time is over, and silence is reported with all of its time", async () => {
    const clock = fakeClock();
    const silent = retrying(
      () => new Promise<never>(() => {}),
      how({ baseMs: 0, requestMsMax: 5, callMsMax: 12 }),
      clock,
    );
    const told = silent.catch((error: unknown) => error);
    await clock.advance(2_000);
    expect(await told).toEqual(new DeadlineMissed(12));
  });
});

it("what cannot pass is tried once", async () => {
  const { request, tries } = failing(1, () =>
    Object.assign(new Error("no"), { name: "ValidationException" }),
  );
  await expect(retrying(request, how({ baseMs: 0 }), fakeClock())).rejects.toThrow("no");
  expect(tries()).toBe(1);
});
