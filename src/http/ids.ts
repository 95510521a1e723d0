/** What a store can have a key for. Ids of ours have 40 characters, those of another system may have more. */
const ID_BYTES_MAX = 1_024;

/**
 * Whether any record can have that id. An id in a URL may be anything; no store is asked for an impossible
 * one.
 */
export function isPossibleId(id: string): boolean {
  return id !== "" && Buffer.byteLength(id) <= ID_BYTES_MAX;
}
