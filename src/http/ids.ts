/** What a store can have a key for. Ids of ours have 40 characters, those of another system may have more. */
const ID_BYTES_MAX = 1_024;

/** Whether anything can have that id. What comes in a URL may be anything: it is nobody's, and no store is asked for it. */
export function isPossibleId(id: string): boolean {
  return id !== "" && Buffer.byteLength(id) <= ID_BYTES_MAX;
}
