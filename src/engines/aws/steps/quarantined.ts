import { createHash } from "node:crypto";
import { conversationWithin } from "../../../core/identity.ts";
import { seedMessage } from "../../../core/seed-rows.ts";
import type { Sound } from "../../../core/shape.ts";
import type { Listing, Page, QuarantinedRow } from "../../../ports/inspector.ts";
import type { Discarded, Discarding } from "../../../ports/repairs.ts";
import type { AwsContext } from "../context.ts";
import { textOf } from "../dynamo/exact.ts";
import type { Item } from "../dynamo/expression.ts";
import { pages } from "../dynamo/pages.ts";
import { TABLES } from "../dynamo/tables.ts";
import { QUARANTINE, quarantineKey } from "../items/quarantined-rows.ts";
import { removeOnce } from "../items/remove-once.ts";
import { stagedFrom } from "../items/stage-item.ts";
import { isOurs } from "../items/version.ts";
import { windowFrom } from "../items/window-item.ts";
import { countListed, newestFirst } from "./listing.ts";

/** The most pages of a megabyte that a caller waits for, who asks again and again. */
const PAGES_MAX = 5;

/** Characters that tell a row from a million others. */
const SHORT = 10;

/** The tables in which foreign rows stay where they are. */
const TABLES_IN_PLACE: Readonly<Record<InPlaceTable, (item: Item) => Sound<unknown>>> = {
  stage: stagedFrom,
  triggerLock: windowFrom,
};

type InPlaceTable = "stage" | "triggerLock";

const IN_PLACE = Object.keys(TABLES_IN_PLACE) as InPlaceTable[];

interface Foreign {
  readonly table: InPlaceTable;
  readonly key: Item;
  readonly item: Item;
  readonly why: string;
}

/**
 * Foreign rows in place, table by table; behind them what was set aside, newest first. A cursor into a table
 * is the key of the row behind which it goes on.
 */
export async function listQuarantined(context: AwsContext, page: Page): Promise<Listing<QuarantinedRow>> {
  const place = placeAt(page.cursor);
  const { found, next } = place ? await foreignFrom(context, place, page.limit) : { found: [] };
  const nowMs = context.clock.nowMs();
  const rows = found.map((foreign) => standingRow(foreign, nowMs));
  if (next !== undefined) return { items: rows, next };
  const cursor = place || page.cursor === undefined ? {} : { cursor: page.cursor };
  const rest = { limit: page.limit - rows.length, ...cursor };
  const aside = await newestFirst(context, "messages", [QUARANTINE], rest);
  return {
    items: [...rows, ...aside.items.map(copyRow)],
    ...(aside.next !== undefined && { next: aside.next }),
  };
}

interface Place {
  readonly table: InPlaceTable;
  readonly from: Item | undefined;
}

/** Undefined once all rows in place were listed. */
function placeAt(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return { table: IN_PLACE[0]!, from: undefined };
  const [name, encoded = ""] = cursor.split(":");
  const table = IN_PLACE.find((each) => each === name);
  return table && { table, from: keyFrom(table, encoded) };
}

/** Of a long table a page may be short. None is empty before the end: a reader would take it for that. */
async function foreignFrom(
  context: AwsContext,
  { table: first, from: start }: Place,
  limit: number,
): Promise<{ readonly found: readonly Foreign[]; readonly next?: string }> {
  const found: Foreign[] = [];
  let pagesLeft = PAGES_MAX;
  for (const table of IN_PLACE.slice(IN_PLACE.indexOf(first))) {
    let from = table === first ? start : undefined;
    do {
      const { items, next } = await context.store.scanPage(table, { from });
      for (const foreign of foreignAmong(table, items)) {
        found.push(foreign);
        if (found.length === limit) return { found, next: cursorAt(foreign) };
      }
      pagesLeft -= 1;
      from = next && keyOf(table, next);
      if (from && pagesLeft <= 0 && found.length > 0) return { found, next: cursorAt({ table, key: from }) };
    } while (from);
  }
  return { found };
}

function cursorAt({ table, key }: Pick<Foreign, "table" | "key">): string {
  return `${table}:${Buffer.from(JSON.stringify(key)).toString("base64url")}`;
}

function standingRow(foreign: Foreign, atMs: number): QuarantinedRow {
  const { table, key, item, why } = foreign;
  return {
    id: idInPlace(table, key),
    table: TABLES[table].name,
    key: Object.values(key).join("/"),
    conversationId: String(item.conversation_id),
    why,
    raw: textOf(item),
    atMs,
    ...(isMovable(table, item) && { movable: true }),
  };
}

