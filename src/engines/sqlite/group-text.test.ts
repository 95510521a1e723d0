import { expect, it } from "vitest";
import { groupText } from "./group-text.ts";

const failed = { ok: false, told: { code: "ANSWER_TOO_LARGE", retry: "never" } };

function answer(length: number) {
  return { ok: true as const, result: "x".repeat(length) };
}

it("carries answers and what comes with them, as they are", () => {
  const group = {
    replies: [
      { ok: true as const, result: { outcomes: [{ kind: "nothing" as const }], nextAtMs: 1 } },
      { ok: true as const, result: ["ü"] },
      answer(3),
      { ok: false as const, message: "no" },
    ],
    armedAtMs: 7,
    lost: "moved",
  };
  expect(JSON.parse(groupText(group))).toEqual(group);
  expect(JSON.parse(groupText({ replies: [] }))).toEqual({ replies: [] });
});

it("an answer that is too large fails alone", () => {
  const { replies } = JSON.parse(groupText({ replies: [answer(10), answer(2_000), answer(20)] }, 1_000));
  expect(replies).toMatchObject([answer(10), failed, answer(20)]);
});

it("so does the one with which all of them become too large", () => {
  const { replies } = JSON.parse(groupText({ replies: [answer(600), answer(600), answer(100)] }, 1_000));
  expect(replies).toMatchObject([answer(600), failed, answer(100)]);
});

it("an answer that no text of JavaScript holds fails alone as well", () => {
  const tooLong = () => {
    throw new RangeError("Invalid string length");
  };
  const huge = { ok: true as const, result: Object.assign(["x"], { toJSON: tooLong }) };
  const { replies } = JSON.parse(groupText({ replies: [huge, answer(3)] }));
  expect(replies).toMatchObject([failed, answer(3)]);
});
