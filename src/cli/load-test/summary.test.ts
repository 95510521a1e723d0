import { expect, test } from "vitest";
import { allWell, spread, summarize } from "./summary.ts";

const happy = {
  sent: 2,
  acknowledgedMs: [1, 3],
  turns: [{ messages: 2, outcome: "replied", afterDueMs: 40 }],
  replies: 1,
  answered: true,
};

test("experiences are added up", () => {
  const summary = summarize([
    happy,
    { ...happy, acknowledgedMs: [2], turns: [], replies: 0, answered: false },
  ]);
  expect(summary).toMatchObject({
    customers: 2,
    messagesSent: 4,
    messagesAcknowledged: 3,
    customersAnswered: 1,
    turns: 1,
    replies: 1,
    latencyOverWindowMs: { p50: 40, p95: 40, max: 40 },
  });
  expect(allWell(summary)).toBe(false);
  expect(allWell(summarize([happy]))).toBe(true);
});

test("a spread of nothing is zero", () => {
  expect(spread([])).toEqual({ p50: 0, p95: 0, max: 0 });
  expect(spread([5, 1, 4, 2, 3])).toEqual({ p50: 3, p95: 5, max: 5 });
});
