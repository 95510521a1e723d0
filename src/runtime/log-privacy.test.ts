import { expect, it } from "vitest";
import { REASON_LENGTH_MAX } from "../core/defaults.ts";
import { maskAddress, safeFields, safely } from "./log-privacy.ts";

it("texts never come into a log, addresses only as far as a reader who knows them recognises them", () => {
  expect(safeFields({ text: "secret", to: "+15550100", reason: "no route to +15550100", tries: 3 })).toEqual({
    to: "****00",
    reason: "no route to ****00",
    tries: 3,
  });
});

it("a line of the log is as long as people read, whatever an error says", () => {
  const { reason } = safeFields({ reason: "why ".repeat(100_000) });
  expect(String(reason).length).toBeLessThanOrEqual(REASON_LENGTH_MAX);
  expect(reason).toMatch(/^why .*…$/);
});

it("of an address that is hardly longer than what stays, nothing stays", () => {
  expect(["", "1", "1234"].map(maskAddress)).toEqual(["****", "****", "****"]);
  expect(maskAddress("12345")).toBe("****45");
});

it("what is safe stays as it is, so that it may be made safe at every border", () => {
  const given = { sender: "+15550100", text: "secret", reason: `to +15550100 ${"x".repeat(5_000)}`, n: 1 };
  const once = safeFields(given);
  expect(safeFields(once)).toEqual(once);
  const harmless = { event: "x", conversation: "c_1", to: undefined, n: 3, is: true };
  expect(safeFields(harmless)).toBe(harmless);
});

it("a log is handed nothing but what it may tell", () => {
  const lines: unknown[] = [];
  const log = safely((...line) => void lines.push(line));
  log("warn", "happened", { sender: "+15550100", text: "secret", n: 1 });
  log("info", "alone");
  expect(lines).toEqual([
    ["warn", "happened", { sender: "****00", n: 1 }],
    ["info", "alone", undefined],
  ]);
});
