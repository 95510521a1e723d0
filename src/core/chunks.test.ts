import { describe, expect, it } from "vitest";
import { splitText } from "./chunks.ts";

const graphemes = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
const dense = (text: string) => text.replaceAll(/\s+/g, "");

/** What must hold for every text: it fits, nothing is missing, no character is cut. */
function check(text: string, max: number): string[] {
  const chunks = splitText(text, max);
  for (const chunk of chunks) {
    expect(chunk.length).toBeLessThanOrEqual(max);
    expect(chunk.trim()).toBe(chunk);
    expect(chunk).not.toBe("");
  }
  expect(dense(chunks.join(""))).toBe(dense(text));
  expect(chunks.flatMap((chunk) => graphemes(dense(chunk)))).toEqual(graphemes(dense(text)));
  return chunks;
}

describe("a text", () => {
  it("that fits is one chunk, without the space around it", () => {
    expect(splitText("  hello  ", 5)).toEqual(["hello"]);
    expect(splitText("hello", 5)).toEqual(["hello"]);
  });

  it("of nothing is no chunk", () => {
    expect(splitText("", 10)).toEqual([]);
    expect(splitText(" \n ", 10)).toEqual([]);
  });

  it("one unit too long is two chunks", () => {
    expect(splitText("hello!", 5)).toEqual(["hello", "!"]);
  });

  it("comes to an end with room for one unit, even if that is half a character", () => {
    expect(splitText("a😀", 1).join("")).toBe("a😀");
  });

  it("is cut at the last space that a whole chunk reaches, and at none behind it", () => {
    expect(splitText("aaaa b cc", 6)).toEqual(["aaaa b", "cc"]);
    expect(splitText("aaaa bb cc", 6)).toEqual(["aaaa", "bb cc"]);
    // Nor at one in its first half: that would make many small chunks.
    expect(splitText("aaa bbbbbb", 6)).toEqual(["aaa bb", "bbbb"]);
  });

  it("is cut at a blank line rather than at a line, a sentence or a word", () => {
    expect(splitText("first part. so\nfar\n\nsecond part", 22)).toEqual([
      "first part. so\nfar",
      "second part",
    ]);
    expect(splitText("first part. so\nfar second part", 22)).toEqual(["first part. so", "far second part"]);
    expect(splitText("the first part. so far second", 24)).toEqual(["the first part.", "so far second"]);
    expect(splitText("the first part so far second", 24)).toEqual(["the first part so far", "second"]);
  });

  it("is not cut at a good place that comes too early", () => {
    expect(splitText("a\n\nbcdefghij klmno", 14)).toEqual(["a\n\nbcdefghij", "klmno"]);
  });

  it("in a script with its own full stop is cut behind it", () => {
    const [question, answer] = ["مرحبا كيف حالك؟", "أنا بخير"];
    expect(splitText(`${question} ${answer}`, 20)).toEqual([question, answer]);
  });
});

describe("no character is cut", () => {
  const families = "👩‍👩‍👧‍👦".repeat(40);
  const flags = "🇩🇪🇫🇷🇯🇵".repeat(40);
  const skins = "👍🏽👋🏿".repeat(40);
  const combining = "e\u0301\u0323o\u0308".repeat(60);
  const devanagari = "क्षत्रिय".repeat(40);
  const hangul = "한국어".normalize("NFD").repeat(40);

  it.each(Object.entries({ families, flags, skins, combining, devanagari, hangul }))(
    "in a text of %s without a space, at any length",
    (_name, text) => {
      for (let max = 12; max < 60; max += 1) check(text, max);
    },
  );

  it("at any place of a text that mixes them all", () => {
    const characters = [
      families.slice(0, 22),
      flags.slice(0, 12),
      skins.slice(0, 16),
      combining.slice(0, 20),
    ];
    const text = `${"x".repeat(30)}${characters.join("")}`;
    for (let lead = 0; lead < 30; lead += 1) check(text.slice(lead), 24);
  });

  it("unless one character is longer than a whole chunk", () => {
    const long = `e${"\u0301".repeat(20)}`;
    expect(splitText(long, 10).map((chunk) => chunk.length)).toEqual([10, 10, 1]);
  });

  it("and then between its code points, where there is room for one", () => {
    expect(splitText("👩‍👩", 4)).toEqual(["👩‍", "👩"]);
    expect(splitText("👍👍", 3)).toEqual(["👍", "👍"]);
    expect(splitText("ab", 0)).toEqual(["a", "b"]);
  });
});

describe("long texts", () => {
  it("of 64 KB of words are cut into chunks that fit", () => {
    const text = "Lorem ipsum dolor sit amet, consectetur. ".repeat(1_600);
    const chunks = check(text, 1_600);
    expect(chunks.length).toBeLessThan(60);
  });

  it("of 64 KB without a space are cut too, emoji and all", () => {
    check("x".repeat(65_536), 1_600);
    check("👩‍👩‍👧‍👦".repeat(6_000), 1_600);
  });

  it("written from right to left keep their order", () => {
    const text = "שלום לכולם, זהו טקסט ארוך מאוד. ".repeat(300);
    const chunks = check(text, 1_600);
    expect(chunks[0]?.startsWith("שלום")).toBe(true);
  });
});
