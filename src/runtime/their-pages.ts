import type { Listing, Page } from "../ports/inspector.ts";

/** How much of the store one page of a project may cost: rows of other projects are read, and left out. */
const STORE_PAGES_MAX = 20;
const STORE_ROWS_MAX = 2_000;
/** Records that are looked up at once. */
const WIDTH = 20;

type List<T, P extends Page> = (page: P) => Promise<Listing<T>>;

/** Pages of what is theirs: read on until one is full, the store ends, or enough was read. */
export function theirPages<T, P extends Page>(
  list: List<T, P>,
  isTheirs: (item: T) => Promise<boolean> | boolean,
): List<T, P> {
  return async (page) => {
    const items: T[] = [];
    let next = page.cursor;
    let rows = 0;
    for (let read = 0; read < STORE_PAGES_MAX && rows < STORE_ROWS_MAX; read += 1) {
      // Never more than fit: the store's cursor is then right for the page that follows.
      const limit = page.limit - items.length;
      const found = await list({ ...page, limit, ...(next !== undefined && { cursor: next }) });
      items.push(...(await those(found.items, isTheirs)));
      next = found.next;
      rows += found.items.length;
      if (next === undefined || items.length >= page.limit) break;
    }
    return { items, ...(next !== undefined && { next }) };
  };
}

async function those<T>(
  items: readonly T[],
  isWanted: (item: T) => Promise<boolean> | boolean,
): Promise<T[]> {
  const wanted: T[] = [];
  for (let at = 0; at < items.length; at += WIDTH) {
    const some = items.slice(at, at + WIDTH);
    const answers = await Promise.all(some.map(isWanted));
    wanted.push(...some.filter((_, index) => answers[index]));
  }
  return wanted;
}
