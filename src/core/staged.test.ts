import { expect, it } from "vitest";
import type { StagedMessage } from "../model/message.ts";
import type { StagedRow } from "../model/staged.ts";
import { inArrivalOrder, messagesOf, outboundId, stagedOutbound } from "./staged.ts";

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
