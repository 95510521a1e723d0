import { conversationWithin } from "../../../core/identity.ts";
import { seedMessage } from "../../../core/seed-rows.ts";
import type { Sound } from "../../../core/shape.ts";
import type { Listing, Page, QuarantinedRow } from "../../../ports/inspector.ts";
import type { Discarded, Discarding } from "../../../ports/repairs.ts";
import type { AwsContext } from "../context.ts";
import type { Item } from "../dynamo/expression.ts";
import { pages } from "../dynamo/pages.ts";
import { TABLES } from "../dynamo/tables.ts";
import { QUARANTINE, quarantineKey } from "../items/quarantined-rows.ts";
import { removeOnce } from "../items/remove-once.ts";
import { stagedFrom } from "../items/stage-item.ts";
import { isOurs } from "../items/version.ts";
import { windowFrom } from "../items/window-item.ts";
import { countListed, newestFirst } from "./listing.ts";

/** The most pages of a megabyte that a caller waits for. The sweeper goes through all of them. */
const PAGES_MAX = 5;

/** The tables in which foreign rows stay where they are. */
const TABLES_IN_PLACE: Readonly<Record<InPlaceTable, (item: Item) => Sound<unknown>>> = {
  stage: stagedFrom,
  triggerLock: windowFrom,
};

type InPlaceTable = "stage" | "triggerLock";

interface Foreign {
  readonly table: InPlaceTable;
  readonly key: Item;
  readonly item: Item;
  readonly why: string;
}

/** What was set aside, newest first; before it, on the first page, foreign rows in place. */
export async function listQuarantined(context: AwsContext, page: Page): Promise<Listing<QuarantinedRow>> {
  const standing = page.cursor === undefined ? (await foreignInPlace(context)).slice(0, page.limit) : [];
  const limit = page.limit - standing.length;
  const nowMs = context.clock.nowMs();
  const rows = standing.map((foreign) => standingRow(foreign, nowMs));
  // A cursor before everything on the list.
  if (limit === 0) return { items: rows, next: "~" };
  const { items, next } = await newestFirst(context, "messages", [QUARANTINE], { ...page, limit });
  return { items: [...rows, ...items.map(copyRow)], ...(next !== undefined && { next }) };
}

function standingRow({ table, key, item, why }: Foreign, atMs: number): QuarantinedRow {
  return {
    id: `${table}:${Buffer.from(JSON.stringify(key)).toString("base64url")}`,
    table: TABLES[table].name,
    key: Object.values(key).join("/"),
    conversationId: String(item.conversation_id),
    why,
    raw: JSON.stringify(item),
    atMs,
    ...(isMovable(table, item) && { movable: true }),
  };
}

function copyRow(item: Item): QuarantinedRow {
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

export async function countQuarantined(context: AwsContext): Promise<Record<InPlaceTable | "all", number>> {
  const [standing, aside] = await Promise.all([
    foreignInPlace(context),
    countListed(context, "messages", [QUARANTINE]),
  ]);
  const stage = standing.filter(({ table }) => table === "stage").length;
  return { stage, triggerLock: standing.length - stage, all: standing.length + aside };
}

/** An operator has dealt with it. A row in place is removed only if it is still foreign. */
export async function discardQuarantined(
  context: AwsContext,
  id: string,
  how: Discarding = {},
): Promise<Discarded> {
  const [table, key] = id.split(":");
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
  await context.store.delete(table, key);
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

async function foreignInPlace(context: AwsContext): Promise<Foreign[]> {
  const tables = Object.keys(TABLES_IN_PLACE) as InPlaceTable[];
  return (await Promise.all(tables.map((table) => foreignIn(context, table)))).flat();
}

async function foreignIn(context: AwsContext, table: InPlaceTable): Promise<Foreign[]> {
  const found: Foreign[] = [];
  let left = PAGES_MAX;
  for await (const items of pages((from) => context.store.scanPage(table, { from }))) {
    for (const item of items) {
      const read = TABLES_IN_PLACE[table](item);
      if (read.kind === "foreign") found.push({ table, key: keyOf(table, item), item, why: read.why });
    }
    left -= 1;
    if (left === 0) break;
  }
  return found;
}
