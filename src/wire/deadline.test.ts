import { describe, expect, it } from "vitest";
import { countingClock } from "../testing/counting-clock.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { AWS_DEADLINES, answerWithin, DeadlineMissed, within } from "./deadline.ts";
import { outageOf } from "./outage.ts";

const forever = () => new Promise<never>(() => {});

describe("a deadline", () => {
  it("ends work that ignores its signal, and says why", async () => {
    const clock = fakeClock();
    let seen: AbortSignal | undefined;
    const ended = within(clock, 3_000, (signal) => {
      seen = signal;
      return forever();
    }).catch((error) => error);
    await clock.advance(2_999);
    expect(seen?.aborted).toBe(false);
    await clock.advance(1);
    const error = await ended;
    expect(error).toBeInstanceOf(DeadlineMissed);
    expect(error.message).toBe("no answer within 3 s");
    expect(seen?.reason).toBe(error);
    expect(outageOf(error, clock.nowMs())).toEqual({});
  });

  it("is reported as such, also if the abort causes another error", async () => {
    const clock = fakeClock();
    const listens = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    const ended = within(clock, 10, listens).catch((error) => error);
    await clock.advance(10);
    expect(await ended).toBeInstanceOf(DeadlineMissed);
  });

  it("gives back what came in time, failures too, and leaves nothing behind", async () => {
    const clock = fakeClock();
    const given = new AbortController();
    let seen: AbortSignal | undefined;
    const work = async (signal: AbortSignal) => {
      seen = signal;
      return "in time";
    };
    expect(await within(clock, 10, work, given.signal)).toBe("in time");
    await expect(within(clock, 10, async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await clock.advance(10);
    given.abort();
    expect(seen?.aborted).toBe(false);
  });

  it("is not waited for when the caller gives up", async () => {
    const clock = fakeClock();
    const given = new AbortController();
    const reason = new Error("stopping");
    const ended = within(clock, 10, forever, given.signal).catch((error) => error);
    given.abort(reason);
    expect(await ended).toBe(reason);
    expect(await within(clock, 10, forever, given.signal).catch((error) => error)).toBe(reason);
  });
});

describe("a deadline for work that no signal reaches", () => {
  it("is not waited for any longer, and is told as such", async () => {
    const clock = fakeClock();
    const ended = answerWithin(clock, 3_000, forever).catch((error) => error);
    await clock.advance(2_999);
    expect(await Promise.race([ended, "waits"])).toBe("waits");
    await clock.advance(1);
    expect(await ended).toBeInstanceOf(DeadlineMissed);
  });

  it("gives back what came in time, failures too, and leaves no timer behind", async () => {
    const clock = countingClock(fakeClock());
    expect(await answerWithin(clock, 10, async () => "in time")).toBe("in time");
    await expect(answerWithin(clock, 10, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(clock.timers()).toBe(0);
  });
});

it("a webhook that needs a secret and a store is answered before Twilio stops listening", () => {
  expect(AWS_DEADLINES.secretMsMax + AWS_DEADLINES.callMsMax).toBeLessThan(15_000);
  expect(AWS_DEADLINES.requestMsMax * 2).toBeLessThan(AWS_DEADLINES.callMsMax);
});
