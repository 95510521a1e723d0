import { hash } from "node:crypto";

/** Salted, so that an id cannot be found by trying: it stays when its person is erased. */
export function hashedId(salt: string, id: string): Uint8Array {
  return hash("sha256", salt + id, "buffer").subarray(0, 16);
}
