import { describe, expect, it } from "vitest";
import {
  AT_REST,
  type ConversationState,
  isAtRest,
  type Work,
  wakeAtMs,
  withoutWork,
  withWork,
  workOf,
} from "./state.ts";

function work(turnId: string, attempts = 1): Work {
  return {
    turnId,
    recordId: "c",
    messageIds: ["m"],
    batchIds: ["m"],
    attempts,
    restarts: 0,
    openedAtMs: 0,
    dueAtMs: 0,
    takenAtMs: 0,
  };
}

const window = { id: "w", dueAtMs: 1_000, wakeAtMs: 2_000 };
const lease = { token: "t", holder: "h", turnId: "one", takenAtMs: 0, untilAtMs: 60_000 };

describe("when somebody has to look", () => {
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
    expect(
      isAtRest({ works: [], notBeforeAtMs: 5, leftBehindAtMs: 5, holderDeadAtMs: 5, busyToldTurnId: "x" }),
    ).toBe(true);
    const busy: ConversationState[] = [
      { works: [], window },
      { works: [], lease },
      { works: [work("one")] },
      { works: [], draft: {} as never },
    ];
    for (const state of busy) expect(isAtRest(state)).toBe(false);
  });
});

describe("work", () => {
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
