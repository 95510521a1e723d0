import { expect, it } from "vitest";
import { attributesShown } from "./attributes.ts";

it("attributes are shown by name, with the beginning of what they are", () => {
  const given = { openai_thread_id: "thread_1", plan: { seats: 2 }, note: "x".repeat(100) };
  expect(attributesShown(given)).toEqual([
    ["openai_thread_id", "thread_1"],
    ["plan", '{"seats":2}'],
    ["note", `${"x".repeat(59)}…`],
  ]);
});

it("neither a name nor a value begins a line of its own", () => {
  const [[name, value]] = attributesShown({ "a\nb": "c\r\nd\u001b[2J" }) as [[string, string]];
  expect(name).toBe('"a\\nb"');
  expect(value).toBe("c d [2J");
});

it("of many, the first are shown, and how many there are more", () => {
  const rows = attributesShown(Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`k${at}`, at])));
  expect(rows.length).toBe(21);
  expect(rows.at(-1)).toEqual(["…", "5 more: --json"]);
});
