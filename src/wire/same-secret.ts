import { hash, timingSafeEqual } from "node:crypto";

/** Compares without telling, by the time it takes, how much was right. Hashing first hides the length too. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
