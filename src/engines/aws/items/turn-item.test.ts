import { describe, expect, it } from "vitest";
import type { Sound } from "../../../core/shape.ts";
import type { HistoryMessage, MessagePart } from "../../../model/history.ts";
import type { TurnRecord } from "../../../model/turn.ts";
import type { Item } from "../dynamo/expression.ts";
import { fits } from "./item-size.ts";
import {
  type Committed,
  holdsRecord,
  type LeftByTurn,
  recordFrom,
  SAID,
  saidFrom,
  turnItems,
} from "./turn-item.ts";

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

const itemsOf = (...said: HistoryMessage[]) => turnItems({ conversationId: "c", turnId: "t", said }, ATOMS);

/** As the store gives it back. */
const stored = (item: Item) => JSON.parse(JSON.stringify(item)) as Item;

function sound<T>(read: Sound<T>): T {
  if (read.kind === "foreign") throw new Error(read.why);
  return read.value;
}

function readBack(items: readonly Item[]): HistoryMessage[] {
  const spoken = items.filter(({ item_id }) => String(item_id).startsWith(SAID));
  return spoken.flatMap((item) => sound(saidFrom(stored(item))).messages);
}

function recordsIn(items: readonly Item[]): TurnRecord[] {
  return items.filter(holdsRecord).map((item) => sound(recordFrom(stored(item))));
}

const recordOf = (messageIds: readonly string[]): TurnRecord => ({
  turnId: "t",
  conversationId: "c",
  outcome: "replied",
  channel: "test",
  messageIds,
  providerIds: ["SM1"],
  attempts: 1,
  restarts: 0,
  openedAtMs: 1,
  dueAtMs: 2,
  takenAtMs: 3,
  answeredAtMs: 4,
  committedAtMs: 5,
});

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

  it("and a customer's words are stored once: as parts", () => {
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
    const parts = [[partOf("another")], [partOf(text)], undefined];
    for (const message of parts.map((some) => said({ text, media, ...(some && { parts: some }) }))) {
      const [read, ...more] = readBack(itemsOf(message));
      expect(more).toEqual([]);
      expect(read?.text).toHaveLength(90_000);
      expect(read?.text.endsWith(" the end")).toBe(true);
      expect([read?.media, read?.parts]).toEqual([[], undefined]);
    }
  });

  it("but would hold without its parts is stored without them", () => {
    const parts = [large(1), large(2), large(3)];
    const message = said({ text: "a summary", media, parts });
    const { parts: _parts, ...merged } = message;
    expect(readBack(itemsOf(message))).toEqual([merged]);
  });
});

describe("what a turn leaves", () => {
  const user = said({ text: "hi\nyou", parts: [partOf("hi"), partOf("you")] });
  const reply = said({ role: "assistant", text: "hello" });
  const ids = user.parts!.map(({ id }) => id);
  const leaves = (given: Partial<LeftByTurn> = {}, committed: Committed = ATOMS) =>
    turnItems({ conversationId: "c", turnId: "t", said: [user, reply], ...given }, committed);

  it("is one item: both sides, and its record", () => {
    const items = leaves({ record: recordOf(ids) });
    expect(items).toHaveLength(1);
    expect(items[0]).not.toHaveProperty("message_ids");
    expect(readBack(items)).toEqual([user, reply]);
    expect(recordsIn(items)).toEqual([recordOf(ids)]);
  });

  it.each([
    ["other messages than were said", [user, reply], ["another"]],
    ["messages, and nothing is told of them", [reply], ids],
    ["no messages", [reply], []],
    ["nothing that was said", [], []],
  ])("keeps a record that names %s", (_, spoken, messageIds) => {
    const items = leaves({ said: spoken, record: recordOf(messageIds) });
    expect(items).toHaveLength(1);
    expect(readBack(items)).toEqual(spoken);
    expect(recordsIn(items)).toEqual([recordOf(messageIds)]);
  });

  it("has no record where none was kept", () => {
    expect(leaves().filter(holdsRecord)).toEqual([]);
  });

  it("is to 0.1.0 what was said last, and nothing that it would misread", () => {
    const [item] = leaves({ record: recordOf(ids) });
    expect(item).toMatchObject({ turn_id: "t", role: "assistant", body: "hello", media: [], at_ms: 1_000 });
    expect(leaves({ said: [], record: recordOf(ids) })[0]!.item_id).toBe("t#000000000001000#000000000");
  });

  it("is in as few items as hold it, with the record in the first that has room", () => {
    const long = (letter: string) => partOf(letter.repeat(180_000));
    const parts = [long("a"), long("b"), long("c")];
    const text = parts.map((part) => part.text).join("\n");
    const record = recordOf(parts.map(({ id }) => id));
    const items = leaves({
      said: [said({ text, parts }), said({ role: "assistant", text: "d".repeat(180_000) })],
      record,
    });
    expect(items.every(fits)).toBe(true);
    expect(items.map(({ item_id }) => item_id)).toEqual([
      "m#000000000001000#000000000",
      "m#000000000001000#000000001",
    ]);
    expect(items.map(holdsRecord)).toEqual([true, false]);
    expect(recordsIn(items)).toEqual([record]);
    expect(readBack(items).map((each) => each.text.length)).toEqual([360_001, 180_000, 180_000]);
  });

  it("has its record apart where nothing that was said leaves room for it", () => {
    const whole = said({ role: "assistant", text: "x".repeat(399_850) });
    const items = leaves({ said: [whole], record: recordOf(ids) });
    expect(items.map(({ item_id }) => String(item_id).slice(0, 2))).toEqual(["m#", "t#"]);
    expect(readBack(items)).toEqual([whole]);
    expect(recordsIn(items)).toEqual([recordOf(ids)]);
  });

  it("is kept for good without a retention time", () => {
    expect(leaves()[0]).not.toHaveProperty("expires_at");
  });

  it("expires that long after its commit with one, in whole seconds", () => {
    const parts = [partOf("a".repeat(300_000)), partOf("b".repeat(300_000))];
    const long = said({ text: parts.map(({ text }) => text).join("\n"), parts });
    const items = leaves({ said: [long] }, { atMs: 1_000, retentionMs: 60_000 });
    expect(items.map(({ expires_at }) => expires_at)).toEqual([61, 61]);
  });
});

describe("what is in our place and not ours", () => {
  const ours = { turn_id: "t", role: "user", body: "hi", media: [], at_ms: 1 };
  it.each([
    ["a message without a role", { ...ours, role: undefined }],
    ["a list that is none", { ...ours, before: "none" }],
    ["a number for a list", { ...ours, before: 7 }],
    ["an entry that is none", { ...ours, before: [7] }],
    ["an entry without a role", { ...ours, before: [{ body: "hi", at_ms: 1 }] }],
  ])("is told by %s", (_, item) => {
    expect(saidFrom(ours).kind).toBe("sound");
    expect(saidFrom(item).kind).toBe("foreign");
  });

  it("and has invalid parts makes no record", () => {
    const item = { ...ours, outcome: "replied", parts: [7], before: [null, { parts: [null, 7] }] };
    expect(recordFrom(item).kind).toBe("foreign");
  });
});
