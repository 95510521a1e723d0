import { describe, expect, it } from "vitest";
import { LATER_MS_MAX, LATER_MS_MIN } from "./defaults.ts";
import { answerFrom, effectsOf, knownIn, REPLY } from "./reply.ts";

const nothing = { kind: "answer", texts: [], media: [] };

describe("a reply", () => {
  it("may be a text, several texts, or an object with either", () => {
    expect(answerFrom("hi")).toEqual({ ...nothing, texts: ["hi"] });
    expect(answerFrom(["one", "two"])).toEqual({ ...nothing, texts: ["one", "two"] });
    expect(answerFrom({ text: "hi" })).toEqual({ ...nothing, texts: ["hi"] });
    expect(answerFrom({ text: ["one", "two"] })).toEqual({ ...nothing, texts: ["one", "two"] });
  });

  it("of nothing is an answer without text", () => {
    for (const reply of [
      null,
      undefined,
      "",
      " \n",
      [],
      ["", " "],
      {},
      { text: "" },
      { text: null as never },
    ]) {
      expect(answerFrom(reply)).toEqual(nothing);
    }
  });

  it("drops empty messages between others, and keeps the space inside a text", () => {
    expect(answerFrom(["one", " ", " two "])).toEqual({ ...nothing, texts: ["one", " two "] });
  });

  it("of something else is sent as its text: a responder in plain JavaScript may return a number", () => {
    expect(answerFrom([42] as never)).toEqual({ ...nothing, texts: ["42"] });
  });

  it("carries media, usage, completion and hand-over", () => {
    const media = [{ url: "https://example.test/a.jpg", contentType: "image/jpeg" }];
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
    const full = { media, usage, complete: false, handOff: "" };
    expect(answerFrom(full)).toEqual({ kind: "answer", texts: [], ...full });
  });

  it("counts tokens up to the last whole number, and nothing that is none", () => {
    const counted = (promptTokens: number) => {
      const answer = answerFrom({ text: "a", usage: { promptTokens, completionTokens: 0, totalTokens: 0 } });
      return answer.kind === "answer" ? answer.usage?.totalTokens : undefined;
    };
    expect(counted(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
    expect(counted(1.2)).toBe(2);
    for (const odd of [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) expect(counted(odd)).toBe(0);
  });

  it("that comes later is announced in seconds, and stored in ms", () => {
    expect(answerFrom({ laterSeconds: 1.5, text: "ignored" })).toEqual({ kind: "later", afterMs: 1_500 });
    expect(answerFrom({ laterSeconds: 0 })).toEqual({ kind: "later", afterMs: LATER_MS_MIN });
  });

  it("comes at a time that will come, whatever was promised", () => {
    const promised = (laterSeconds: number) => answerFrom({ laterSeconds });
    expect(promised(-5)).toEqual({ kind: "later", afterMs: LATER_MS_MIN });
    expect(promised(Number.NaN)).toEqual({ kind: "later", afterMs: LATER_MS_MIN });
    expect(promised(LATER_MS_MAX / 1_000)).toEqual({ kind: "later", afterMs: LATER_MS_MAX });
    expect(promised(Number.POSITIVE_INFINITY)).toEqual({ kind: "later", afterMs: LATER_MS_MAX });
  });
});

it("of a reply only what its schema knows is looked at, and null is none", () => {
  const media = [{ url: "u", contentType: "c", client: {} }, "odd"];
  const given = { text: "hi", other: 1, complete: null, media, usage: { promptTokens: 1, more: 2 } };
  expect(knownIn(given, REPLY)).toEqual({
    text: "hi",
    media: [{ url: "u", contentType: "c" }, "odd"],
    usage: { promptTokens: 1 },
  });
  expect(knownIn("hi", REPLY)).toBe("hi");
});

it("what goes with an answer is carried on as far as it is there", () => {
  expect(effectsOf({ complete: false, handOff: "" })).toEqual({ complete: false, handOff: "" });
  expect(Object.keys(effectsOf({}))).toEqual([]);
});
