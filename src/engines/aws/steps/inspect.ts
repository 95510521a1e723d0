import { DETAIL_LIMITS } from "../../../core/defaults.ts";
import { PROCESSING } from "../../../core/elsewhere.ts";
import { latestWithin } from "../../../core/history.ts";
import { conversationWithin } from "../../../core/identity.ts";
import { isRunning, type LeaseState, leaseGauges } from "../../../core/lease.ts";
import { lookUpAsync } from "../../../core/lookup.ts";
import { recordsBehind } from "../../../core/name-lookups.ts";
import { isNamedLike } from "../../../core/names.ts";
import type { Sound } from "../../../core/shape.ts";
import type { Conversation, ConversationStatus } from "../../../model/conversation.ts";
import type { DeadLetter } from "../../../model/dead-letter.ts";
import type { Gauges } from "../../../model/gauges.ts";
import type { NameRecords } from "../../../model/names.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type { UnknownSend } from "../../../model/unknown-send.ts";
import type {
  ConversationDetail,
  ConversationFilter,
  Counts,
  DetailLimits,
  Listing,
  Page,
} from "../../../ports/inspector.ts";
import { inParallel } from "../../../wire/in-parallel.ts";
import type { AwsContext } from "../context.ts";
import { atMost, equal, type Item } from "../dynamo/expression.ts";
import { LEASED } from "../dynamo/tables.ts";
import { isPaused } from "../items/controls.ts";
import { conversationFrom } from "../items/conversation-item.ts";
import { conversationOf } from "../items/conversation-row.ts";
import { conversationKeyOf, inTime, shards } from "../items/keys.ts";
import { leasedIds, sweptShards } from "../items/lease-shards.ts";
import { LETTER, letterFrom, letterKey, wholeLetter, wholeLetters } from "../items/letter-item.ts";
import { REFUSAL, UNKNOWN, unknownFrom, unknownKey } from "../items/message-item.ts";
import { recordsAt } from "../items/name-item.ts";
import { refusalFrom, refusalLists, refusalsSinceMs } from "../items/refusal-item.ts";
import { stagedLately } from "../items/staged.ts";
import { storedFrom } from "../items/state-item.ts";
import { countedTurns } from "../items/turn-count.ts";
import { latestItems, pastOf } from "./history.ts";
import { countListed, newestFirst } from "./listing.ts";
import { lockOf } from "./locks.ts";
import { countAside, countQuarantinedSoon, countRows } from "./quarantined.ts";
import { statusBeforeTurn } from "./status.ts";

const REFUSALS = refusalLists();
/** Shards looked at at once. */
const LEASES_WIDTH = 16;
/** Pages read for one page shown, if a search leaves most of them out. */
const SEARCH_PAGES_MAX = 20;

export function nameRecords(context: AwsContext, conversation: Conversation): Promise<NameRecords> {
  return lookUpAsync(recordsBehind(conversation), recordsAt(context, conversation));
}

export function listUnknown(context: AwsContext, page: Page): Promise<Listing<UnknownSend>> {
  return listed(context, ["unknown"], page, unknownFrom);
}

async function listed<T>(
  context: AwsContext,
  lists: readonly string[],
  page: Page,
  from: (item: Item) => Sound<T>,
): Promise<Listing<T>> {
  const { items, next } = await newestFirst(context, "messages", lists, page);
  return { items: context.quarantine.sound("messages", items, from), ...(next !== undefined && { next }) };
}

export async function listRefusals(context: AwsContext, page: Page): Promise<Listing<Refusal>> {
  const { items, next } = await listed(context, REFUSALS, page, refusalFrom);
  const kept = items.filter(({ atMs }) => atMs >= refusalsSinceMs(context));
  // Behind one that has expired there are only older ones.
  return { items: kept, ...(next !== undefined && kept.length === items.length && { next }) };
}

export async function listConversations(
  context: AwsContext,
  { search, active, limit, cursor }: ConversationFilter,
): Promise<Listing<Conversation>> {
  const byId = search === undefined ? undefined : await conversationOf(context, search);
  const matches = (each: Conversation) =>
    (active === undefined || each.taskComplete !== active) &&
    (search === undefined || each.id.startsWith(search) || isNamedLike(each, search));
  if (byId) {
    const isWanted = active === undefined || byId.taskComplete !== active;
    return { items: isWanted ? await asTheyStand(context, [byId]) : [] };
  }
  const items: Conversation[] = [];
  let from = cursor;
  for (let pages = 0; pages < SEARCH_PAGES_MAX; pages += 1) {
    const page = { limit: limit - items.length, ...(from !== undefined && { cursor: from }) };
    const listed = await newestFirst(context, "conversations", shards(), page);
    items.push(...(await asTheyStand(context, listed.items.map(conversationFrom).filter(matches))));
    from = listed.next;
    if (from === undefined || items.length >= limit) break;
  }
  return { items, ...(from !== undefined && { next: from }) };
}

/**
 * Only while its turn runs is it shown as being processed: after a crash the row may still say so. What the
 * row says between two attempts is for other systems.
 */
async function asTheyStand(
  context: AwsContext,
  conversations: readonly Conversation[],
): Promise<Conversation[]> {
  const keys = conversations.map(({ id }) => conversationKeyOf(id));
  const items = await context.store.getMany("state", keys);
  const states = new Map(items.map((item) => [String(item.conversation_id), item]));
  return conversations.map((conversation) => {
    const stored = storedFrom(conversation.id, states.get(conversation.id));
    if (isRunning(stored.state.lease, context.clock.nowMs(), context.settings.clockSkewMs))
      return { ...conversation, status: PROCESSING };
    const status = (statusBeforeTurn(stored, conversation.status) ?? PROCESSING) as ConversationStatus;
    return { ...conversation, status };
  });
}

