import { expect, test } from "vitest";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { createServiceClock } from "./service-clock.ts";

test("the service's time is the browser's until the service has said otherwise", async () => {
  const own = fakeClock(1_000_000);
  const clock = createServiceClock(own);
  expect(clock.serviceNowMs()).toBe(1_000_000);
  const askedAtMs = clock.nowMs();
  await own.advance(200);
  // Said halfway, at 1,000,100 of the browser's: a minute ahead of it.
  clock.learn(new Date(1_060_100).toISOString(), askedAtMs);
  expect(clock.serviceNowMs()).toBe(1_060_200);
  await own.advance(300);
  expect([clock.nowMs(), clock.serviceNowMs()]).toEqual([1_000_500, 1_060_500]);
});
