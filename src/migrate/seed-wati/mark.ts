import { createHash } from "node:crypto";
import { isoOf } from "../../core/instant.ts";
import { seedInstant } from "../../core/seed-time.ts";
import type { Conversation } from "../../model/conversation.ts";
import { isObject } from "../../schema/is-object.ts";

/** The attribute of a conversation that says which rows of a buffer were moved into it. */
export const MARK = "seed_wati";

/** Ids that are noted one by one: 25 bytes each, and every turn reads and writes the conversation. */
export const IDS_MAX = 200;

/** A row of a customer's, by the id that was made for it. */
export interface MarkedRow {
  readonly id: string;
  readonly atMs: number | undefined;
}

/** Rows of which a run was in the middle, at that time. */
interface Moving {
  readonly atMs: number;
  readonly ids: readonly string[];
}

/** Older rows, in their order, as one number. */
interface Folded {
  readonly count: number;
  /** The id of the first: before it may lie what was left for its age. */
  readonly first?: string;
  readonly digest: string;
  /** Nothing else was ever moved, beside these and the ids that are noted one by one. */
  readonly isWhole: boolean;
}

/**
 * The engine remembers ids for a week (`limits.dedupeHours`), and a file may be read again after a year: so
 * the conversation itself notes what was moved. `moving` is written before, `moved` after: a process that was
 * killed in between leaves rows of which only the remembered ids tell.
 */
export interface Mark {
  /** Of the newest rows. */
  readonly moved: readonly string[];
  readonly folded?: Folded;
  readonly moving: readonly Moving[];
  /** When the first row of all was moved. */
  readonly sinceMs: number;
  /** Of all that was moved, the newest row's own time. */
  readonly throughMs: number;
}

const NO_MARK: Mark = { moved: [], moving: [], sinceMs: Number.MAX_SAFE_INTEGER, throughMs: 0 };

export function markOf(conversation: Pick<Conversation, "attributes"> | undefined): Mark | undefined {
  const found = conversation?.attributes[MARK];
  if (!isObject(found)) return undefined;
  const folded = foldedIn(found.folded);
  return {
    moved: textsIn(found.moved),
    ...(folded && { folded }),
    moving: movingIn(found.moving),
    sinceMs: seedInstant(found.since) ?? 0,
    throughMs: seedInstant(found.through) ?? 0,
  };
}

function foldedIn(value: unknown): Folded | undefined {
  if (value === undefined) return undefined;
  const { count, first, digest, whole } = isObject(value) ? value : {};
  if (!Number.isSafeInteger(count) || typeof digest !== "string") return UNKNOWN;
  const isNamed = typeof first === "string";
  return { count: Math.max(0, count as number), ...(isNamed && { first }), digest, isWhole: whole === true };
}

/** That something was moved, and not what. */
const UNKNOWN: Folded = { count: 0, digest: "", isWhole: false };

