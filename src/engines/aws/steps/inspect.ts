import { DETAIL_LIMITS } from "../../../core/defaults.ts";
import { latestWithin } from "../../../core/history.ts";
import { isRunning } from "../../../core/lease.ts";
import type { Sound } from "../../../core/shape.ts";
import type { Conversation, ConversationStatus } from "../../../model/conversation.ts";
import type { DeadLetter } from "../../../model/dead-letter.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type {
  ConversationDetail,
  ConversationFilter,
  Counts,
  DetailLimits,
  Inspector,
  Listing,
  Page,
} from "../../../ports/inspector.ts";
import type { AwsContext } from "../context.ts";
import { all, beginsWith, equal, type Item } from "../dynamo/expression.ts";
import { inParallel } from "../dynamo/parallel.ts";
import { LEASED } from "../dynamo/tables.ts";
import { conversationFrom } from "../items/conversation-item.ts";
import { conversationKeyOf, inTime, shards } from "../items/keys.ts";
import { sweptShards } from "../items/lease-shards.ts";
import { REFUSAL, unknownFrom } from "../items/message-item.ts";
import { recordsBehind } from "../items/name-item.ts";
import { messagesOf } from "../items/stage-item.ts";
import { stagedLately } from "../items/staged.ts";
import { storedFrom } from "../items/state-item.ts";
import { countedTurns } from "../items/turn-count.ts";
import { letterFrom, letterRowPrefix, letterRowsFrom } from "./dead-letter.ts";
import { conversationOf, latestId } from "./find-conversation.ts";
import { gauges } from "./gauges.ts";
import { latestItems, pastOf } from "./history.ts";
import { countListed, newestFirst } from "./listing.ts";
import { lockOf, locks } from "./locks.ts";
import { isPaused } from "./look.ts";
import { countQuarantined, listQuarantined } from "./quarantined.ts";
import { refusalFrom, refusalLists, refusalsSinceMs } from "./refuse.ts";

const REFUSALS = refusalLists();
/** Shards counted at once. */
const LEASES_WIDTH = 16;
/** Pages read for one page shown, if a search leaves most of them out. */
const SEARCH_PAGES_MAX = 20;

export function inspector(site: AwsContext): Inspector {
  return {
    conversations: (filter) => listConversations(site, filter),
    conversation: (id, limits) => showConversation(site, id, limits),
    latestId: (key) => latestId(site, key),
    names: (conversation) => recordsBehind(site, conversation),
    locks: (page) => locks(site, page),
    dead: (page) => listDead(site, page),
    unknown: (page) => listed(site, ["unknown"], page, unknownFrom),
    refusals: (page) => listRefusals(site, page),
    quarantined: (page) => listQuarantined(site, page),
    counts: () => counts(site),
    gauges: () => gauges(site),
  };
}

async function listed<T>(
  site: AwsContext,
  lists: readonly string[],
  page: Page,
  from: (item: Item) => Sound<T>,
): Promise<Listing<T>> {
  const { items, next } = await newestFirst(site, "messages", lists, page);
  return { items: site.quarantine.sound("messages", items, from), ...(next !== undefined && { next }) };
}

async function listRefusals(site: AwsContext, page: Page): Promise<Listing<Refusal>> {
  const { items, next } = await listed(site, REFUSALS, page, refusalFrom);
  const kept = items.filter(({ atMs }) => atMs >= refusalsSinceMs(site));
  // Behind one that has expired there are only older ones.
  return { items: kept, ...(next !== undefined && kept.length === items.length && { next }) };
}

async function listConversations(
  site: AwsContext,
  { search, active, limit, cursor }: ConversationFilter,
): Promise<Listing<Conversation>> {
  const byId = search === undefined ? undefined : await conversationOf(site, search);
  const matches = (each: Conversation) =>
    (active === undefined || each.taskComplete !== active) &&
    (search === undefined || each.sender.includes(search));
  if (byId) {
    const isWanted = active === undefined || byId.taskComplete !== active;
    return { items: isWanted ? await asTheyStand(site, [byId]) : [] };
  }
  const items: Conversation[] = [];
  let from = cursor;
  for (let pages = 0; pages < SEARCH_PAGES_MAX; pages += 1) {
    const page = { limit: limit - items.length, ...(from !== undefined && { cursor: from }) };
    const listed = await newestFirst(site, "conversations", shards(), page);
    items.push(...(await asTheyStand(site, listed.items.map(conversationFrom).filter(matches))));
    from = listed.next;
    if (from === undefined || items.length >= limit) break;
  }
  return { items, ...(from !== undefined && { next: from }) };
}

