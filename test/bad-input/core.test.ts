import fc from "fast-check";
import { expect, test } from "vitest";
import { type Batchable, cutBatch, inOrder, mergeTexts } from "../../src/core/batch.ts";
import { splitText } from "../../src/core/chunks.ts";
import { conversationId, messageId } from "../../src/core/identity.ts";
import { answerFrom } from "../../src/core/reply.ts";
import type { Reply } from "../../src/model/reply.ts";
import { hold } from "./hold.ts";
import { nastyText } from "./nasty-json.ts";

/** What a model or a person may write: all scripts, joined emoji, accents without end, much white space. */
const prose = fc
  .array(
    fc.oneof(
      nastyText,
      fc.constantFrom(
        " ",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        ". ",
        "! ",
        "。",
        "\u200d",
        "\u0301",
        "👨‍👩‍👧‍👦",
        "🇸🇻",
      ),
      fc.string({ unit: "grapheme", maxLength: 30 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

const withoutSpace = (text: string) => text.replaceAll(/\s/g, "");
const halves = (text: string) =>
  text.length - [...text].filter((each) => each.isWellFormed()).join("").length;

test("chunks hold everything but white space, none is too long, none is empty", () =>
  hold(
    fc.property(prose, fc.integer({ min: 1, max: 80 }), (text, max) => {
      const chunks = splitText(text, max);
      expect(withoutSpace(chunks.join(""))).toBe(withoutSpace(text));
      for (const chunk of chunks) {
        expect(chunk.length).toBeLessThanOrEqual(max);
        expect(chunk.trim()).not.toBe("");
      }
      expect(splitText(text, max)).toEqual(chunks);
    }),
    { share: 3 },
  ));

test("no cut makes half a character", () =>
  hold(
    // A limit of one unit cannot hold a character of two.
    fc.property(prose, fc.integer({ min: 2, max: 40 }), (text, max) => {
      const cut = splitText(text, max).reduce((sum, chunk) => sum + halves(chunk), 0);
      expect(cut).toBe(halves(text.trim()));
    }),
    { share: 3 },
  ));

test("splitting comes to an end whatever limit a channel names", () =>
  hold(
    fc.property(
      prose,
      fc.oneof(fc.constantFrom(0, -1, 0.5, Number.NaN, Infinity, -Infinity), fc.double()),
      (text, max) => {
        expect(withoutSpace(splitText(text, max).join(""))).toBe(withoutSpace(text));
      },
    ),
  ));

test("the longest texts are split in no time", () => {
  for (const unit of ["\n", " ", "a", "👨‍👩‍👧‍👦", "\u0301", ". ", "\n \n", "\r\n"]) {
    const text = `x${unit.repeat(Math.ceil(1_000_000 / unit.length))}x`;
    const before = process.cpuUsage();
    splitText(text, 1_600);
    splitText(text, 100_000);
    expect(process.cpuUsage(before).user / 1_000, JSON.stringify(unit)).toBeLessThan(3_000);
  }
});

/** Few different values, so that ties are common. */
const message: fc.Arbitrary<Batchable> = fc
  .record(
    {
      arrivedAtMs: fc.nat(3),
      sentAtMs: fc.nat(3),
      position: fc.nat(2),
      sequence: fc.nat(2),
      bytes: fc.nat(50),
    },
    { requiredKeys: ["arrivedAtMs", "position", "sequence", "bytes"] },
  )
  .map((fields) => fields as Batchable);
const messages = fc
  .array(message, { maxLength: 12 })
  .map((list) => list.map((each, at) => ({ ...each, id: `m${at}` })));
const shuffled = messages.chain((list) =>
  fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
);

test("the order of messages is one order, however they come", () =>
  hold(
    fc.property(shuffled, ([list, other]) => {
      const ordered = inOrder(list);
      expect(inOrder(other)).toEqual(ordered);
      expect(inOrder(ordered)).toEqual(ordered);
      expect(new Set(ordered)).toEqual(new Set(list));
    }),
  ));

test("two messages compare the same in every company that has the same clock", () =>
  hold(
    fc.property(messages, ([...list]) => {
      const sameClock = list.every(({ sentAtMs }) => sentAtMs !== undefined)
        ? list
        : list.map(({ sentAtMs: _, ...rest }) => rest);
      const ordered = inOrder(sameClock);
      for (const [at, a] of ordered.entries())
        for (const b of ordered.slice(at + 1)) expect(inOrder([b, a])).toEqual([a, b]);
    }),
  ));

test("a batch is in order, within its limits unless it is one message, and never empty", () =>
  hold(
    fc.property(
      shuffled,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 120 }),
      fc.uniqueArray(fc.nat(11), { maxLength: 4 }),
      ([list, other], batchMessagesMax, batchBytesMax, earlier) => {
        const first = new Set(earlier.map((at) => `m${at}`));
        const limits = { batchMessagesMax, batchBytesMax };
        const { batch, cut } = cutBatch(list, limits, first);
        expect(cutBatch(other, limits, first)).toEqual({ batch, cut });
        expect(inOrder(batch)).toEqual(batch);
        expect(cut).toBe(batch.length < list.length);
        if (list.length > 0) expect(batch.length).toBeGreaterThan(0);
        for (const each of list) if (first.has(each.id)) expect(batch).toContain(each);
        const added = batch.filter(({ id }) => !first.has(id));
        if (added.length > 0 && batch.length > 1) {
          expect(batch.length).toBeLessThanOrEqual(batchMessagesMax);
          expect(batch.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(batchBytesMax);
        }
      },
    ),
    { share: 2 },
  ));

test("merged texts are the texts, one after the other, without the empty ones", () =>
  hold(
    fc.property(fc.array(nastyText), (texts) => {
      const merged = mergeTexts(texts.map((text) => ({ text })));
      expect(merged).toBe(texts.filter((text) => text !== "").join("\n"));
    }),
  ));

const seconds = fc.oneof(fc.double(), fc.constantFrom(0, -1, 1e300, 300));
const reply = fc.oneof(
  nastyText,
  fc.array(nastyText, { maxLength: 4 }),
  fc.constantFrom(null, undefined),
  fc.record(
    {
      text: fc.oneof(nastyText, fc.array(nastyText, { maxLength: 4 }), fc.constant(null)),
      media: fc.oneof(
        fc.constant(null),
        fc.constant([{ url: "https://x.example/a", contentType: "image/png" }]),
      ),
      complete: fc.oneof(fc.boolean(), fc.constant(null)),
      handOff: fc.oneof(nastyText, fc.constant(null)),
      laterSeconds: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(undefined, null) },
        { weight: 1, arbitrary: seconds },
      ),
    },
    { requiredKeys: [] },
  ),
) as fc.Arbitrary<Reply>;

test("whatever a responder returns is words, silence, or a time that comes", () =>
  hold(
    fc.property(reply, (given) => {
      const answer = answerFrom(given);
      expect(answerFrom(given)).toEqual(answer);
      const { laterSeconds = null } = Object(given) as { laterSeconds?: number };
      expect(answer.kind).toBe(laterSeconds === null ? "answer" : "later");
      if (answer.kind === "later") {
        expect(answer.afterMs).toBeGreaterThanOrEqual(0);
        // A date that can be written down, whenever it is asked for.
        expect(new Date(Date.now() + answer.afterMs).getTime()).not.toBeNaN();
      } else {
        for (const text of answer.texts) expect(text.trim()).not.toBe("");
        expect(Array.isArray(answer.media)).toBe(true);
      }
    }),
  ));

const wellFormed = nastyText.map((text) => text.toWellFormed());

test("different messages and different people never share a name", () =>
  hold(
    fc.property(fc.array(wellFormed, { minLength: 8, maxLength: 8 }), ([a, b, c, d, e, f, g, h]) => {
      const one = [a, b, c, d] as [string, string, string, string];
      const two = [e, f, g, h] as [string, string, string, string];
      const idOf = ([channelType, address, sender, previous]: typeof one) =>
        conversationId("secret", { channelType, address, sender }, previous);
      expect(idOf(one) === idOf(two)).toBe(JSON.stringify(one) === JSON.stringify(two));
      // Channels have plain names.
      const [named, other] = [messageId("web", a!, b!), messageId("web", e!, f!)];
      expect(named === other).toBe(a === e && b === f);
    }),
  ));
