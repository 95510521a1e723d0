import { expect, test } from "vitest";
import { guessable, isGuessable } from "./own-secret.ts";

test("a secret of 16 characters is taken, a shorter one is not", () => {
  expect(isGuessable("s".repeat(16))).toBe(false);
  expect(isGuessable("s".repeat(15))).toBe(true);
  expect(isGuessable("")).toBe(true);
  expect(guessable("LULL_WEB_SECRET")).toBe(
    "LULL_WEB_SECRET is shorter than 16 characters; make one with: openssl rand -base64 24",
  );
});
