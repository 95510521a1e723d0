import { mayBring } from "../core/own-addresses.ts";
import { InvalidRequest } from "../errors.ts";
import {
  isPlace,
  KEPT_KINDS,
  type KeptKind,
  type KeptOf,
  type KeptRecord,
  type PersonAt,
} from "../model/kept.ts";
import type { Log } from "../model/log.ts";
import { flag, name, object, optional, text } from "../schema/schema.ts";
import { checkRequest } from "./check-request.ts";
import { knownChannel } from "./known-channel.ts";
import { allOf, type Found, type Only, type Progress, type Search, searched } from "./person-search.ts";
import type { UseCaseContext } from "./use-case.ts";

export const PERSON_REQUEST = object({
  customer: name(
    "The customer's own address: a number, with or without a prefix, a mail address or a user id.",
  ),
  channel: optional(text("Only what came over this channel, at its addresses.")),
  thorough: optional(
    flag(
      "Also at addresses of yours that are configured no more. On AWS each conversation is then looked at, " +
        "which may take minutes; a command does so always.",
    ),
  ),
});

export interface PersonRequest {
  readonly customer: string;
  readonly channel?: string;
  readonly thorough?: boolean;
}

export interface PersonOptions {
  /** Called now and then: pages that were looked through, and rows that were read or removed. */
  readonly onProgress?: (done: { readonly pages: number; readonly rows: number }) => void;
}

export type KeptCounts = Readonly<Partial<Record<KeptKind, number>>>;

/** Where a person is, and how much is kept of them there. */
export interface PersonFound {
  readonly places: readonly PersonAt[];
  /** Rows by kind; a kind of which there is nothing is left out. */
  readonly kept: KeptCounts;
  /** Who had the number before, or has it by now: other people, whose rows are neither shown nor removed. */
  readonly others: readonly string[];
}

export interface PersonErased {
  readonly result: "erased" | "erasing" | "not-found";
  /** What there was when it began. */
  readonly removed: KeptCounts;
  /** What is there again, or still: the person goes on writing. Ask once more. */
  readonly left: KeptCounts;
  readonly others: readonly string[];
}

/** One row of an export. */
export interface KeptItem extends KeptRecord {
  readonly kind: KeptKind;
  /** Our address, and its type of channel, where the row tells. */
  readonly channelType?: string;
  readonly address?: string;
}

export interface KeptItems {
  readonly items: readonly KeptItem[];
  readonly next?: string;
}

/** What people have a right to: to see what is kept of them, and to have it erased. */
export interface PeoplesRights {
  /** What is kept of a person, counted. */
  findPerson(request: PersonRequest, options?: PersonOptions): Promise<PersonFound>;
  /** Erases a person from every conversation, under each of their names. Repeat it if it was cut short. */
  erasePerson(request: PersonRequest, options?: PersonOptions): Promise<PersonErased>;
  /** All that is kept of a person, row by row. */
  exportPerson(request: PersonRequest, options?: PersonOptions): AsyncIterable<KeptItem>;
  /** A page of it, for callers who ask page by page. */
  personPage(request: PersonRequest, page: { limit: number; cursor?: string }): Promise<KeptItems>;
}

/** Rows of one page. A store makes it shorter where rows are long. */
const PAGE_ROWS = 200;
/** A person who writes while they are erased is found again, but not for ever. */
const ERASURES_MAX = 5;

export function peoplesRights({
  engine,
  channels,
  settings,
  log,
}: UseCaseContext & { readonly log: Log }): PeoplesRights {
  const context = async (request: PersonRequest, options: PersonOptions = {}) => {
    checkRequest(request, PERSON_REQUEST);
    const only = request.channel === undefined ? undefined : onlyOver(request.channel);
    if (request.customer.trim() === "") throw new InvalidRequest("customer must not be blank");
    const progress = progressOf(options);
    const { customer, thorough: isThorough = false } = request;
    return { people: (await engine()).people, customer, channels, only, progress, isThorough };
  };
  const onlyOver = (given: string): Only => {
    const { type } = knownChannel(channels, given);
    const isTheirs = ({ channelType, address }: PersonAt) =>
      channelType === type && mayBring(settings.channels, given, address);
    return { channel: given, type, isTheirs };
  };
  return {
    async findPerson(request, options) {
      const search = await context(request, options);
      return counted(search, await searched(search));
    },
    async erasePerson(request, options) {
      const search = await context(request, options);
      const erased = await eraseAll(search);
      if (erased.result !== "not-found") log("warn", "person.erased", audit(erased));
      return erased;
    },
    async *exportPerson(request, options) {
      const search = await context(request, options);
      const found = await searched(search);
      for (const of of allOf(search, found)) for (const kind of KEPT_KINDS) yield* rowsOf(search, of, kind);
      log("warn", "person.exported", { conversations: conversationsIn(found) });
    },
    async personPage(request, page) {
      const search = await context(request);
      return pageOf(search, await searched(search), page);
    },
  };
}