/** Its key is in it, which is long: people type what stands before the dot. */
function idInPlace(table: InPlaceTable, key: Item): string {
  const text = JSON.stringify(key);
  const short = createHash("sha256").update(text).digest("hex").slice(0, SHORT);
  return `${table}:${short}.${Buffer.from(text).toString("base64url")}`;
}

export function copyRow(item: Item): QuarantinedRow {
  const conversationId = String(item.conversation_id);
  return {
    id: String(item.quarantine_id),
    table: String(item.source),
    key: conversationId,
    conversationId,
    why: String(item.why),
    raw: String(item.raw),
    atMs: Number(item.at_ms),
  };
}

export interface CountedRows {
  readonly all: number;
  readonly foreign: number;
}

/** Of a table that others may write to: how many rows there are, and how many of them are not ours. */
export async function countRows(
  context: AwsContext,
  table: InPlaceTable,
  { pagesMax = Number.POSITIVE_INFINITY } = {},
): Promise<CountedRows> {
  let counted: CountedRows = { all: 0, foreign: 0 };
  let pagesLeft = pagesMax;
  for await (const items of pages((from) => context.store.scanPage(table, { from }))) {
    const foreign = counted.foreign + foreignAmong(table, items).length;
    counted = { all: counted.all + items.length, foreign };
    pagesLeft -= 1;
    if (pagesLeft === 0) break;
  }
  return counted;
}

export function countAside(context: AwsContext): Promise<number> {
  return countListed(context, "messages", [QUARANTINE]);
}

/** For alarms: of rows in place those in the first pages, so that it costs the same however many wait. */
export async function countQuarantinedSoon(context: AwsContext): Promise<number> {
  const tables = IN_PLACE.map((table) => countRows(context, table, { pagesMax: PAGES_MAX }));
  const [aside, ...standing] = await Promise.all([countAside(context), ...tables]);
  return standing.reduce((sum, { foreign }) => sum + foreign, aside);
}

/** An operator has dealt with it. A row in place is removed only if it is still foreign. */
export async function discardQuarantined(
  context: AwsContext,
  id: string,
  how: Discarding = {},
): Promise<Discarded> {
  const [table, key] = id.split(/:(?:[0-9a-f]+\.)?/);
  return key !== undefined && (table === "stage" || table === "triggerLock")
    ? discardInPlace(context, table, key, how)
    : discardCopy(context, id);
}

async function discardCopy(context: AwsContext, id: string): Promise<Discarded> {
  const conversationId = conversationWithin(id);
  const isDone =
    conversationId !== undefined && (await removeOnce(context, quarantineKey(conversationId, id)));
  return isDone ? "discarded" : "not-found";
}

async function discardInPlace(
  context: AwsContext,
  table: InPlaceTable,
  encoded: string,
  { evenMovable = false }: Discarding,
): Promise<Discarded> {
  const key = keyFrom(table, encoded);
  const item = key && (await context.store.get(table, key));
  if (!key || !item || TABLES_IN_PLACE[table](item).kind === "sound") return "not-found";
  if (!evenMovable && isMovable(table, item)) return "movable";
  // As the roles allow it: of the stage table, rows are removed by the batch.
  if (table === "stage") await context.store.writeMany(table, { delete: [key] });
  else await context.store.delete(table, key);
  return "discarded";
}

/** The original system staged messages in a table of the same name and with the same key. */
function isMovable(table: InPlaceTable, item: Item): boolean {
  return table === "stage" && !isOurs(table, item) && seedMessage(item).kind !== "junk";
}

function keyFrom(table: InPlaceTable, encoded: string): Item | undefined {
  try {
    const given = JSON.parse(Buffer.from(encoded, "base64url").toString()) as Item;
    const key = keyOf(table, given);
    return Object.values(key).every((part) => typeof part === "string" && part !== "") ? key : undefined;
  } catch {
    return undefined;
  }
}

function keyOf(table: InPlaceTable, item: Item): Item {
  const { partitionKey, sortKey } = TABLES[table];
  const names = [partitionKey.name, ...(sortKey ? [sortKey.name] : [])];
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}

function foreignAmong(table: InPlaceTable, items: readonly Item[]): Foreign[] {
  return items.flatMap((item) => {
    const read = TABLES_IN_PLACE[table](item);
    return read.kind === "foreign" ? [{ table, key: keyOf(table, item), item, why: read.why }] : [];
  });
}
