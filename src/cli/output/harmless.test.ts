import { expect, test } from "vitest";
import { harmless } from "./harmless.ts";

test("what a terminal would obey is written out, and JSON stays the JSON that it was", () => {
  const nasty = "\u001b[2J\u009b31m\u0007\u007f\u202egnp.exe\u2066 \r\u0000";
  const shown = harmless(`a\tb\n${nasty}`);
  expect(shown).toBe("a\tb\n\\u001b[2J\\u009b31m\\u0007\\u007f\\u202egnp.exe\\u2066 \\u000d\\u0000");
  expect(JSON.parse(harmless(JSON.stringify({ nasty })))).toEqual({ nasty });
  expect(harmless("שלום 👋 e\u0301")).toBe("שלום 👋 e\u0301");
});
