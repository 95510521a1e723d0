import { describe, expect, it } from "vitest";
import { itemOf } from "../../../core/staged.ts";
import type { Item } from "../dynamo/expression.ts";
import { TABLES } from "../dynamo/tables.ts";
import { messageRow, outboundRow, stagedFrom, stageItem } from "./stage-item.ts";

const at = { conversationId: "c", sender: "ana", sequence: 7 };

const message = messageRow(
  {
    providerId: "SM1",
    channel: "test",
    account: "account",
    address: "lull",
    sender: "ana",
    senderAlias: "Ana",
    replyTo: "ana",
    text: "hi",
    media: [{ url: "https://example.test/a.png", contentType: "image/png" }],
    arrivedAtMs: 1_000,
    sentAtMs: 900,
    position: 3,
    fields: { profile: "Ana" },
  },
  "id",
  at,
);
const outbound = outboundRow(
  { id: "o1", conversationId: "c", channel: "test", to: "ana", texts: ["hello", "you"], author: "eva" },
  { ...at, nowMs: 1_000 },
);

const stored = (item: Item) => JSON.parse(JSON.stringify(item)) as Item;

describe("a staged row", () => {
  it.each([message, outbound])("is read as it was written: $kind", (row) => {
    expect(stagedFrom(stored(stageItem(row)))).toEqual({ kind: "sound", value: row });
  });

  it.each([message, outbound])("has no end, and its table names none: $kind", (row) => {
    expect(TABLES.stage.timeToLive).toBeUndefined();
    const ends = Object.values(TABLES).flatMap(({ timeToLive }) => timeToLive ?? []);
    expect(ends).not.toEqual([]);
    for (const name of ends) expect(stageItem(row)).not.toHaveProperty(name);
  });

  it("that does not say how it was counted or ordered comes first of its time", () => {
    const { sequence: _s, bytes: _b, position: _p, primary_channel: _c, ...bare } = stageItem(message);
    const read = stagedFrom(stored(bare));
    if (read.kind === "foreign") throw new Error(read.why);
    const { sender, sequence } = read.value;
    expect({ sender, sequence }).toEqual({ sender: "", sequence: 0 });
    expect(itemOf(read.value)).toMatchObject({ position: 0, sequence: 0, arrivedAtMs: 1_000, sentAtMs: 900 });
  });

  it("that is an outbound has no place in a payload and no time of the provider's", () => {
    const { bytes } = outbound;
    expect(itemOf(outbound)).toEqual({
      kind: "outbound",
      id: outbound.id,
      arrivedAtMs: 1_000,
      position: 0,
      sequence: 7,
      bytes,
    });
    expect(bytes).toBe(8);
  });

  it("weighs what it takes in an item, where that is more than its words", () => {
    const long = messageRow(
      { ...message.message, media: [], fields: { profile: "x".repeat(5_000) } },
      "id",
      at,
    );
    expect(long.bytes).toBeGreaterThan(4_000);
    const uncounted = stagedFrom(stored({ ...stageItem(long), bytes: 1 }));
    expect(uncounted).toMatchObject({ kind: "sound", value: { bytes: expect.any(Number) } });
    if (uncounted.kind === "sound") expect(uncounted.value.bytes).toBeGreaterThan(4_000);
  });
});
