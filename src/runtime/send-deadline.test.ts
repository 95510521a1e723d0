import { afterEach, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { SendOutcome } from "../ports/channel.ts";
import { aroundEngine } from "../testing/around-engine.ts";
import { type TestLull, testLull } from "../testing/test-lull.ts";

const WINDOW_MS = 10_000;
const SEND_TIMEOUT_MS = 15_000;
const LEASE_MS = 60_000;
const RENEW_MS = LEASE_MS / 3;

let lull: TestLull;
afterEach(() => lull.stop());

/**
 * A provider that takes the request and says nothing. Keeps its abort signals, and whether the turn still
 * waits.
 */
function open(answerMs: number, draftMs = 0) {
  const slowly = aroundEngine(memory(), () => async (name, _input, call) => {
    const result = await call();
    if (name === "turns.draft" && draftMs > 0) await lull.clock.sleep(draftMs);
    return result;
  });
  const events: string[] = [];
  const sends: AbortSignal[] = [];
  lull = testLull({
    engine: slowly,
    window: { seconds: WINDOW_MS / 1_000 },
    limits: { leaseSeconds: LEASE_MS / 1_000, sendTimeoutSeconds: SEND_TIMEOUT_MS / 1_000 },
    log: (_level, event) => void events.push(event),
    respond: async () => {
      await lull.clock.sleep(answerMs);
      return "hello";
    },
  });
  lull.channel.behave((_outgoing, _n, signal) => {
    sends.push(signal);
    return new Promise<SendOutcome>(() => {});
  });
  return { sends, events };
}

it("a send is aborted at its deadline, and not before, so that nothing of it goes out later", async () => {
  const { sends } = open(0);
  await lull.receive("ana", "hi");
  await lull.advance(WINDOW_MS);
  expect(sends.map(({ aborted }) => aborted)).toEqual([false]);
  await lull.advance(SEND_TIMEOUT_MS - 1);
  expect(sends.map(({ aborted }) => aborted)).toEqual([false]);
  await lull.advance(1);
  expect(sends.map(({ aborted }) => aborted)).toEqual([true]);
});

it("a send that began late has only the rest of its time: its deadline was written before", async () => {
  const { sends } = open(0, 5_000);
  await lull.receive("ana", "hi");
  await lull.advance(WINDOW_MS + 5_000);
  expect(sends.map(({ aborted }) => aborted)).toEqual([false]);
  await lull.advance(SEND_TIMEOUT_MS - 5_000);
  expect(sends.map(({ aborted }) => aborted)).toEqual([true]);
});

it("a send that is answered in time is not told as late", async () => {
  const { events } = open(0);
  lull.channel.behave(async () => {
    await lull.clock.sleep(SEND_TIMEOUT_MS - 1);
    return { kind: "sent", providerId: "SM1" };
  });
  await lull.receive("ana", "hi");
  await lull.advance(WINDOW_MS + SEND_TIMEOUT_MS);
  expect(events).toContain("turn.committed");
  expect(events).not.toContain("send.late");
});

it("asking what became of a send is aborted at its deadline, too", async () => {
  open(0);
  lull.channel.behave(() => ({ kind: "unknown", why: "read timeout" }));
  const asked: AbortSignal[] = [];
  lull.channel.reconcile = async (_query, signal) => {
    asked.push(signal);
    return asked.length > 1 ? { kind: "sent", providerId: "SM1" } : new Promise(() => {});
  };
  await lull.receive("ana", "hi");
  await lull.advance(WINDOW_MS);
  while (asked.length === 0) await lull.advance(1_000);
  expect(asked[0]!.aborted).toBe(false);
  await lull.advance(SEND_TIMEOUT_MS);
  expect(asked[0]!.aborted).toBe(true);
});

it("a send is aborted, and not waited for, once the lease is lost: the deadline may be far off", async () => {
  // The answer takes so long that the lease is renewed in the middle of the send.
  const answerMs = RENEW_MS - SEND_TIMEOUT_MS / 3;
  const { sends, events } = open(answerMs);
  await lull.receive("ana", "hi");
  await lull.advance(WINDOW_MS + answerMs);
  expect(sends).toHaveLength(1);
  const { sweeping } = await lull.service.engine();
  expect(await sweeping.freeLeases(lull.service.workerId)).toBe(1);
  await lull.advance(RENEW_MS - answerMs - 1);
  expect(sends[0]!.aborted).toBe(false);
  expect(events).not.toContain("lease.lost");
  await lull.advance(1);
  expect(sends[0]!.aborted).toBe(true);
  expect(events).toContain("lease.lost");
});