export async function showConversation(
  context: AwsContext,
  id: string,
  limits: DetailLimits = DETAIL_LIMITS,
): Promise<ConversationDetail | undefined> {
  const found = await conversationOf(context, id);
  if (!found) return undefined;
  const [conversation = found] = await asTheyStand(context, [found]);
  const { rowsMax, bytesMax, unansweredMax = rowsMax } = limits;
  const [staged, lock, { messages, turns }, refusals, letters, unknown] = await Promise.all([
    stagedLately(context, id, limits),
    lockOf(context, id),
    pastOf(context, id, { messagesMax: rowsMax, turnsMax: rowsMax, bytesMax }),
    latestItems(context, id, REFUSAL, rowsMax),
    latestItems(context, id, LETTER, rowsMax),
    latestItems(context, id, UNKNOWN, rowsMax),
  ]);
  const fits = <T>(all: readonly T[]) => latestWithin(all.slice(-rowsMax), bytesMax);
  const lastOnes = <T extends { readonly atMs: number }>(
    items: readonly Item[],
    from: (item: Item) => Sound<T>,
  ) => inOrderOfTime(context.quarantine.sound("messages", items, from)).slice(-unansweredMax);
  return {
    conversation,
    staged: staged.messages,
    ...(lock && { lock: { ...lock, staged: staged.count } }),
    messages,
    turns: fits(turns),
    refusals: fits(
      context.quarantine
        .sound("messages", refusals, refusalFrom)
        .filter(({ atMs }) => atMs >= refusalsSinceMs(context)),
    ),
    dead: fits(await wholeLetters(context, lastOnes(letters, letterFrom))),
    unknown: fits(lastOnes(unknown, unknownFrom)),
  };
}

/** Their keys are ids, which tell no time. */
function inOrderOfTime<T extends { readonly atMs: number }>(records: readonly T[]): T[] {
  return records.toSorted((one, other) => one.atMs - other.atMs);
}

export async function listDead(context: AwsContext, page: Page): Promise<Listing<DeadLetter>> {
  const { items: heads, next } = await listed(context, ["dead"], page, letterFrom);
  return { items: await wholeLetters(context, heads), ...(next !== undefined && { next }) };
}

export async function showDead(context: AwsContext, id: string): Promise<DeadLetter | undefined> {
  const conversationId = conversationWithin(id);
  if (conversationId === undefined) return undefined;
  const item = await context.store.get("messages", letterKey(conversationId, id));
  const head = context.quarantine.soundOne("messages", item, letterFrom);
  return head && wholeLetter(context, head);
}

export async function showUnknown(context: AwsContext, id: string): Promise<UnknownSend | undefined> {
  const key = unknownKey(id);
  const item = key && (await context.store.get("messages", key));
  return context.quarantine.soundOne("messages", item, unknownFrom);
}

/** All are counted now, except turns: counting those would mean reading every conversation. */
export async function counts(context: AwsContext): Promise<Counts> {
  const { store } = context;
  const leased = inParallel(sweptShards(context), LEASES_WIDTH, (shard) =>
    store.count("state", { index: LEASED, key: equal("lease_shard", shard) }),
  );
  // Others may have rows there: one look through a table counts both.
  const [conversations, stage, triggerLock, leases, turns, dead, unknown, refusals, aside, paused] =
    await Promise.all([
      countListed(context, "conversations", shards()),
      countRows(context, "stage"),
      countRows(context, "triggerLock"),
      leased.then(sum),
      countedTurns(context),
      countListed(context, "messages", ["dead"]),
      countListed(context, "messages", ["unknown"]),
      countListed(context, "messages", REFUSALS, inTime(refusalsSinceMs(context), 0)),
      countAside(context),
      isPaused(context),
    ]);
  return {
    conversations,
    staged: stage.all - stage.foreign,
    windows: triggerLock.all - triggerLock.foreign,
    leases,
    turns,
    dead,
    unknown,
    refusals,
    quarantined: aside + stage.foreign + triggerLock.foreign,
    paused,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/**
 * Lists that are mostly empty, the first pages of two small tables, and the sparse index of leases: records
 * of finished turns are never read.
 */
export async function gauges(context: AwsContext): Promise<Gauges> {
  const [dead, unknown, quarantined, leases, paused] = await Promise.all([
    countListed(context, "messages", ["dead"]),
    countListed(context, "messages", ["unknown"]),
    countQuarantinedSoon(context),
    oldLeases(context),
    isPaused(context),
  ]);
  const held = leaseGauges(leases, context.clock.nowMs(), context.settings.clockSkewMs);
  return { dead, unknown, quarantined, ...held, paused };
}

/** The oldest one, and all that may have lapsed: a lease that was just taken cannot have. */
async function oldLeases(context: AwsContext): Promise<LeaseState[]> {
  const { clock, settings, store } = context;
  const isOld = atMost("lease_taken_at_ms", clock.nowMs() - settings.leaseMs);
  const ids = await Promise.all([
    leasedIds(context, { limit: 1 }),
    leasedIds(context, { taken: isOld, limit: settings.sweepRowsMax }),
  ]);
  const items = await store.getMany("state", [...new Set(ids.flat())].map(conversationKeyOf));
  return items.flatMap((item) => storedFrom(String(item.conversation_id), item).state.lease ?? []);
}
