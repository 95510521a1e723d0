import { expect, it } from "vitest";
import { REASON_LENGTH_MAX } from "./defaults.ts";
import { maskAddress, safeFields } from "./privacy.ts";

it("texts never come into a log, addresses only as one who knows them recognises them", () => {
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