function movingIn(value: unknown): Moving[] {
  const groups = Array.isArray(value) ? value.filter(isObject) : [];
  return groups.map(({ at, ids }) => ({ atMs: seedInstant(at) ?? 0, ids: textsIn(ids) }));
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** The mark as it is stored. */
export function writtenAs({ moved, folded, moving, sinceMs, throughMs }: Mark): Record<string, unknown> {
  return {
    moved,
    ...(folded && { folded: writtenFold(folded) }),
    ...(moving.length > 0 && { moving: moving.map(({ atMs, ids }) => ({ at: isoOf(atMs), ids })) }),
    since: isoOf(sinceMs),
    ...(throughMs > 0 && { through: isoOf(throughMs) }),
  };
}

function writtenFold({ isWhole, ...folded }: Folded): Record<string, unknown> {
  return { ...folded, whole: isWhole };
}

export interface Sorted {
  /** Moved by an earlier run. */
  readonly before: readonly string[];
  /** May be moved: new, or its id tells whether it was. */
  readonly free: readonly string[];
  /** May have been answered, at a time of which no ids are known any more. */
  readonly uncertain: readonly string[];
}

/**
 * Which rows of a customer may be moved; they are given oldest first. `knownSinceMs`: since when ids are
 * remembered. Rows that are older than that are new all the same where the customer has no conversation, or
 * one that notes what was moved.
 */
export function sortRows(
  rows: readonly MarkedRow[],
  conversation: Pick<Conversation, "attributes"> | undefined,
  knownSinceMs: number,
): Sorted {
  const mark = markOf(conversation);
  const { moved, isWhole } = movedAmong(rows, mark);
  const movingSinceMs = new Map(
    mark?.moving.toReversed().flatMap(({ atMs, ids }) => ids.map((id) => [id, atMs])),
  );
  const isUncertain = ({ id, atMs }: MarkedRow) => {
    if (!conversation) return false;
    if (!mark) return (atMs ?? 0) < knownSinceMs;
    if ((movingSinceMs.get(id) ?? knownSinceMs) < knownSinceMs) return true;
    const isLater = atMs !== undefined && atMs > mark.throughMs;
    return !isWhole && !isLater && mark.sinceMs < knownSinceMs;
  };
  const rest = rows.filter(({ id }) => !moved.has(id));
  return {
    before: rows.flatMap(({ id }) => (moved.has(id) ? [id] : [])),
    free: rest.flatMap((row) => (isUncertain(row) ? [] : [row.id])),
    uncertain: rest.flatMap((row) => (isUncertain(row) ? [row.id] : [])),
  };
}

/** Those that the mark accounts for, and whether it accounts for all: then each other row is a new one. */
function movedAmong(rows: readonly MarkedRow[], mark: Mark = NO_MARK) {
  const single = new Set(mark.moved);
  const { folded } = mark;
  const rest = rows.filter(({ id }) => !single.has(id));
  const from = folded?.first === undefined ? 0 : rest.findIndex(({ id }) => id === folded.first);
  const older = from < 0 ? [] : rest.slice(from, from + (folded?.count ?? 0));
  const isFound = !folded || digestOf(older) === folded.digest;
  const here = rows.filter(({ id }) => single.has(id));
  return {
    moved: new Set([...here, ...(isFound ? older : [])].map(idOf)),
    isWhole: !folded || (isFound && folded.isWhole),
  };
}

/** The mark of a run that is about to move these. */
export function withMoving(mark: Mark = NO_MARK, ids: readonly string[], nowMs: number): Mark {
  const known = new Set(mark.moving.flatMap((group) => group.ids));
  const more = ids.filter((id) => !known.has(id));
  return {
    ...mark,
    moving: more.length > 0 ? [...mark.moving, { atMs: nowMs, ids: more }] : mark.moving,
    sinceMs: Math.min(mark.sinceMs, nowMs),
  };
}

/** The mark was removed while rows were moved: what it said is not known. */
const LOST_MARK: Mark = { ...NO_MARK, folded: UNKNOWN, sinceMs: 0 };

/** The mark when the rows of `tried` are through, and those of `done` are moved. */
export function withMoved(
  mark: Mark = LOST_MARK,
  rows: readonly MarkedRow[],
  { tried, done }: { readonly tried: readonly string[]; readonly done: readonly string[] },
): Mark {
  const { moved, isWhole } = movedAmong(rows, mark);
  for (const id of done) moved.add(id);
  const there = rows.filter(({ id }) => moved.has(id));
  const single = there.slice(-IDS_MAX);
  // The bot has deleted these rows since; a copy of the file may bring them back.
  const here = new Set(rows.map(idOf));
  const gone = mark.moved.filter((id) => !here.has(id));
  const room = IDS_MAX - single.length;
  const kept = room > 0 ? gone.slice(-room) : [];
  const older = there.slice(0, there.length - single.length);
  const isAll = isWhole && kept.length === gone.length;
  const isFolded = older.length > 0 || !isAll;
  const { folded: _, ...rest } = mark;
  return {
    ...rest,
    moved: [...kept, ...single.map(idOf)],
    ...(isFolded && { folded: foldOf(older, isAll) }),
    moving: mark.moving
      .map(({ atMs, ids }) => ({ atMs, ids: ids.filter((id) => !tried.includes(id)) }))
      .filter(({ ids }) => ids.length > 0),
    throughMs: there.reduce((latest, { atMs = 0 }) => Math.max(latest, atMs), mark.throughMs),
  };
}

function foldOf(rows: readonly MarkedRow[], isWhole: boolean): Folded {
  const [first] = rows;
  return { count: rows.length, ...(first && { first: first.id }), digest: digestOf(rows), isWhole };
}

const idOf = ({ id }: MarkedRow) => id;

function digestOf(rows: readonly MarkedRow[]): string {
  return createHash("sha256").update(rows.map(idOf).join()).digest("base64url").slice(0, 22);
}
