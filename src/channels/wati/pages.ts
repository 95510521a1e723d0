import type { Fields } from "../../wire/json-object.ts";
import { type Ask, unlisted } from "./ask.ts";
import { firstText, objectIn, text } from "./body.ts";

const PAGE_SIZE = 100;
/** WATI's own page is no shorter: one with fewer is the last. It may give fewer than it is asked for. */
const SHORTEST_PAGE = 10;

export interface PagedList {
  /** With its query, if it has one. */
  readonly path: string;
  readonly pagesMax: number;
  /** For people: what there is too much of. */
  readonly what: string;
  items(answer: Fields): unknown;
}

/** Page by page, each once. A list without its end is an error, after everything that came. */
export async function* pagesOf(ask: Ask, list: PagedList): AsyncGenerator<readonly Fields[]> {
  let before = "";
  for (let page = 1; page <= list.pagesMax; page++) {
    const answer = await ask(`${list.path}?pageSize=${PAGE_SIZE}&pageNumber=${page}`);
    const items = list.items(answer);
    if (!Array.isArray(items)) throw unlisted(`WATI's list of ${list.what} could not be read`, "never");
    const fields = items.map(objectIn);
    if (fields.length > 0) yield fields;
    if (fields.length < SHORTEST_PAGE || saysLast(answer)) return;
    const ids = JSON.stringify(fields.map((each) => firstText(each, "id") ?? each));
    if (ids === before) throw unlisted(`WATI gives the same page of ${list.what} again and again`, "never");
    before = ids;
  }
  throw unlisted(`WATI's list of ${list.what} has more than ${list.pagesMax} pages`, "never");
}

/** Where WATI names the page before or after, and no next one. */
function saysLast({ link }: Fields): boolean {
  const links = objectIn(link);
  return "nextPage" in links && text(links.nextPage) === undefined;
}
