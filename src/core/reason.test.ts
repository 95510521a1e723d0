import { expect, it } from "vitest";
import { REASON_LENGTH_MAX } from "./defaults.ts";
import { shortReason } from "./reason.ts";

it("a reason that fits stays as it is, one that does not shows that it was longer", () => {
  const fits = "x".repeat(REASON_LENGTH_MAX);
  expect(shortReason(fits)).toBe(fits);
  expect(shortReason(`${fits}x`)).toBe(`${"x".repeat(REASON_LENGTH_MAX - 1)}…`);
});

it("a reason is not cut inside a character", () => {
  const cut = shortReason("👩‍👩‍👧‍👦".repeat(1_000));
  expect(cut.isWellFormed()).toBe(true);
  expect(cut.length).toBeLessThanOrEqual(REASON_LENGTH_MAX);
  expect(cut).toMatch(/^(👩‍👩‍👧‍👦)+…$/u);
});
