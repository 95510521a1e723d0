import { isHeld } from "../../../core/lease.ts";
import { fields, type Shape, type Sound } from "../../../core/shape.ts";
import type { SweepReport } from "../../../ports/engine.ts";
import { isObject } from "../../../schema/is-object.ts";
import { filterInParallel } from "../../../wire/in-parallel.ts";
import type { AwsContext } from "../context.ts";
import { absent, all, any, atMost, type Item } from "../dynamo/expression.ts";
import type { TableName } from "../dynamo/tables.ts";
import { name } from "../items/item-shapes.ts";
import { conversationKeyOf, SWEEP } from "../items/keys.ts";
import { leasedIds } from "../items/lease-shards.ts";
import { rememberedAmong } from "../items/seen.ts";
import { type StageRow, stagedFrom } from "../items/stage-item.ts";
import { stagedRows } from "../items/staged.ts";
import { isHeldBy, readState } from "../items/state.ts";
import { type Stored, storedFrom, triggerOf } from "../items/state-item.ts";
import { type StandingWindow, windowFrom, windowOf } from "../items/window-item.ts";
import { lookAtClock } from "./clock.ts";
import { dropAnswered } from "./look.ts";
import { noteMemory } from "./memory.ts";
import { arm, armNow, dueIn, isAhead, isOverdue, sendAgain } from "./window.ts";

/** A lapsed lease is triggered this often until a worker takes it. */
const ONCE_MS = 60_000;
const WIDTH = 10;

/** This table is done until the others are, too: otherwise they would never all end in the same round. */
const THROUGH = "through";

/** Where the next round continues in each table. Stored: a function on a schedule has no memory. */
interface SweepCursor {
  readonly windows?: Item | typeof THROUGH;
  readonly stage?: Item | typeof THROUGH;
  readonly seen?: Item | typeof THROUGH;
}

/** One bounded round: overdue windows, lapsed leases, orphans, and expired items. */
export async function sweep(context: AwsContext): Promise<SweepReport> {
  const { isSetBack, report } = await lookAtClock(context);
  await noteMemory(context);
  const cursor = await readCursor(context);
  const windows = await fromPlace(cursor.windows, (from) => sweepWindows(context, from, isSetBack));
  const lapsed = await sweepLeases(context);
  const stage = await fromPlace(cursor.stage, (from) => sweepStage(context, from));
  const seen = await fromPlace(context.forget === "sweep" ? cursor.seen : THROUGH, (from) =>
    sweepSeen(context, from),
  );
  const next = { windows: windows.next, stage: stage.next, seen: seen.next };
  const hasMore = Object.values(next).some((place) => place !== THROUGH);
  await keepCursor(context, cursor, hasMore ? next : {});
  return {
    orphans: stage.done,
    retriggered: windows.done.length + lapsed,
    freed: 0,
    expired: seen.done.length,
    hasMore,
    // As far as this round saw: the next rounds do not report it.
    ...(report && { clockSetBack: { ...report, conversations: report.conversations + windows.done.length } }),
  };
}

interface Round<T> {
  /** What something was done for. */
  readonly done: readonly T[];
  readonly next?: Item | undefined;
}

async function fromPlace<T>(
  place: Item | typeof THROUGH | undefined,
  sweepFrom: (from: Item | undefined) => Promise<Round<T>>,
): Promise<{ readonly done: readonly T[]; readonly next: Item | typeof THROUGH }> {
  if (place === THROUGH) return { done: [], next: THROUGH };
  const { done, next = THROUGH } = await sweepFrom(place as Item | undefined);
  return { done, next };
}

/** The rows of a page that are ours. The foreign ones are reported once. */
function ours<T>(
  { quarantine }: AwsContext,
  table: TableName,
  items: readonly Item[],
  from: (item: Item) => Sound<T>,
): T[] {
  const read = items.map(from);
  const foreign = items.filter((_, at) => read[at]!.kind === "foreign");
  const [first] = read.filter(({ kind }) => kind === "foreign");
  if (first?.kind === "foreign") quarantine.tellNew(table, foreign, first.why);
  return read.flatMap((each) => (each.kind === "sound" ? [each.value] : []));
}

/** A window whose trigger should have come by now: its trigger is sent again. */
async function sweepWindows(
  context: AwsContext,
  from: Item | undefined,
  isSetBack: boolean,
): Promise<Round<StandingWindow>> {
  const { items, next } = await context.store.scanPage("triggerLock", {
    from,
    limit: context.settings.sweepRowsMax,
  });
  const windows = ours(context, "triggerLock", items, windowFrom);
  const ahead = windows.filter((window) => isAhead(context, window, isSetBack));
  const overdue = windows.filter((window) => !ahead.includes(window) && isOverdue(context, window));
  const sent = await filterInParallel(overdue, WIDTH, (window) => sendAgain(context, window));
  return {
    done: [...sent, ...(await filterInParallel(ahead, WIDTH, (window) => armNow(context, window)))],
    next,
  };
}

/**
 * A lapsed lease is triggered at once: its own trigger was deleted when it was taken. Only leases older than
 * a lease's length are read: the others cannot have lapsed.
 */