function progressOf({ onProgress = () => {} }: PersonOptions): Progress {
  const done = { pages: 0, rows: 0 };
  return {
    page() {
      done.pages += 1;
      onProgress(done);
    },
    rows(count) {
      done.rows += count;
      onProgress(done);
    },
  };
}

async function* rowsOf(search: Search, of: KeptOf, kind: KeptKind): AsyncGenerator<KeptItem> {
  let cursor: string | undefined;
  do {
    const { items, next } = await pageIn(search, of, kind, { limit: PAGE_ROWS, ...(cursor && { cursor }) });
    yield* items;
    cursor = next;
  } while (cursor !== undefined);
}

async function pageIn(
  { people, progress }: Search,
  of: KeptOf,
  kind: KeptKind,
  page: { limit: number; cursor?: string },
): Promise<KeptItems> {
  const { items, next } = await people.kept(of, { ...page, kind });
  progress.rows(items.length);
  const where = isPlace(of) ? { channelType: of.channelType, address: of.address } : {};
  return {
    items: items.map((item) => ({ kind, ...where, ...item })),
    ...(next !== undefined && { next }),
  };
}

/** The cursor: which place, which kind, and where in it. */
async function pageOf(
  search: Search,
  found: Found,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<KeptItems> {
  const all = allOf(search, found);
  const [place, kind, within] = cursor === undefined ? [0, 0] : cursorFrom(cursor);
  const [of, name] = [all[place], KEPT_KINDS[kind]];
  if (of === undefined || name === undefined) return { items: [] };
  const { items, next } = await pageIn(search, of, name, {
    limit,
    ...(within !== undefined && { cursor: within }),
  });
  const following =
    next !== undefined
      ? [place, kind, next]
      : kind + 1 < KEPT_KINDS.length
        ? [place, kind + 1]
        : place + 1 < all.length
          ? [place + 1]
          : undefined;
  return { items, ...(following && { next: JSON.stringify(following) }) };
}

function cursorFrom(cursor: string): [number, number, string | undefined] {
  const parts = partsOf(cursor);
  const [place, kind, within] = parts;
  const areCounts = [place, kind ?? 0].every((each) => Number.isSafeInteger(each) && Number(each) >= 0);
  const isKind = Number(kind ?? 0) < KEPT_KINDS.length;
  const isWithin = within === undefined || typeof within === "string";
  if (areCounts && isKind && isWithin && parts.length >= 1 && parts.length <= 3)
    return [Number(place), Number(kind ?? 0), within];
  throw new InvalidRequest("cursor must be the `next` of an earlier page");
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(cursor);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

async function counted(search: Search, found: Found): Promise<PersonFound> {
  const kept: Partial<Record<KeptKind, number>> = {};
  for (const of of allOf(search, found))
    for (const kind of KEPT_KINDS)
      for await (const _ of rowsOf(search, of, kind)) kept[kind] = (kept[kind] ?? 0) + 1;
  return { places: found.places, kept, others: othersIn(found) };
}

function othersIn({ places, realms }: Found): string[] {
  const own = new Set(realms.flatMap(({ names }) => names));
  return [...new Set(places.flatMap(({ others }) => others))].filter((other) => !own.has(other));
}

async function eraseAll(search: Search): Promise<PersonErased> {
  const found = await searched(search);
  const { kept: removed, others } = await counted(search, found);
  if (isNothing(removed)) return { result: "not-found", removed, left: {}, others };
  let result: PersonErased["result"] = "erased";
  let rest = found;
  let left: KeptCounts = removed;
  for (let round = 0; round < ERASURES_MAX && !isNothing(left); round += 1) {
    for (const of of allOf(search, rest))
      if ((await search.people.erase(of)) === "erasing") result = "erasing";
    rest = await searched(search);
    ({ kept: left } = await counted(search, rest));
  }
  return { result, removed, left, others };
}

function isNothing(kept: KeptCounts): boolean {
  return Object.keys(kept).length === 0;
}

function conversationsIn({ places }: Pick<Found, "places">): number {
  return places.reduce((sum, { conversationIds }) => sum + conversationIds.length, 0);
}

/** Who it was is not told: the line would be what is left of them. */
function audit({ result, removed, left }: PersonErased) {
  const sum = (counts: KeptCounts) => Object.values(counts).reduce((total, count) => total + count, 0);
  return { result, conversations: removed.conversation ?? 0, rows: sum(removed), left: sum(left) };
}
