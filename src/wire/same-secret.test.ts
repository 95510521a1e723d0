import { expect, test } from "vitest";
import { sameSecret, sameSignature } from "./same-secret.ts";

test.each([
  ["right", "right", true],
  ["wrong", "right", false],
  ["righ", "right", false],
  ["right ", "right", false],
  ["", "right", false],
  ["", "", true],
  // As many characters, but more bytes: no error.
  ["rïght", "right", false],
])("%j is %j: %s", (given, expected, isSame) => {
  expect(sameSecret(given, expected)).toBe(isSame);
  expect(sameSignature(given, expected)).toBe(isSame);
});