/** Only while its turn runs is it shown as being processed: after a crash the row may still say so. */
async function asTheyStand(
  site: AwsContext,
  conversations: readonly Conversation[],
): Promise<Conversation[]> {
  const keys = conversations.map(({ id }) => conversationKeyOf(id));
  const items = await site.store.getMany("state", keys);
  const states = new Map(items.map((item) => [String(item.conversation_id), item]));
  return conversations.map((conversation) => {
    const { state, statusBefore } = storedFrom(conversation.id, states.get(conversation.id));
    if (isRunning(state.lease, site.clock.nowMs(), site.settings.clockSkewMs))
      return { ...conversation, status: "processing_reply" };
    const isStale = conversation.status === "processing_reply" && statusBefore !== undefined;
    return isStale ? { ...conversation, status: statusBefore as ConversationStatus } : conversation;
  });
}

async function showConversation(
  site: AwsContext,
  id: string,
  limits: DetailLimits = DETAIL_LIMITS,
): Promise<ConversationDetail | undefined> {
  const found = await conversationOf(site, id);
  if (!found) return undefined;
  const [conversation = found] = await asTheyStand(site, [found]);
  const { rowsMax, bytesMax } = limits;
  const [staged, lock, { messages, turns }, refusals] = await Promise.all([
    stagedLately(site, id, limits),
    lockOf(site, id),
    pastOf(site, id, { messagesMax: rowsMax, turnsMax: rowsMax, bytesMax }),
    latestItems(site, id, REFUSAL, rowsMax),
  ]);
  const fits = <T>(all: readonly T[]) => latestWithin(all.slice(-rowsMax), bytesMax);
  return {
    conversation,
    staged: staged.messages,
    ...(lock && { lock: { ...lock, staged: staged.count } }),
    messages,
    turns: fits(turns),
    refusals: fits(
      site.quarantine
        .sound("messages", refusals, refusalFrom)
        .filter(({ atMs }) => atMs >= refusalsSinceMs(site)),
    ),
  };
}

async function listDead(site: AwsContext, page: Page): Promise<Listing<DeadLetter>> {
  const { items: heads, next } = await listed(site, ["dead"], page, letterFrom);
  const items = await inParallel(heads, 8, async (head) => {
    const ofConversation = equal("conversation_id", head.conversationId);
    const ofLetter = beginsWith("item_id", letterRowPrefix(head.id));
    const rows = await site.store.query("messages", { key: all(ofConversation, ofLetter) });
    return { ...head, messages: messagesOf(letterRowsFrom(site, rows)).map(({ message }) => message) };
  });
  return { items, ...(next !== undefined && { next }) };
}

/** All are counted now, except turns: counting those would mean reading every conversation. */
async function counts(site: AwsContext): Promise<Counts> {
  const { store } = site;
  const leased = inParallel(sweptShards(site), LEASES_WIDTH, (shard) =>
    store.count("state", { index: LEASED, key: equal("lease_shard", shard) }),
  );
  const [conversations, staged, windows, leases, turns, dead, unknown, refusals, foreign, paused] =
    await Promise.all([
      countListed(site, "conversations", shards()),
      store.count("stage"),
      store.count("triggerLock"),
      leased.then(sum),
      countedTurns(site),
      countListed(site, "messages", ["dead"]),
      countListed(site, "messages", ["unknown"]),
      countListed(site, "messages", REFUSALS, inTime(refusalsSinceMs(site), 0)),
      countQuarantined(site),
      isPaused(site),
    ]);
  return {
    conversations,
    staged: staged - foreign.stage,
    windows: windows - foreign.triggerLock,
    leases,
    turns,
    dead,
    unknown,
    refusals,
    quarantined: foreign.all,
    paused,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
