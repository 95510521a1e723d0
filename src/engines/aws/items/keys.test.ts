import { expect, it } from "vitest";
import { inTime, shardOf, shards, transactionToken } from "./keys.ts";

it("a transaction's token is what DynamoDB takes for one, and the same for the same request", () => {
  const tokens = Array.from({ length: 200 }, (_, n) => transactionToken("turn", n));
  for (const token of tokens) expect(token).toMatch(/^[a-zA-Z0-9-]{1,36}$/);
  expect(new Set(tokens).size).toBe(200);
  expect(transactionToken("turn", 7)).toBe(tokens[7]);
});

it("keys sort by time, then by sequence", () => {
  const ordered = [inTime(999, 5), inTime(1_000, 2), inTime(1_000, 10), inTime(1_767_225_600_000, 0)];
  expect([...ordered].reverse().sort()).toEqual(ordered);
});

it("every id is in one of the shards", () => {
  for (let n = 0; n < 50; n += 1) expect(shards()).toContain(shardOf(`conversation-${n}`));
});
