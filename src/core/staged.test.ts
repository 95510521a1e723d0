import { expect, it } from "vitest";
import type { StagedMessage } from "../model/message.ts";
import type { StagedRow } from "../model/staged.ts";
import { dueOfStaged, inArrivalOrder, messagesOf, outboundId, stagedOutbound } from "./staged.ts";

const message = (id: string, given: Partial<StagedMessage> = {}): StagedRow => ({
  kind: "message",
  id,
  conversationId: "c",
  bytes: 1,
  message: { id, arrivedAtMs: 1_000, position: 0, sequence: 0, ...given } as StagedMessage,
});
const said = stagedOutbound(
  { conversationId: "c", id: "7", channel: "sms", to: "+15550101", texts: ["one", "two"], author: "human" },
  900,
);
const outbound: StagedRow = {
  kind: "outbound",
  id: said.outbound.id,
  conversationId: "c",
  sequence: 1,
  ...said,
};

it("an outbound is staged under an id of its own, and weighs what its texts weigh", () => {
  expect(said.outbound).toEqual({
    id: outboundId("7"),
    channel: "sms",
    to: "+15550101",
    texts: ["one", "two"],
    author: "human",
    arrivedAtMs: 900,
  });
  expect(said.bytes).toBe("onetwo".length);
});

it("rows are in the order of arrival, of their payload, of staging, whatever the provider's time", () => {
  const rows = [
    message("late", { arrivedAtMs: 2_000, sentAtMs: 1 }),
    message("second", { position: 1 }),
    message("staged after", { sequence: 5 }),
    message("first", { sentAtMs: 9 }),
    outbound,
  ];
  expect(inArrivalOrder(rows).map(({ id }) => id)).toEqual([
    outboundId("7"),
    "first",
    "staged after",
    "second",
    "late",
  ]);
  expect(messagesOf(rows)).toHaveLength(4);
});

it.each([
  ["messages are due by their window", [1_000, 2_000], [], 6_000],
  ["an outbound is due since it was requested", [], [1_500], 1_500],
  ["the earlier of both decides", [1_000], [3_000], 3_000],
])("%s", (_what, messages, outbounds, dueAtMs) => {
  const arrived = (times: readonly number[]) => times.map((arrivedAtMs) => ({ arrivedAtMs }));
  const waiting = { messages: arrived(messages), outbounds: arrived(outbounds) };
  const clock = { nowMs: 2_000, clockSkewMs: 0 };
  expect(dueOfStaged(waiting, { works: [] }, { kind: "fixed", lengthMs: 5_000 }, clock)).toBe(dueAtMs);
});
