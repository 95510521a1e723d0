import { createHmac, hash } from "node:crypto";

/** SHA-1 works on blocks of this size, and a key fills one. */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 20;
/** Far above what a webhook has to sign; a longer text takes the longer way. */
const TEXT_LENGTH_MAX = 8_000;
const UTF8_BYTES_MAX = 3;

interface Key {
  readonly secret: string;
  /** The key's block, and room for what is hashed with it. */
  readonly inner: Buffer;
  readonly outer: Buffer;
}

/** Webhooks of one account come in a row. */
let last: Key | undefined;

/**
 * HMAC-SHA1 in base64, for every webhook: two hashes, as RFC 2104 has it. `createHmac` makes an object
 * outside of JavaScript's memory for each text. Alone in a loop it is as fast, in a busy service about half.
 */
export function hmacSha1(secret: string, text: string): string {
  if (text.length > TEXT_LENGTH_MAX) return createHmac("sha1", secret).update(text).digest("base64");
  if (last?.secret !== secret) last = keyOf(secret);
  const { inner, outer } = last;
  const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES);
  outer.write(hash("sha1", inner.subarray(0, end), "binary"), BLOCK_BYTES, "binary");
  return hash("sha1", outer, "base64");
}

function keyOf(secret: string): Key {
  const given = Buffer.from(secret);
  const key = given.length > BLOCK_BYTES ? hash("sha1", given, "buffer") : given;
  const padded = (pad: number, room: number) => {
    const block = Buffer.alloc(BLOCK_BYTES + room, pad);
    for (const [at, byte] of key.entries()) block[at] = byte ^ pad;
    return block;
  };
  return {
    secret,
    inner: padded(0x36, TEXT_LENGTH_MAX * UTF8_BYTES_MAX),
    outer: padded(0x5c, DIGEST_BYTES),
  };
}
