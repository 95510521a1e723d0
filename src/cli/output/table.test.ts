import { expect, test } from "vitest";
import { oneLine, table } from "./table.ts";

test("columns are aligned, also beside emoji and right-to-left text", () => {
  expect(
    table(
      ["id", "text", "when"],
      [
        ["1", "👋", "now"],
        ["22", "שלום", "in 3 s"],
      ],
    ),
  ).toBe(["ID  TEXT  WHEN", "1   👋     now", "22  שלום  in 3 s"].join("\n"));
});

test("a text is cut to one line, and control characters cannot move the cursor", () => {
  expect(oneLine("a\n\tb\u001b[2Jc", 10)).toBe("a b [2Jc");
  expect(oneLine("abcdef", 4)).toBe("abc…");
});
