import { conversationKey } from "../../../core/identity.ts";
import { busyOutbound } from "../../../core/notices.ts";
import { isFull, type PileLimits, pileOf, stillFull } from "../../../core/pile.ts";
import { settingsFor } from "../../../core/projects.ts";
import { messagesOf } from "../../../core/staged.ts";
import type { StageOutcome } from "../../../ports/engine.ts";
import type { AwsContext } from "../context.ts";
import { isAsRead } from "../dynamo/exact.ts";
import { type Condition, equal, type Item } from "../dynamo/expression.ts";
import { pages } from "../dynamo/pages.ts";
import { fullKey, fullNoteKey, keptUntil } from "../items/keys.ts";
import type { Receipt } from "../items/refusal-item.ts";
import type { StageRow } from "../items/stage-item.ts";
import { isOurs, tellingNames } from "../items/version.ts";
import { say } from "./conversations.ts";
import { refuse } from "./refuse.ts";

/**
 * Counting what is staged with every message would cost more than staging it. A worker that looks reads all
 * of it anyway, and leaves a note if there is too much: a message is refused while a note stands. So a
 * conversation may hold what the limits say, plus what came in between two looks: a window, or at most 15
 * minutes, the longest delay of a trigger.
 */
const COUNTED_MS = 60_000;
const KEPT_MS = 24 * 3_600_000;

/** A note: this conversation was full when a worker counted. */
interface FullNote {
  readonly conversationId: string;
  readonly countedAtMs: number;
  /** On condition that no other process has counted since. */
  readonly isSame: Condition;
  /** Made when it was found full: the next time it is full is another. */
  readonly since: string;
  readonly isRecorded: boolean;
  readonly isTold: boolean;
}

/**
 * Notes what a worker has counted. An incoming message knows only its sender: under every sender's name it is
 * written which conversation has a note. The note itself is one, whatever names its customer has.
 */
export async function noteIfFull(
  context: AwsContext,
  conversationId: string,
  rows: readonly StageRow[],
  limits: PileLimits,
): Promise<void> {
  if (!isFull(pileOf(rows), limits, 1)) return;
  const setIfAbsent = { full_since: context.newId() };
  await context.store.update("seen", fullNoteKey(conversationId), { set: counted(context), setIfAbsent });
  const keys = new Set(
    messagesOf(rows).map(({ message }) => fullKey(conversationKey(context.settings, message))),
  );
  const set = { full_in: conversationId, ...kept(context) };
  for (const id of keys) await context.store.update("seen", { id }, { set });
}

function counted(context: AwsContext): Item {
  return { counted_at_ms: context.clock.nowMs(), ...kept(context) };
}

function kept({ clock }: AwsContext): Item {
  return keptUntil(clock.nowMs() + KEPT_MS);
}

/** The note of a conversation that is full, as far as is known. One that is past its time is counted anew. */
export async function noteOf(
  context: AwsContext,
  conversationId: string,
  limits: PileLimits,
): Promise<FullNote | undefined> {
  const item = await context.store.get("seen", fullNoteKey(conversationId));
  if (typeof item?.full_since !== "string") return undefined;
  const note = {
    conversationId,
    countedAtMs: Number(item.counted_at_ms),
    isSame: isAsRead(item, "counted_at_ms"),
    since: item.full_since,
    isRecorded: item.recorded_as !== undefined,
    isTold: item.told_as !== undefined,
  };
  return (await isStillFull(context, note, limits)) ? note : undefined;
}

/** A note is believed for a minute; then one of the incoming messages counts again. */
async function isStillFull(context: AwsContext, note: FullNote, limits: PileLimits): Promise<boolean> {
  const { conversationId } = note;
  const key = fullNoteKey(conversationId);
  if (note.countedAtMs + COUNTED_MS > context.clock.nowMs()) return true;
  const set = counted(context);
  const { kind, item } = await context.store.update("seen", key, { set }, note.isSame);
  // Another process counts, or has counted, unless it was our own write whose answer got lost.
  if (kind === "refused" && item?.counted_at_ms !== set.counted_at_ms) return true;
  if (await isFullNow(context, conversationId, limits)) return true;
  await context.store.delete("seen", key, equal("counted_at_ms", set.counted_at_ms));
  return false;
}

/** Counts only until the answer is known. */
async function isFullNow(
  { store }: AwsContext,
  conversationId: string,
  limits: PileLimits,
): Promise<boolean> {
  const key = equal("conversation_id", conversationId);
  const attributes = ["bytes", ...tellingNames("stage")];
  const rows: { readonly bytes: number }[] = [];
  for await (const items of pages((from) => store.queryPage("stage", { key, from, attributes }))) {
    // Rows of another system wait beside ours, and are no part of the pile.
    const own = items.filter((item) => isOurs("stage", item));
    rows.push(...own.map(({ bytes }) => ({ bytes: Number(bytes) || 0 })));
    if (isFull(pileOf(rows), limits, 1)) return true;
  }
  return false;
}

/**
 * One record and one busy text while it is full. The text comes first, under an id that all who find it full
 * now give it: it is staged once, and a process that dies before it is noted as told leaves it to the next
 * message. Of several at once, one records: the note says which.
 */
export async function refuseMore(
  context: AwsContext,
  refused: Receipt,
  note: FullNote,
): Promise<StageOutcome> {
  const { conversationId, since: id, isRecorded, isTold } = note;
  const more = stillFull(conversationId);
  if (isTold) return more;
  const { busyText: text } = settingsFor(context.settings, refused.arrival.channel);
  const said = await say(context, busyOutbound(refused.arrival, { id, conversationId, text }));
  // Checked on turn, there may be no record yet in which it could be said: a later message tells.
  const tellsNow = said !== "not-found";
  const isFirst = (tellsNow || !isRecorded) && (await noteFull(context, note, tellsNow));
  return isFirst ? { ...(await refuse(context, refused, more.code, conversationId)), tellBusy: true } : more;
}

/** True for the message that records that it is full. */
async function noteFull(
  context: AwsContext,
  { conversationId, since }: FullNote,
  isTold: boolean,
): Promise<boolean> {
  const id = context.newId();
  const { item } = await context.store.update(
    "seen",
    fullNoteKey(conversationId),
    { set: isTold ? { told_as: id } : {}, setIfAbsent: { recorded_as: id } },
    equal("full_since", since),
    "ALL_NEW",
  );
  return item?.recorded_as === id;
}
