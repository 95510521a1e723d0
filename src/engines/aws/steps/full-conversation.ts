import { conversationKey } from "../../../core/identity.ts";
import { isFull, pileOf } from "../../../core/pile.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { ConversationKey } from "../../../model/conversation.ts";
import type { StageOutcome } from "../../../ports/engine.ts";
import type { AwsContext } from "../context.ts";
import { absent, equal, type Item } from "../dynamo/expression.ts";
import { claimIn } from "../items/claim.ts";
import { fullKey, ttl } from "../items/keys.ts";
import type { Refused } from "../items/refusal-item.ts";
import { seenKeys } from "../items/seen.ts";
import type { StagedRow } from "../items/stage-item.ts";
import { refuse } from "./refuse.ts";

/**
 * Counting what is staged with every message would cost more than staging it. A worker that looks reads all
 * of it anyway, and leaves a mark if there is too much: a message is refused while a mark stands. So a
 * conversation may hold what the limits say, plus what came in between two looks: a window, or at most 15
 * minutes, the longest delay of a trigger.
 */
const COUNTED_MS = 60_000;
const KEPT_MS = 24 * 3_600_000;

/** A mark: this sender's conversation was full when a worker counted. */
export interface FullMark {
  readonly key: Item;
  readonly countedAtMs: number;
  readonly isTold: boolean;
}

/** What an incoming message has to know before anything else. */
export interface LookedUp {
  /** The message has its fate: committed, dead, or refused for good. */
  readonly isDuplicate: boolean;
  /** Where an earlier delivery of it was to be staged. */
  readonly stagedIn: string | undefined;
  readonly mark: FullMark | undefined;
}

/** DEDUPE, and the mark, in one read. The time is compared here: the table removes expired items late. */
export async function lookUp(
  context: AwsContext,
  messageId: string,
  key: ConversationKey,
): Promise<LookedUp> {
  const full = fullKey(key);
  const seen = seenKeys(context, messageId);
  const items = await context.store.getMany(
    "seen",
    [...seen, full].map((id) => ({ id })),
  );
  const alive = items.filter(({ until_at_ms }) => Number(until_at_ms) > context.clock.nowMs());
  const [mark, known, before] = [full, ...seen].map((each) => alive.find(({ id }) => id === each));
  return lookedUp(known ?? before, mark);
}

function lookedUp(known: Item | undefined, mark: Item | undefined): LookedUp {
  return {
    isDuplicate: known?.fate !== undefined,
    stagedIn: known && claimIn(known),
    mark: mark && markFrom(mark),
  };
}

function markFrom({ id, counted_at_ms, told_as }: Item): FullMark {
  return { key: { id }, countedAtMs: Number(counted_at_ms), isTold: told_as !== undefined };
}

/** Marks what a worker has counted, under every sender's name: an incoming message knows only its sender. */
export async function markIfFull(context: AwsContext, rows: readonly StagedRow[]): Promise<void> {
  if (!isFull(pileOf(rows), context.settings, 1)) return;
  const keys = new Set(
    messagesOf(rows).map(({ message }) => fullKey(conversationKey(context.settings, message))),
  );
  for (const id of keys) await context.store.update("seen", { id }, { set: counted(context) });
}

function counted({ clock }: AwsContext): Item {
  const nowMs = clock.nowMs();
  const untilAtMs = nowMs + KEPT_MS;
  return { counted_at_ms: nowMs, until_at_ms: untilAtMs, expires_at: ttl(untilAtMs) };
}

/** A mark is believed for a minute; then one of the incoming messages counts again. */
export async function isStillFull(
  context: AwsContext,
  mark: FullMark,
  conversationId: string,
): Promise<boolean> {
  if (mark.countedAtMs + COUNTED_MS > context.clock.nowMs()) return true;
  const set = counted(context);
  const isSame = equal("counted_at_ms", mark.countedAtMs);
  const { kind, item } = await context.store.update("seen", mark.key, { set }, isSame);
  // Another process counts, or has counted, unless it was our own write whose answer got lost.
  if (kind === "refused" && item?.counted_at_ms !== set.counted_at_ms) return true;
  if (await isFullNow(context, conversationId)) return true;
  await context.store.delete("seen", mark.key, equal("counted_at_ms", set.counted_at_ms));
  return false;
}

/** Counts only until the answer is known. */
async function isFullNow({ store, settings }: AwsContext, conversationId: string): Promise<boolean> {
  const key = equal("conversation_id", conversationId);
  const rows: { readonly bytes: number }[] = [];
  let from: Item | undefined;
  do {
    const { items, next } = await store.queryPage("stage", { key, from, attributes: ["bytes"] });
    rows.push(...items.map(({ bytes }) => ({ bytes: Number(bytes) || 0 })));
    from = next;
  } while (from && !isFull(pileOf(rows), settings, 1));
  return isFull(pileOf(rows), settings, 1);
}

/** One record and one busy text while it is full. Of several at once, one tells: the mark says which. */
export async function refuseMore(
  context: AwsContext,
  refused: Refused,
  mark: FullMark,
  conversationId: string,
): Promise<StageOutcome> {
  const code = "RATE_LIMITED";
  const isFirst = !mark.isTold && (await tellOnce(context, mark));
  if (!isFirst) return { kind: "refused", code, conversationId, tellBusy: false };
  return { ...(await refuse(context, refused, code, conversationId)), tellBusy: true };
}

async function tellOnce(context: AwsContext, { key }: FullMark): Promise<boolean> {
  const toldAs = context.newId();
  const { kind, item } = await context.store.update(
    "seen",
    key,
    { set: { told_as: toldAs } },
    absent("told_as"),
  );
  return kind === "done" || item?.told_as === toldAs;
}
