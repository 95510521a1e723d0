import { expect, it } from "vitest";
import type { StagedMessage } from "../model/message.ts";
import type { StagedRow } from "../model/staged.ts";
import { messageId } from "./identity.ts";
import { inArrivalOrder, messagesOf, outboundId, outboundIdsBefore, stagedOutbound } from "./staged.ts";

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
    id: outboundId({ conversationId: "c", id: "7" }),
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
    outboundId({ conversationId: "c", id: "7" }),
    "first",
    "staged after",
    "second",
    "late",
  ]);
  expect(messagesOf(rows)).toHaveLength(4);
});

it("an outbound's id is that of no other conversation, and of no message of a channel with its name", () => {
  const id = "acct/7";
  const own = outboundId({ conversationId: "c", id });
  expect(outboundId({ conversationId: "d", id })).not.toBe(own);
  expect(own).not.toBe(messageId("outbound", own.split("/")[1]!, id));
});

it.each(["a", "ü"])("an id of a thousand %s fits into a key of a kilobyte, and stays its own", (letter) => {
  const idOf = (id: string) => outboundId({ conversationId: "c", id });
  const long = letter.repeat(999);
  expect(Buffer.byteLength(idOf(`${long}1`))).toBeLessThan(1_000);
  expect(idOf(`${long}1`)).not.toBe(idOf(`${long}2`));
});

it("an earlier version's id counts, unless a channel of that name may have brought it", () => {
  const outbound = { type: "sms", window: { kind: "fixed", lengthMs: 1 } } as const;
  expect(outboundIdsBefore({ channels: {} }, "acct/7")).toEqual(["outbound/acct/7"]);
  expect(outboundIdsBefore({ channels: { outbound } }, "7")).toEqual(["outbound/7"]);
  expect(outboundIdsBefore({ channels: { outbound } }, "acct/7")).toEqual([]);
});
