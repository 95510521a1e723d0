import { describe, expect, test } from "vitest";
import type { CallLog } from "./call-log.ts";
import { checkRun, type Faults, faultsIn, type Run } from "./check-run.ts";
import { customerOf } from "./webhook.ts";

/** Messages 0 to 3 at 0, 100, 200, 300 ms; 0 and 1 are of conversation 0, 2 and 3 of conversation 1. */
const WINDOW_MS = 1_000;
const postedAtMs = [1_000, 1_100, 1_200, 1_300];
const conversationOf = (message: number) => (message < 2 ? 0 : 1);

interface Turn {
  readonly messages: readonly number[];
  readonly at: number;
  /** When its replies went out; one right after it was asked where left out. */
  readonly sentAt?: readonly number[];
  readonly to?: string;
}

const FIRST: Turn = { messages: [0, 1], at: 2_003 };
const SECOND: Turn = { messages: [2, 3], at: 2_210 };

function logOf(turns: readonly Turn[]): CallLog {
  return {
    asked: turns.map(({ messages, at }) => ({ messages, startedAtMs: at, endedAtMs: at + 1 })),
    sent: turns.flatMap(({ messages, at, sentAt = [at + 2], to }, answer) =>
      sentAt.map((startedAtMs) => ({
        ...{ answer, to: to ?? customerOf(conversationOf(messages[0] ?? 0)) },
        ...{ startedAtMs, endedAtMs: startedAtMs + 1 },
      })),
    ),
  };
}

function check(turns: readonly Turn[], posted: Partial<Run["posted"]> = {}) {
  const acked = postedAtMs.map((atMs) => atMs + 5);
  const all = { firstAtMs: postedAtMs, sentAtMs: postedAtMs, ackedAtMs: acked, ...posted };
  return checkRun({ posted: all, log: logOf(turns), conversationOf, windowMs: WINDOW_MS });
}

const NONE: Faults = { lost: 0, doubled: 0, overlapping: 0, outOfOrder: 0, early: 0, misdirected: 0 };

test("a clean run has no fault, and each turn's lateness counts from its oldest message's window", () => {
  const { faults, lateness, late } = check([FIRST, SECOND]);
  expect(faults).toEqual(NONE);
  expect(faultsIn(faults)).toEqual([]);
  expect(lateness).toEqual([
    { startedAtMs: 2_003, byMs: 3 },
    { startedAtMs: 2_210, byMs: 10 },
  ]);
  expect(late).toBe(0);
});

describe("a fault is found:", () => {
  test.each<[string, readonly Turn[], Partial<Faults>]>([
    ["messages that were never answered", [FIRST], { lost: 2 }],
    [
      "messages that were asked about, and no reply went out",
      [FIRST, { ...SECOND, sentAt: [] }],
      { lost: 2 },
    ],
    ["one reply sent twice", [FIRST, { ...SECOND, sentAt: [2_212, 2_300] }], { doubled: 2 }],
    ["a message in two turns", [FIRST, SECOND, { messages: [3], at: 2_400 }], { doubled: 1 }],
    [
      "a turn that begins before the reply of the one before is out",
      [{ messages: [0], at: 2_003, sentAt: [2_150] }, { messages: [1], at: 2_101 }, SECOND],
      { overlapping: 1, outOfOrder: 1 },
    ],
    [
      "a turn that begins while one without a reply is being answered",
      [{ ...FIRST, sentAt: [] }, { ...FIRST, at: 2_003.5 }, SECOND],
      { overlapping: 1 },
    ],
    ["messages swapped in a turn", [{ ...FIRST, messages: [1, 0] }, SECOND], { outOfOrder: 1 }],
    [
      "turns swapped",
      [{ messages: [1], at: 2_101 }, { messages: [0], at: 2_110 }, SECOND],
      { outOfOrder: 1 },
    ],
    ["a turn before its window is over", [{ ...FIRST, at: 1_990 }, SECOND], { early: 1 }],
    ["a reply to another customer", [FIRST, { ...SECOND, to: customerOf(7) }], { misdirected: 1 }],
    ["two customers in one turn", [{ messages: [0, 1, 2, 3], at: 2_210 }], { misdirected: 1 }],
  ])("%s", (_, turns, found) => {
    expect(check(turns).faults).toEqual({ ...NONE, ...found });
  });

  test("and told in words", () => {
    expect(faultsIn({ ...NONE, lost: 2, early: 1 })).toEqual(["2 lost", "1 early"]);
  });
});

test("a turn more than a second behind its due time is late, which is no fault", () => {
  const { faults, late, lateness } = check([FIRST, { ...SECOND, at: 3_300 }]);
  expect(faults).toEqual(NONE);
  expect([late, lateness[1]?.byMs]).toEqual([1, 1_100]);
});

test("what was not acknowledged may be missing, or be there", () => {
  expect(check([FIRST], { ackedAtMs: [1, 1, 0, 0] }).faults).toEqual(NONE);
  expect(check([FIRST, SECOND], { ackedAtMs: [1, 1, 0, 0] }).faults).toEqual(NONE);
});

test("a message that was posted again is early by its first try, and late by its last", () => {
  const { faults, lateness } = check([FIRST, SECOND], { sentAtMs: [1_000, 1_100, 1_205, 1_300] });
  expect(faults).toEqual(NONE);
  expect(lateness.map(({ byMs }) => byMs)).toEqual([3, 5]);
});
