import { describe, expect, it } from "vitest";
import type { Draft } from "../model/draft.ts";
import { work as workWith } from "../testing/state-builders.ts";
import {
  AT_REST,
  afterClockSetBack,
  afterHolderDied,
  type ConversationState,
  countedOf,
  isAtRest,
  onEarlierClock,
  wakeAtMs,
  withOutage,
  withoutFarTimes,
  withoutWork,
  withWork,
  workOf,
} from "./state.ts";

const work = (turnId: string, attempts = 1) => workWith({ turnId, attempts });

const window = { id: "w", dueAtMs: 1_000, wakeAtMs: 2_000 };
const lease = { token: "t", holder: "h", turnId: "one", takenAtMs: 0, untilAtMs: 60_000 };

describe("when a worker has to look", () => {
  it("is when the window wants it, and while a lease is held when it may lapse", () => {
    expect(wakeAtMs({ works: [], window })).toBe(2_000);
    expect(wakeAtMs({ works: [], window, lease })).toBe(60_000);
    expect(wakeAtMs({ works: [], lease })).toBe(60_000);
  });

  it("is never, at rest", () => {
    expect(wakeAtMs(AT_REST)).toBeUndefined();
  });
});

describe("a conversation", () => {
  it("is at rest without window, lease, draft and work", () => {
    expect(isAtRest(AT_REST)).toBe(true);
    expect(isAtRest({ works: [], notBeforeAtMs: 5, leftBehindAtMs: 5, busyToldTurnId: "x" })).toBe(true);
    const busy: ConversationState[] = [
      { works: [], window },
      { works: [], lease },
      { works: [work("one")] },
      { works: [], draft: {} as never },
    ];
    for (const state of busy) expect(isAtRest(state)).toBe(false);
  });
});

describe("a holder that died", () => {
  const sending = { kind: "sending", sendByAtMs: 90_000 } as const;
  const draft = { turnId: "one", chunks: [{ text: "ok", state: sending }] } as unknown as Draft;

  it("holds nothing any more, on any process's clock, and what it was sending begins to settle", () => {
    const held = { works: [work("one")], draft, lease: { ...lease, untilAtMs: 90_000 } };
    const after = afterHolderDied(held, { nowMs: 50_000, clockSkewMs: 2_000 });
    expect(after.lease?.untilAtMs).toBe(48_000);
    expect(after.draft?.chunks[0]?.state).toEqual({ kind: "sending", sendByAtMs: 50_000 });
    expect(after.works).toEqual(held.works);
  });

  it("long after its lease and its deadline changes nothing", () => {
    const held = { works: [work("one")], draft, lease };
    expect(afterHolderDied(held, { nowMs: 999_000, clockSkewMs: 0 })).toEqual(held);
    expect(afterHolderDied(AT_REST, { nowMs: 5, clockSkewMs: 0 })).toEqual({ works: [] });
  });
});

describe("work", () => {
  it("has the number of its attempts: those that count, and those that ended in an outage", () => {
    expect(countedOf(work("one", 2))).toBe(2);
    const twice = withOutage(withOutage(work("one", 2), 7), 7);
    expect(twice).toMatchObject({ attempts: 4, outages: 2 });
    expect(countedOf(twice)).toBe(2);
    expect(withOutage(work("one"), 7).failingSinceAtMs).toBe(7);
  });

  it("is found, replaced and removed by its turn", () => {
    const both = withWork(withWork(AT_REST, work("one")), work("two"));
    expect(workOf(both, "one")).toEqual(work("one"));
    expect(workOf(both, "three")).toBeUndefined();
    const again = withWork(both, work("one", 2));
    expect(again.works).toHaveLength(2);
    expect(workOf(again, "one")?.attempts).toBe(2);
    expect(withoutWork(again, "one").works.map(({ turnId }) => turnId)).toEqual(["two"]);
    expect(AT_REST.works).toEqual([]);
  });
});

