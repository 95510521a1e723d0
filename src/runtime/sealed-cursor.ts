import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { InvalidRequest } from "../errors.ts";
import type { Listing, Page } from "../ports/inspector.ts";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A store's cursor names the last row that was read, which may be another project's. `key` has 32 bytes, the
 * same in every process, since the next page may be asked of another one. `list`: what the cursor is for.
 */
export function withSealedCursors<T, P extends Page>(
  list: string,
  key: () => Promise<Buffer>,
  read: (page: P) => Promise<Listing<T>>,
): (page: P) => Promise<Listing<T>> {
  return async (page) => {
    const { cursor } = page;
    const from = cursor === undefined ? {} : { cursor: opened(await key(), list, cursor) };
    const { items, next } = await read({ ...page, ...from });
    return { items, ...(next !== undefined && { next: sealed(await key(), list, next) }) };
  };
}

function sealed(key: Buffer, list: string, cursor: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(list));
  const hidden = Buffer.concat([cipher.update(cursor, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString("base64url");
}

function opened(key: Buffer, list: string, given: string): string {
  const bytes = Buffer.from(given, "base64url");
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(list)).setAuthTag(tag);
    const hidden = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([cipher.update(hidden), cipher.final()]).toString("utf8");
  } catch {
    throw new InvalidRequest("the cursor is not one that a page of this list gave");
  }
}
