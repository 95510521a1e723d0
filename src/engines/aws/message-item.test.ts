import { describe, expect, it } from "vitest";
import type { HistoryMessage, MessagePart } from "../../ports/conversations.ts";
import type { Item } from "./expression.ts";
import { fits } from "./item-size.ts";
import { historyFrom, legacyFrom, saidItems, turnItem } from "./message-item.ts";

const ATOMS = { atMs: 1_000, retentionMs: 0 };
const media = [{ url: "https://example.test/menu.pdf", contentType: "application/pdf" }];

const partOf = (text: string, given: Partial<MessagePart> = {}): MessagePart => ({
  id: `id of ${text.slice(0, 10)}`,
  text,
  media: [],
  arrivedAtMs: 1_000,
  ...given,
});

const said = (given: Partial<HistoryMessage>): HistoryMessage => ({
  role: "user",
  text: "",
  media: [],
  atMs: 1_000,
  turnId: "t",
  ...given,
});

const itemsOf = (message: HistoryMessage) => saidItems("c", [message], () => ATOMS);

function readBack(items: readonly Item[]): HistoryMessage[] {
  return items.map((item) => {
    const read = historyFrom(JSON.parse(JSON.stringify(item)) as Item);
    if (read.kind === "foreign") throw new Error(read.why);
    return read.value;
  });
}

describe("what was said is read as it was written:", () => {
  it.each([
    ["a reply with media", said({ role: "assistant", text: "here", media, author: "eva" })],
    ["a message of one part", said({ text: "hi", parts: [partOf("hi")] })],
    ["media of its parts", said({ text: "hi", media, parts: [partOf("hi", { media })] })],
    ["another text than its parts'", said({ text: "a summary", parts: [partOf("hi")] })],
    ["other media than its parts'", said({ text: "hi", media, parts: [partOf("hi")] })],
  ])("%s", (_, message) => {
    expect(readBack(itemsOf(message))).toEqual([message]);
  });

  it("and a person's words are kept once: as parts", () => {
    const [item] = itemsOf(said({ text: "hi", media, parts: [partOf("hi", { media })] }));
    expect(Object.keys(item!)).not.toContain("body");
    expect(Object.keys(item!)).not.toContain("media");
  });
});

describe("what no item holds", () => {
  const large = (at: number) => partOf(`${at} ${"x".repeat(150_000)}`);

  it("is spread over several, part by part and in order", () => {
    const parts = [1, 2, 3, 4, 5].map(large);
    const items = itemsOf(said({ text: parts.map(({ text }) => text).join("\n"), parts }));
    expect(items.length).toBeGreaterThan(1);
    expect(items.every(fits)).toBe(true);
    expect(readBack(items).flatMap((each) => each.parts)).toEqual(parts);
    expect(items.map(({ item_id }) => item_id)).toEqual(items.map(({ item_id }) => item_id).sort());
  });

  it("and is one part, or none, keeps its end", () => {
    const text = `${"x".repeat(500_000)} the end`;
    for (const message of [said({ text, media }), said({ text, media, parts: [partOf("another")] })]) {
      const [read, ...more] = readBack(itemsOf(message));
      expect(more).toEqual([]);
      expect(read?.text).toHaveLength(90_000);
      expect(read?.text.endsWith(" the end")).toBe(true);
      expect([read?.media, read?.parts]).toEqual([[], undefined]);
    }
  });

  it("but without its parts would, is kept without them", () => {
    const parts = [large(1), large(2), large(3)];
    const message = said({ text: "a summary", media, parts });
    const { parts: _parts, ...merged } = message;
    expect(readBack(itemsOf(message))).toEqual([merged]);
  });
});

describe("what a turn leaves", () => {
  const turn = { conversationId: "c", turnId: "t" } as Parameters<typeof turnItem>[0];

  it("is kept for good without a retention time", () => {
    expect(itemsOf(said({ text: "hi" }))[0]).not.toHaveProperty("expires_at");
    expect(turnItem(turn, ATOMS)).not.toHaveProperty("expires_at");
  });

  it("expires that long after its commit with one, in whole seconds", () => {
    const committed = { atMs: 1_000, retentionMs: 60_000 };
    expect(saidItems("c", [said({ text: "hi" })], () => committed)[0]?.expires_at).toBe(61);
    expect(turnItem(turn, committed).expires_at).toBe(61);
  });
});

describe("messages that another system keeps in its row", () => {
  it.each([
    [
      { role: "assistant", body: "one", message_sid: "SM1", timestamp: 5_000_000_000 },
      ["assistant", "one", "SM1"],
    ],
    [{ role: "user", content: "two", message_id: "id" }, ["user", "two", "id"]],
    [{ text: "three" }, ["user", "three", ""]],
    [{ role: "tool", body: { a: 1 }, message_sid: 7 }, ["user", '{"a":1}', ""]],
    [{}, ["user", "", ""]],
  ])("are read, whatever they lack: %j", (entry, expected) => {
    const read = legacyFrom(entry)!;
    expect([read.role, read.text, read.turnId]).toEqual(expected);
    expect(read.media).toEqual([]);
  });

  it("without a time are before all others", () => {
    expect(legacyFrom({ text: "three" })?.atMs).toBe(0);
  });

  it("and are none are passed over", () => {
    expect([legacyFrom("hi"), legacyFrom(null)]).toEqual([undefined, undefined]);
  });
});
