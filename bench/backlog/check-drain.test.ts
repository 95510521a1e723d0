import { expect, test } from "vitest";
import { customerOf } from "../webhook.ts";
import { checkDrain, type Loaded } from "./check-drain.ts";

const WINDOW_MS = 1_000;

function loaded(messages: number, atMs: number, first = 0): Loaded {
  const times = Array.from({ length: messages }, () => atMs);
  const plan = { messages, connections: 1, conversations: 10, burst: 1, firstMessage: first };
  return {
    plan: { ...plan, firstConversation: first },
    posted: { firstAtMs: times, sentAtMs: times, ackedAtMs: times },
  };
}

/** Messages that were asked about, and to whom each answer went. */
function logOf(asked: readonly number[], sent: readonly number[]) {
  const span = (at: number) => ({ startedAtMs: 5_000 + at, endedAtMs: 5_000.5 + at });
  return {
    asked: asked.map((message, at) => ({ messages: [message], ...span(at) })),
    sent: sent.map((answer, at) => ({ answer, to: customerOf(asked[answer] ?? -1), ...span(at) })),
  };
}

const NONE = { lost: 0, doubled: 0, overlapping: 0, outOfOrder: 0, early: 0, misdirected: 0 };

test("a backlog that is drained once has no fault, though what came beside it is not answered yet", () => {
  const log = logOf([0, 1, 2], [0, 1, 2]);
  expect(checkDrain(loaded(3, 1), loaded(2, 4_500, 3), log, WINDOW_MS)).toEqual(NONE);
});

test("a reply that went out twice is doubled, one that never did is lost, one too soon is early", () => {
  const log = logOf([0, 1, 3], [0, 1, 1, 2]);
  const faults = checkDrain(loaded(3, 1), loaded(2, 4_500, 3), log, WINDOW_MS);
  expect(faults).toEqual({ ...NONE, lost: 1, doubled: 1, early: 1 });
});
