import { expect, it } from "vitest";
import { LullError, StoreUnavailable } from "../errors.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { persist } from "./persist.ts";
import { SampledLog } from "./sampled-log.ts";
import { StoreState } from "./store-state.ts";

/** A write that fails `times` times, under a lease of a minute. */
async function persisted(error: unknown, times: number) {
  const clock = fakeClock(0);
  const lease = () => ({ conversationId: "c", token: "t", untilAtMs: 60_000 });
  const heartbeat = { lease } as unknown as Heartbeat;
  let tries = 0;
  const log = () => {};
  const told = { sampled: new SampledLog(log, clock), store: new StoreState(log, clock) };
  const writing = persist({ clock, heartbeat, ...told }, async () => {
    tries += 1;
    if (tries <= times) throw error;
    return "written";
  }).then(
    (written) => written,
    (thrown: unknown) => thrown,
  );
  await clock.advance(120_000);
  return { outcome: await writing, tries };
}

it("a write is tried again while the store is away", async () => {
  expect(await persisted(new StoreUnavailable("away"), 3)).toEqual({ outcome: "written", tries: 4 });
});

it("and given up when the lease is about to end: its next holder continues", async () => {
  const away = new StoreUnavailable("away");
  const { outcome, tries } = await persisted(away, Number.POSITIVE_INFINITY);
  expect(outcome).toBe(away);
  expect(tries).toBeGreaterThan(10);
});

it("what can never succeed, and an unclassified error, is tried once", async () => {
  for (const error of [new LullError("too large", { code: "X", retry: "never" }), new TypeError("a bug")])
    expect(await persisted(error, 1)).toEqual({ outcome: error, tries: 1 });
});