export async function sweepLeases(context: AwsContext): Promise<number> {
  const { clock, settings } = context;
  const isOld = atMost("lease_taken_at_ms", clock.nowMs() - settings.leaseMs);
  const ids = await leasedIds(context, { taken: isOld, limit: settings.sweepRowsMax });
  const triggered = await filterInParallel(ids, WIDTH, async (id) =>
    triggerLapsed(context, await readState(context, id)),
  );
  return triggered.length;
}

async function triggerLapsed(context: AwsContext, stored: Stored): Promise<boolean> {
  const nowMs = context.clock.nowMs();
  const { lease } = stored.state;
  const isLive: boolean = isHeld(lease, nowMs, context.settings.clockSkewMs);
  if (!lease || isLive) return false;
  const isSame = isHeldBy(lease.token);
  const isUnswept = any(absent("swept_at_ms"), atMost("swept_at_ms", nowMs - ONCE_MS));
  const key = conversationKeyOf(stored.id);
  const written = await context.store.update(
    "state",
    key,
    { set: { swept_at_ms: nowMs } },
    all(isSame, isUnswept),
  );
  // Refused by our own note: its answer got lost. If it was another sweeper's, one more trigger does no harm.
  const isNoted = written.kind === "done" || written.item?.swept_at_ms === nowMs;
  if (!isNoted) return false;
  await context.triggers.send(triggerOf(stored), nowMs);
  return true;
}

/** Staged, past its due time and grace, without window or lease. It should never happen, and heals here. */
async function sweepStage(context: AwsContext, from: Item | undefined): Promise<Round<string>> {
  const { items, next } = await context.store.scanPage("stage", {
    from,
    limit: context.settings.sweepRowsMax,
  });
  const ids = new Set(ours(context, "stage", items, stagedFrom).map(({ conversationId }) => conversationId));
  const alone = await withoutWorker(context, [...ids]);
  return { done: await filterInParallel(alone, WIDTH, (id) => armOrphan(context, id)), next };
}

/** Those that have neither a window nor a lease, read many at a time: nearly all of them have one. */
async function withoutWorker(context: AwsContext, ids: readonly string[]): Promise<string[]> {
  const without = async (
    table: "triggerLock" | "state",
    among: readonly string[],
    has: (item: Item) => boolean,
  ) => {
    const items = await context.store.getMany(table, among.map(conversationKeyOf));
    const found = new Set(items.filter(has).map(({ conversation_id }) => String(conversation_id)));
    return among.filter((id) => !found.has(id));
  };
  const unarmed = await without("triggerLock", ids, (item) => windowFrom(item).kind === "sound");
  return without("state", unarmed, (item) => storedFrom("", item).state.lease !== undefined);
}

async function armOrphan(context: AwsContext, id: string): Promise<boolean> {
  const rows = await unanswered(context, id);
  const [first] = rows;
  if (!first) return false;
  const dueAtMs = await dueIn(context, id, rows);
  if (dueAtMs + context.settings.graceMs > context.clock.nowMs()) return false;
  // Once more: it may have been taken, or put back, between the two looks.
  if (await isLookedAfter(context, id)) return false;
  const { sender, channel } = rows.at(-1) ?? first;
  await arm(context, { conversationId: id, sender, channel }, { dueAtMs });
  return true;
}

/** A late write may come after its message was delivered again and answered: that is no orphan. */
async function unanswered(context: AwsContext, id: string): Promise<StageRow[]> {
  const rows = await stagedRows(context, id);
  const answered = await rememberedAmong(
    context,
    rows.map((row) => row.id),
  );
  if (answered.size > 0) await dropAnswered(context, id, answered);
  return rows.filter((row) => !answered.has(row.id));
}

async function isLookedAfter(context: AwsContext, id: string): Promise<boolean> {
  const [window, { state }] = await Promise.all([windowOf(context, id), readState(context, id)]);
  return window !== undefined || state.lease !== undefined;
}

/** Expired ids, if the table does not remove them by itself. */
async function sweepSeen(context: AwsContext, from: Item | undefined): Promise<Round<Item>> {
  const isPast = atMost("until_at_ms", context.clock.nowMs());
  const limit = context.settings.sweepRowsMax;
  const { items, next } = await context.store.scanPage("seen", { from, limit, filter: isPast });
  const forget = async ({ id }: Item) => {
    const { kind, item } = await context.store.delete("seen", { id }, isPast);
    // Refused without an item: it is gone, and the answer got lost.
    return kind === "done" || item === undefined;
  };
  return { done: await filterInParallel(items, WIDTH, forget), next };
}

/** With an invalid cursor the round starts over: one that leads nowhere would stop every round. */
async function readCursor(context: AwsContext): Promise<SweepCursor> {
  const cursor = (await context.store.get("state", conversationKeyOf(SWEEP)))?.cursor;
  const placeIn = (table: keyof SweepCursor, shape: Shape) => {
    const place = isObject(cursor) ? cursor[table] : undefined;
    return place === THROUGH || shape(place) === undefined ? { [table]: place } : {};
  };
  return {
    ...placeIn("windows", fields({ conversation_id: name })),
    ...placeIn("stage", fields({ conversation_id: name, message_sid: name })),
    ...placeIn("seen", fields({ id: name })),
  };
}

/** Written only while a table is too long for one round. */
async function keepCursor(context: AwsContext, before: SweepCursor, after: SweepCursor): Promise<void> {
  if (Object.keys(after).length === 0 && Object.keys(before).length === 0) return;
  await context.store.put("state", { ...conversationKeyOf(SWEEP), cursor: after });
}
