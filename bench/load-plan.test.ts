import { describe, expect, test } from "vitest";
import { connectionOf, conversationOf, type LoadPlan, plannedBy } from "./load-plan.ts";
import { QUICK, SCENARIOS, scenarioOf, WHOLE } from "./scenarios.ts";

const plan: LoadPlan = { messages: 24, connections: 2, conversations: 6, burst: 3 };

test("a burst is of one conversation, and conversations come again when all had theirs", () => {
  const conversations = Array.from({ length: 24 }, (_, message) => conversationOf(message, plan));
  expect(conversations).toEqual([
    ...[0, 1, 0, 1, 0, 1],
    ...[2, 3, 2, 3, 2, 3],
    ...[4, 5, 4, 5, 4, 5],
    ...[0, 1, 0, 1, 0, 1],
  ]);
});

test("a pace is kept by what is planned at a moment, however late the moment is looked at", () => {
  const paced = { ...plan, messages: 1_000, perSecond: 500 };
  expect(plannedBy(0, paced)).toBe(1);
  expect(plannedBy(999, paced)).toBe(500);
  expect(plannedBy(60_000, paced)).toBe(1_000);
  expect(plannedBy(0, plan)).toBe(24);
});

describe.each([
  ["whole", WHOLE],
  ["quick", QUICK],
])("the %s bench", (_, size) => {
  test.each(SCENARIOS)("%s: a conversation keeps to one connection", (name) => {
    const { plan: its } = scenarioOf(name, size, 3_000);
    const connections = new Map<number, number>();
    for (let message = 0; message < its.messages; message += 1) {
      const conversation = conversationOf(message, its);
      const known = connections.get(conversation);
      if (known === undefined) connections.set(conversation, connectionOf(message, its));
      else if (known !== connectionOf(message, its)) expect.fail(`${conversation} has two connections`);
    }
    expect(connections.size).toBeGreaterThan(its.connections);
  });
});
