import type { Conversation } from "../model/conversation.ts";
import type { ConversationFilter, Inspector, Listing, Page } from "../ports/inspector.ts";
import { filterInParallel } from "../wire/in-parallel.ts";

/** How much of the store one page of a project may cost: rows of other projects are read, and left out. */
const STORE_PAGES_MAX = 20;
const STORE_ROWS_MAX = 2_000;
/** Records that are looked up at once. */
const WIDTH = 20;

/** However few still fit: the last of a page would else be looked for row by row. */
const STORE_PAGE_MIN = 100;

type List<T, P extends Page> = (page: P) => Promise<Listing<T>>;

interface Bound {
  readonly pagesMax: number;
  readonly rowsMax: number;
  /** A store that cuts a page short has looked at as much as it may in one go: at more than it shows. */
  readonly endsWhenCutShort: boolean;
}

/** An operator may read all that there is; a project is bound. */
const BOUND: Bound = { pagesMax: STORE_PAGES_MAX, rowsMax: STORE_ROWS_MAX, endsWhenCutShort: true };
export const UNBOUND: Bound = { pagesMax: Infinity, rowsMax: Infinity, endsWhenCutShort: false };
/** Hundreds of thousands of conversations, in seconds; what is behind them is a cursor away. */
const ONE_SEARCH: Bound = { ...UNBOUND, pagesMax: 50 };

/** For operators, who would take an empty page for the answer: a store looks at so many in one go. */
export function searched(inspector: Inspector, filter: ConversationFilter): Promise<Listing<Conversation>> {
  const list = (page: ConversationFilter) => inspector.conversations(page);
  return theirPages(list, () => true, ONE_SEARCH)(filter);
}

/** Pages of what is theirs: read on until one is full, the store ends, or enough was read. */
export function theirPages<T, P extends Page>(
  list: List<T, P>,
  isTheirs: (item: T) => Promise<boolean> | boolean,
  { pagesMax, rowsMax, endsWhenCutShort }: Bound = BOUND,
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
      if (endsWhenCutShort && found.isCutShort) break;
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
): Promise<Listing<T> & { readonly rows: number; readonly isCutShort: boolean }> {
  const upTo = async (limit: number) => {
    const found = await list({ ...from, limit });
    const isCutShort = found.items.length < limit && found.next !== undefined;
    return { found, isCutShort, theirs: await filterInParallel(found.items, WIDTH, isTheirs) };
  };
  const wide = await upTo(Math.max(room, STORE_PAGE_MIN));
  const last = wide.theirs[room - 1];
  const isFull = wide.theirs.length > room && last !== undefined;
  const { found, theirs, isCutShort } = isFull ? await upTo(wide.found.items.indexOf(last) + 1) : wide;
  const next = found.next === undefined ? {} : { next: found.next };
  return { items: theirs, ...next, rows: found.items.length, isCutShort };
}
