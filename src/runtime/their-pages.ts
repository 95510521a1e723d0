import type { Listing, Page } from "../ports/inspector.ts";

/** How much of the store one page of a project may cost: rows of other projects are read, and left out. */
const STORE_PAGES_MAX = 20;
const STORE_ROWS_MAX = 2_000;
/** Records that are looked up at once. */
const WIDTH = 20;

/** However few still fit: the last of a page would else be looked for row by row. */
const STORE_PAGE_MIN = 100;

type List<T, P extends Page> = (page: P) => Promise<Listing<T>>;

/** An operator may read all that there is; a project is bound. */
const BOUND = { pagesMax: STORE_PAGES_MAX, rowsMax: STORE_ROWS_MAX };
export const UNBOUND: typeof BOUND = { pagesMax: Infinity, rowsMax: Infinity };

/** Pages of what is theirs: read on until one is full, the store ends, or enough was read. */
export function theirPages<T, P extends Page>(
  list: List<T, P>,
  isTheirs: (item: T) => Promise<boolean> | boolean,
  { pagesMax, rowsMax } = BOUND,
): List<T, P> {
  return async (page) => {
    const items: T[] = [];
    let next = page.cursor;
    let rows = 0;
    for (let read = 0; read < pagesMax && rows < rowsMax; read += 1) {
      const from = { ...page, ...(next !== undefined && { cursor: next }) };
      const found = await pageThatFits(list, isTheirs, from, page.limit - items.length);
      items.push(...found.items);
      next = found.next;
      rows += found.rows;
      if (next === undefined || items.length >= page.limit) break;
    }
    return { items, ...(next !== undefined && { next }) };
  };
}

/** If more is theirs than fits, the page is read again up to the last that does: its cursor is then right. */
async function pageThatFits<T, P extends Page>(
  list: List<T, P>,
  isTheirs: (item: T) => Promise<boolean> | boolean,
  from: P,
  room: number,
): Promise<Listing<T> & { readonly rows: number }> {
  const upTo = async (limit: number) => {
    const found = await list({ ...from, limit });
    return { found, theirs: await those(found.items, isTheirs) };
  };
  const wide = await upTo(Math.max(room, STORE_PAGE_MIN));
  const last = wide.theirs[room - 1];
  const isFull = wide.theirs.length > room && last !== undefined;
  const { found, theirs } = isFull ? await upTo(wide.found.items.indexOf(last) + 1) : wide;
  const next = found.next === undefined ? {} : { next: found.next };
  return { items: theirs, ...next, rows: found.items.length };
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
