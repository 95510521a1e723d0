import { describe, expect, it } from "vitest";
import { pendingChunks } from "../../../core/draft.ts";
import { LullError } from "../../../errors.ts";
import type { Draft } from "../../../model/draft.ts";
import { isSortKey } from "../dynamo/key-size.ts";
import { areKeys, assertFits, assertSayable, fits, ITEM_BYTES_MAX, itemBytes, movable } from "./item-size.ts";

describe("bytes are counted as DynamoDB counts them:", () => {
  it.each([
    ["a text in UTF-8", "añ€", 6],
    ["two digits of a number a byte, and two bytes", 123, 4],
    ["an even number of digits", 1_234, 4],
    ["true", true, 1],
    ["nothing", null, 1],
    ["what is not there", undefined, 0],
    ["bytes", new Uint8Array(5), 8],
    ["a list: three, and one for each member", ["a", "bc"], 3 + (1 + 1) + (1 + 2)],
    ["a set like a list", new Set(["a", "bc"]), 8],
    [
      "a map: three, and one for each member and its name",
      { ab: "c", d: "ef" },
      3 + (1 + 2 + 1) + (1 + 1 + 2),
    ],
    ["a map without what is undefined", { ab: "c", d: undefined }, 3 + (1 + 2 + 1)],
  ])("%s", (_, value, bytes) => {
    expect(itemBytes(value)).toBe(bytes);
  });
});

/** An item of exactly so many bytes. */
const itemOf = (bytes: number) => ({ a: "x".repeat(bytes - 5) });

describe("at its limit", () => {
  it("an item of 400 KB fits, and not one byte more", () => {
    expect(ITEM_BYTES_MAX).toBe(400_000);
    expect(fits(itemOf(400_000))).toBe(true);
    expect(fits(itemOf(400_001))).toBe(false);
  });

  it("a person's name has 2,048 bytes and a message's 1,024", () => {
    expect(areKeys("x".repeat(2_048), "x".repeat(1_024))).toBe(true);
    expect(areKeys("x".repeat(2_049), "x")).toBe(false);
    expect(areKeys("x", "x".repeat(1_025))).toBe(false);
    expect([isSortKey("x".repeat(1_024)), isSortKey("x".repeat(1_025))]).toEqual([true, false]);
  });

  it("a draft has 350 KB with what its chunks will grow by until they are sent", () => {
    const draftOf = (text: string): Draft => ({
      turnId: "t",
      messageIds: [],
      channel: "c",
      to: "ana",
      from: "us",
      chunks: pendingChunks([text, "and more"]),
      answerStartedAtMs: 1,
      draftedAtMs: 1,
    });
    const room = 350_000 - 2 * 100 - itemBytes(draftOf(""));
    const whole = draftOf("x".repeat(room));
    expect(assertFits(whole)).toBe(whole);
    expect(() => assertFits(draftOf("x".repeat(room + 1)))).toThrow(LullError);
  });

  it("what a human says has 350 KB", () => {
    expect(() => assertSayable({ texts: ["x".repeat(349_993)] })).not.toThrow();
    expect(() => assertSayable({ texts: ["x".repeat(349_994)] })).toThrow(/larger than 350 KB/);
  });

  it("one transaction moves so many rows, so many bytes, and one row always", () => {
    const rows = (...bytes: number[]) => bytes.map((each) => ({ bytes: each }));
    expect(movable(rows(1, 1, 1), 3)).toHaveLength(3);
    expect(movable(rows(1, 1, 1), 2)).toHaveLength(2);
    expect(movable(rows(999_999, 1, 1), 9)).toHaveLength(2);
    expect(movable(rows(1_000_001, 1), 9)).toHaveLength(1);
    expect(movable([], 9)).toEqual([]);
  });
});
