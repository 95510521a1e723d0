import { expect, it } from "vitest";
import { isInstant } from "./instant.ts";

it("an instant can be written as a date, to the last millisecond on both sides", () => {
  for (const atMs of [0, 8.64e15, -8.64e15]) {
    expect(isInstant(atMs)).toBe(true);
    expect(() => new Date(atMs).toISOString()).not.toThrow();
  }
  for (const atMs of [8.64e15 + 1, -8.64e15 - 1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(isInstant(atMs)).toBe(false);
});
