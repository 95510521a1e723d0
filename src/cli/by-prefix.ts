import type { Engine } from "../ports/engine.ts";
import type { Listing, Page } from "../ports/inspector.ts";
import { searched } from "../runtime/their-pages.ts";
import { CommandFailed } from "./usage-error.ts";

const PAGE = 200;
/** How much of a list is searched for the beginning of an id. */
const SEARCHED_MAX = 10_000;
/** Shorter beginnings are typing errors, or match everything. */
const PREFIX_LENGTH_MIN = 4;
const SHOWN_MAX = 5;

type Read = (page: Page) => Promise<Listing<{ readonly id: string }>>;

/**
 * Read to the end before the first is touched: a list that changes while it is paged through skips entries.
 */
export async function everyOne<T>(read: (page: Page) => Promise<Listing<T>>): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    all.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return all;
}

/** The id that is meant by its beginning; what was given, if there is none. */
export async function idLike(given: string, read: Read): Promise<string> {
  if (given.length < PREFIX_LENGTH_MIN) throw tooShort(given);
  const found: string[] = [];
  let cursor: string | undefined;
  for (let searched = 0; searched < SEARCHED_MAX; ) {
    const { items, next } = await read({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    if (items.some(({ id }) => id === given)) return given;
    found.push(...items.map(({ id }) => id).filter((id) => id.startsWith(given)));
    searched += items.length;
    cursor = next;
    if (cursor === undefined || found.length > SHOWN_MAX) break;
  }
  return onlyOne(given, found);
}

export async function conversationLike({ conversations, inspector }: Engine, given: string): Promise<string> {
  if (await conversations.get(given)) return given;
  if (given.length < PREFIX_LENGTH_MIN) throw tooShort(given);
  const { items } = await searched(inspector, { search: given, limit: PAGE });
  return onlyOne(
    given,
    items.map(({ id }) => id).filter((id) => id.startsWith(given)),
  );
}

function tooShort(given: string): CommandFailed {
  return new CommandFailed(
    `${given} is too short for an id: give ${PREFIX_LENGTH_MIN} characters of it, or more`,
  );
}

function onlyOne(given: string, found: readonly string[]): string {
  const [first = given, ...others] = new Set(found);
  if (others.length === 0) return first;
  const shown = [first, ...others].slice(0, SHOWN_MAX).join(", ");
  throw new CommandFailed(`${given} is the beginning of several ids: ${shown}`);
}
