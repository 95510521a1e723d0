import { describe, expect, it } from "vitest";
import { type Batchable, cutBatch, inOrder, mergeTexts } from "./batch.ts";
import { DEFAULTS } from "./defaults.ts";

function message(id: string, given: Partial<Batchable> = {}): Batchable {
  return { id, arrivedAtMs: 0, position: 0, sequence: 0, bytes: 1, ...given };
}

const ids = (messages: readonly Batchable[]) => messages.map(({ id }) => id).join("");

describe("order", () => {
  it("is the provider's time where every message has one, whatever else says otherwise", () => {
    const late = message("b", { sentAtMs: 2, arrivedAtMs: 1, position: 1, sequence: 1 });
    const early = message("a", { sentAtMs: 1, arrivedAtMs: 9, position: 9, sequence: 9 });
    expect(ids(inOrder([late, early]))).toBe("ab");
  });

  it("is our arrival where one message has no provider time", () => {
    const messages = [
      message("a", { sentAtMs: 9, arrivedAtMs: 1 }),
      message("b", { arrivedAtMs: 2 }),
      message("c", { sentAtMs: 1, arrivedAtMs: 3 }),
    ];
    for (const shuffled of [messages, [...messages].reverse(), [messages[1]!, messages[2]!, messages[0]!]]) {
      expect(ids(inOrder(shuffled))).toBe("abc");
    }
  });

  it("goes on to arrival, place, sequence and id where the provider's times are equal", () => {
    const same = { sentAtMs: 1_000 };
    const expected = [
      message("z", { ...same, arrivedAtMs: 1, position: 9, sequence: 9 }),
      message("y", { ...same, arrivedAtMs: 2, position: 1, sequence: 9 }),
      message("x", { ...same, arrivedAtMs: 2, position: 2, sequence: 1 }),
      message("a", { ...same, arrivedAtMs: 2, position: 2, sequence: 2 }),
      message("b", { ...same, arrivedAtMs: 2, position: 2, sequence: 2 }),
    ];
    expect(ids(inOrder([...expected].reverse()))).toBe(ids(expected));
    expect(ids(inOrder(expected))).toBe(ids(expected));
  });

  it("leaves what it was given alone", () => {
    const given = [message("b", { arrivedAtMs: 2 }), message("a", { arrivedAtMs: 1 })];
    inOrder(given);
    expect(ids(given)).toBe("ba");
  });
});

describe("limits", () => {
  const many = (count: number, given: Partial<Batchable> = {}) =>
    Array.from({ length: count }, (_, sequence) => message(`m${sequence}`, { sequence, ...given }));

  it("take everything that fits, up to and including the limit", () => {
    expect(cutBatch(many(3), { batchMessagesMax: 3, batchBytesMax: 3 })).toMatchObject({ cut: false });
    expect(cutBatch(many(3), { batchMessagesMax: 3, batchBytesMax: 3 }).batch).toHaveLength(3);
  });

  it("cut one past the limit on messages", () => {
    const { batch, cut } = cutBatch(many(4), { batchMessagesMax: 3, batchBytesMax: 100 });
    expect(batch).toHaveLength(3);
    expect(cut).toBe(true);
  });

  it("cut one past the limit on bytes", () => {
    const { batch, cut } = cutBatch(many(4, { bytes: 10 }), { batchMessagesMax: 9, batchBytesMax: 39 });
    expect(batch).toHaveLength(3);
    expect(cut).toBe(true);
  });

  it("always leave at least one, however large", () => {
    const { batch, cut } = cutBatch(many(2, { bytes: 1_000 }), { batchMessagesMax: 1, batchBytesMax: 1 });
    expect(ids(batch)).toBe("m0");
    expect(cut).toBe(true);
  });

  it("keep the order: a small message does not overtake a large one that did not fit", () => {
    const given = [
      message("a", { bytes: 5, sequence: 1 }),
      message("b", { bytes: 9, sequence: 2 }),
      message("c", { bytes: 1, sequence: 3 }),
    ];
    expect(ids(cutBatch(given, { batchMessagesMax: 9, batchBytesMax: 10 }).batch)).toBe("a");
  });

  it("never part messages of an earlier try, and put the rest in where it fits", () => {
    const given = [
      message("a", { sequence: 1 }),
      message("b", { sequence: 2 }),
      message("c", { sequence: 3 }),
      message("d", { sequence: 4 }),
    ];
    const limits = { batchMessagesMax: 3, batchBytesMax: 100 };
    expect(ids(cutBatch(given, limits, new Set(["c", "d"])).batch)).toBe("acd");
    expect(ids(cutBatch(given, { ...limits, batchMessagesMax: 1 }, new Set(["c", "d"])).batch)).toBe("cd");
  });

  it("are 500 messages and 100 KB by default", () => {
    expect(cutBatch(many(500), DEFAULTS)).toMatchObject({ cut: false });
    expect(cutBatch(many(501), DEFAULTS).batch).toHaveLength(500);
    expect(cutBatch(many(10, { bytes: 10_000 }), DEFAULTS)).toMatchObject({ cut: false });
    expect(cutBatch(many(10, { bytes: 10_001 }), DEFAULTS).batch).toHaveLength(9);
  });
});

it("texts are merged one line each, and a message without text adds none", () => {
  expect(mergeTexts([{ text: "hi" }, { text: "" }, { text: "for two\ntomorrow" }])).toBe(
    "hi\nfor two\ntomorrow",
  );
  expect(mergeTexts([{ text: "" }])).toBe("");
  expect(mergeTexts([])).toBe("");
});
