import { hash, timingSafeEqual } from "node:crypto";

/** Compares without telling, by the time it takes, how much was right. Hashing first hides the length too. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * The same for a signature, whose length is no secret: every one of its kind is as long, and two hashes are
 * saved.
 */
export function sameSignature(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
