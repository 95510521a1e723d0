import { createHmac, hash } from "node:crypto";

/** SHA-1 works on blocks of this size, and a key fills one. */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 20;
/** Far above what a webhook has to sign; a longer text takes the longer way. */
const TEXT_LENGTH_MAX = 8_000;
const UTF8_BYTES_MAX = 3;

/** Of more accounts than this, all are forgotten and made anew: tokens are changed now and then. */
const KEYS_MAX = 1_000;

/** The key's blocks. */
interface Key {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const keys = new Map<string, Key>();

/** A block, and room for what is hashed with it. One text is hashed at a time. */
const inner = Buffer.alloc(BLOCK_BYTES + TEXT_LENGTH_MAX * UTF8_BYTES_MAX);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

/**
 * HMAC-SHA1 in base64, for every webhook: two hashes, as RFC 2104 has it. `createHmac` makes an object
 * outside of JavaScript's memory for each text. Alone in a loop it is as fast, in a busy service about half.
 */
export function hmacSha1(secret: string, text: string): string {
  if (text.length > TEXT_LENGTH_MAX) return createHmac("sha1", secret).update(text).digest("base64");
  const key = keys.get(secret) ?? keep(secret);
  key.inner.copy(inner);
  key.outer.copy(outer);
  const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES);
  outer.write(hash("sha1", inner.subarray(0, end), "binary"), BLOCK_BYTES, "binary");
  return hash("sha1", outer, "base64");
}

function keep(secret: string): Key {
  if (keys.size >= KEYS_MAX) keys.clear();
  const key = keyOf(secret);
  keys.set(secret, key);
  return key;
}

function keyOf(secret: string): Key {
  const given = Buffer.from(secret);
  const key = given.length > BLOCK_BYTES ? hash("sha1", given, "buffer") : given;
  const padded = (pad: number) => {
    const block = Buffer.alloc(BLOCK_BYTES, pad);
    for (const [at, byte] of key.entries()) block[at] = byte ^ pad;
    return block;
  };
  return { inner: padded(0x36), outer: padded(0x5c) };
}