describe("a clock that was set back", () => {
  const CLOCK = { nowMs: 100_000, leaseMs: 60_000 };
  const window = { id: "w", dueAtMs: 1, wakeAtMs: 100_000 };

  const draftedAt = (draftedAtMs: number) => ({ turnId: "one", chunks, draftedAtMs }) as unknown as Draft;

  it("leaves no lease longer than a lease, and no window asleep until a time that is far off", () => {
    const state = {
      works: [],
      lease: { ...lease, untilAtMs: 160_001 },
      window: { ...window, wakeAtMs: 100_001 },
    };
    const after = afterClockSetBack(state, CLOCK);
    expect([after.lease?.untilAtMs, after.window?.wakeAtMs]).toEqual([160_000, 100_000]);
    expect(after.window?.dueAtMs).toBe(1);
  });

  it("changes nothing where nothing lies too far ahead", () => {
    for (const state of [{ works: [], lease: { ...lease, untilAtMs: 160_000 }, window }, AT_REST])
      expect(afterClockSetBack(state, CLOCK)).toBe(state);
  });

  const TAKER = { nowMs: 100_000, clockSkewMs: 2_000 };
  const EDGE_MS = 100_000 + 2_000 + 15_000;
  const chunks = [{ text: "ok", state: { kind: "sending", sendByAtMs: 900_000 } }];
  const waits = { notBeforeAtMs: 900_000, leftBehindAtMs: 900_000 };

  it("is noticed by a taken or drafted time that lies further ahead than skew and waiting explain", () => {
    const near = { works: [{ ...work("one"), takenAtMs: EDGE_MS }], draft: draftedAt(EDGE_MS), ...waits };
    expect(onEarlierClock(near, TAKER)).toBe(near);
    const taken = { ...near, works: [{ ...work("one"), takenAtMs: EDGE_MS + 1 }] };
    const after = onEarlierClock(taken, TAKER);
    expect(after.works[0]?.takenAtMs).toBe(100_000);
    expect([after.notBeforeAtMs, after.leftBehindAtMs]).toEqual([undefined, undefined]);
    // Drafted by this clock: what the provider took before it is not its own.
    expect(after.draft?.draftedAtMs).toBe(EDGE_MS);
    expect(after.draft?.chunks[0]?.state).toEqual({ kind: "sending", sendByAtMs: 100_000 });
  });

  it("makes a draft of later older by an hour, and leaves other work as it is", () => {
    const other = { ...work("two"), takenAtMs: 7 };
    const after = onEarlierClock({ works: [other], draft: draftedAt(EDGE_MS + 1), ...waits }, TAKER);
    expect(after.works).toEqual([other]);
    expect(after.draft?.draftedAtMs).toBe(100_000 - 3_600_000);
    expect(after.notBeforeAtMs).toBeUndefined();
  });
});

describe("a time that no worker waits for", () => {
  const NOW = 100_000;
  const FAR = NOW + 8 * 24 * 3_600_000 + 1;
  const draftOf = (sendByAtMs: number, awaitingUntilAtMs?: number) =>
    ({
      turnId: "one",
      chunks: [{ text: "ok", state: { kind: "sending", sendByAtMs } }],
      ...(awaitingUntilAtMs !== undefined && { awaitingUntilAtMs }),
    }) as unknown as Draft;

  it("is not waited for", () => {
    const state = { works: [], notBeforeAtMs: FAR, draft: draftOf(FAR, FAR) };
    const after = withoutFarTimes(state, NOW);
    expect(after).toEqual({ works: [], notBeforeAtMs: undefined, draft: draftOf(NOW, NOW) });
  });

  it("is no reason to forget another", () => {
    const paused = withoutFarTimes({ works: [], notBeforeAtMs: FAR - 1, draft: draftOf(FAR) }, NOW);
    expect(paused).toEqual({ works: [], notBeforeAtMs: FAR - 1, draft: draftOf(NOW) });
    const awaited = withoutFarTimes({ works: [], draft: draftOf(7, FAR) }, NOW);
    expect(awaited.draft).toEqual(draftOf(7, NOW));
    const sending = withoutFarTimes({ works: [], notBeforeAtMs: FAR, draft: draftOf(FAR - 1) }, NOW);
    expect(sending).toEqual({ works: [], notBeforeAtMs: undefined, draft: draftOf(FAR - 1) });
  });

  it("is not the latest possible one", () => {
    const state = { works: [], notBeforeAtMs: FAR - 1, draft: draftOf(FAR - 1, FAR - 1) };
    expect(withoutFarTimes(state, NOW)).toBe(state);
    expect(withoutFarTimes(AT_REST, NOW)).toBe(AT_REST);
  });
});
