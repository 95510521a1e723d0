import { idWithin } from "../../../core/identity.ts";
import { isObject } from "../../../schema/is-object.ts";
import { ImpossibleWrite } from "../../../wire/aws-failure.ts";
import type { AwsContext } from "../context.ts";
import { isAsRead, textOf } from "../dynamo/exact.ts";
import type { Item } from "../dynamo/expression.ts";
import { TABLES, type TableName } from "../dynamo/tables.ts";
import { conversationKeyOf, inTime } from "./keys.ts";
import { isHeldBy } from "./state.ts";
import { NO_ROOM, type Stored, storedFrom, withoutForeign } from "./state-item.ts";

/** A copy has to fit into its item, however large the row is. */
const RAW_CHARACTERS_MAX = 90_000;

/** How the copy of such a row begins in its conversation's partition. */
export const QUARANTINE_ITEM = "q#";

/** The list of rows that were set aside. */
export const QUARANTINE = "quarantine";

/**
 * A conversation's row in our own table that cannot be read. It is in the place of ours, so a copy is kept
 * for an operator, and what is staged starts from nothing: a reply that was on its way may go out twice.
 */
export async function quarantineState(
  context: AwsContext,
  { id, foreign }: Stored,
  token: string,
): Promise<Stored> {
  const { raw, why } = foreign!;
  await quarantineCopy(context, "state", raw, why);
  const kept = { ...withoutForeign(raw), ...conversationKeyOf(id), rev: context.newId() };
  const written = await context.store.put("state", kept, isHeldBy(token));
  const isOurs = written.kind === "done" || written.item?.rev === kept.rev;
  return storedFrom(id, isOurs ? kept : written.item);
}

/** A write to our own table. Our rows are far smaller than an item: one without room is foreign. */
export async function withRoom<T>(context: AwsContext, id: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof ImpossibleWrite)) throw error;
    await makeRoom(context, id);
    return write();
  }
}

async function makeRoom(context: AwsContext, id: string): Promise<void> {
  const key = conversationKeyOf(id);
  const row = await context.store.get("state", key);
  if (!row) return;
  await quarantineCopy(context, "state", row, NO_ROOM);
  await context.store.put("state", key, isAsRead(row, "rev"));
}

/** Keeps a copy of a row that has to give way, for an operator to look at. */
async function quarantineCopy(context: AwsContext, table: TableName, row: Item, why: string): Promise<void> {
  const conversationId = String(row.conversation_id);
  const id = idWithin(conversationId, context.newId());
  const atMs = context.clock.nowMs();
  context.quarantine.tell(table, [row], why, turnIn(row));
  await context.store.put("messages", {
    ...quarantineKey(conversationId, id),
    listing: QUARANTINE,
    listed_at: `${inTime(atMs, context.nextSequence())}#${id}`,
    quarantine_id: id,
    source: TABLES[table].name,
    why,
    raw: textOf(row).slice(0, RAW_CHARACTERS_MAX),
    at_ms: atMs,
  });
}

export function quarantineKey(conversationId: string, id: string): Item {
  return { conversation_id: conversationId, item_id: `${QUARANTINE_ITEM}${id}` };
}

/** The turn that ran then, if it can be read: its reply may have gone out. */
function turnIn({ draft, works }: Item): string | undefined {
  const [work] = Array.isArray(works) ? works : [];
  const known = [draft, work].map((each) => (isObject(each) ? each.turnId : undefined));
  return known.find((turnId) => typeof turnId === "string");
}
