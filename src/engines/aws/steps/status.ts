import { ABANDONED, PROCESSING } from "../../../core/elsewhere.ts";
import type { ConversationState } from "../../../core/state.ts";
import { tellable } from "../../../errors.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { ReleaseReason } from "../../../model/release.ts";
import type { AwsContext } from "../context.ts";
import { isAsRead } from "../dynamo/exact.ts";
import { absent, all, any, different, equal, type Item, present } from "../dynamo/expression.ts";
import type { Action } from "../dynamo/store.ts";
import { listedAs, rowKey, rowSenderOf, updatedAtMsOf } from "../items/conversation-item.ts";
import { transactionToken } from "../items/keys.ts";
import { type Saved, savedAs, saveState } from "../items/state.ts";
import { type Stored, storedFrom } from "../items/state-item.ts";
import { transactWithRow, type WithRow } from "./with-row.ts";

const FAILED = "processing_error";

/** Nothing of a turn is noted: the row's status is its own. */
export const NO_STATUS_NOTE = { status_before: undefined, says_error: undefined };

/** Whether it is a turn of ours that the row tells of: one that runs, or died. */
export function isOwnWord({ statusBefore, saysError }: Stored): boolean {
  return statusBefore !== undefined && !saysError;
}

/** Whether the row says that another system processes the conversation. */
export function saysElsewhere(stored: Stored, record: Pick<Conversation, "status"> | undefined): boolean {
  return record?.status === PROCESSING && !isOwnWord(stored);
}

/** The row's status without what our own unfinished turn made of it. Undefined if that is not known. */
export function statusBeforeTurn(stored: Stored, status: string): string | undefined {
  const { statusBefore, saysError } = stored;
  const isOurs = status === (saysError ? FAILED : PROCESSING);
  if (isOurs && statusBefore !== undefined) return statusBefore;
  return status === PROCESSING ? undefined : status;
}

/**
 * Saves the state of a turn that begins, with what the row said before it. With `honourStatus` the row is
 * the other system's lock, and is taken in the same write: "elsewhere" if that system was quicker. One that
 * it left behind is taken as it was read: by now it may be the lock of its next processing.
 */
export async function saveBegun(
  context: AwsContext,
  stored: Stored,
  { after, written, record, statusBefore }: Beginning,
): Promise<Begun | { readonly kind: "elsewhere" }> {
  const noted = { ...written, status_before: statusBefore };
  const saveAlone = async (how: Pick<Begun, "isNoted">) => {
    const saved = await saveState(context, stored, after, how.isNoted ? noted : written);
    return { ...saved, ...how };
  };
  const isOurs = record.status === PROCESSING && !saysElsewhere(stored, record);
  if (isOurs) return saveAlone({ isNoted: true });
  if (!context.settings.honourStatus) {
    const saved = await saveAlone({ isNoted: true });
    // Also if only the answer to our write got lost.
    const isBegun = saved.stored.state.lease?.turnId === after.lease?.turnId;
    if (isBegun && record.status !== PROCESSING) await showProcessing(context, record);
    return saved;
  }
  const saved = savedAs(context, stored, after, noted);
  const row = record.status === PROCESSING ? await stillLeft(context, record) : processing(context, record);
  if (row === "elsewhere") return { kind: "elsewhere" };
  const action: Action = { kind: "update", table: "conversations", ...row };
  const begun = await savedWith(context, stored, saved, action);
  if (begun.kind !== "alone") return { ...begun, isNoted: true };
  // Gone, or without room: it does not have our word, and what it says from now on is not ours.
  return begun.row === undefined ? saveAlone({ isNoted: false }) : { kind: "elsewhere" };
}

/** Read once more: only the row has its time as its system spelt it, with every digit. */
async function stillLeft(context: AwsContext, record: Conversation) {
  const { key, change } = processing(context, record);
  const row = await context.store.get("conversations", key);
  if (row && !isStill(record, row)) return "elsewhere";
  const isUnchanged = isAsRead(row ?? {}, "updated_at");
  return { key, change, condition: all(equal("conversation_status", PROCESSING), isUnchanged) };
}

function isStill({ updatedAtMs }: Conversation, row: Item): boolean {
  return row.conversation_status === PROCESSING && updatedAtMsOf(row) === updatedAtMs;
}

/** Another system's word that was left behind is ours from now on, and is taken back like it. */
export function statusBeforeBegun(
  { settings }: AwsContext,
  stored: Stored,
  status: string,
): string | undefined {
  return statusBeforeTurn(stored, status) ?? (settings.honourStatus ? ABANDONED : undefined);
}

export interface Beginning {
  readonly after: ConversationState;
  /** What the state's row is given besides. */
  readonly written: Item;
  readonly record: Conversation;
  readonly statusBefore: string | undefined;
}

/** With whether it is noted what the row said before. */
export type Begun = Saved & { readonly isNoted: boolean };

/** Other systems read the status in the row; nothing of ours depends on it, so a failure is only logged. */
async function showProcessing(context: AwsContext, record: Conversation): Promise<void> {
  const { id } = record;
  const { key, change, condition } = processing(context, record);
  await context.store.update("conversations", key, change, condition).catch((error) => {
    context.log("warn", "status.not-mirrored", { conversation: id, reason: tellable(error) });
  });
}

/** The first turn of a row that another system wrote lists it: it is found then, however the turn ends. */
function processing({ clock }: AwsContext, record: Conversation) {
  const isOther = any(absent("conversation_status"), different("conversation_status", PROCESSING));
  const change = {
    set: { conversation_status: PROCESSING },
    setIfAbsent: listedAs(record.id, clock.nowMs()),
  };
  const key = rowKey(rowSenderOf(record), record.id);
  return { key, change, condition: all(present("conversation_id"), isOther) };
}

/**
 * Saves the state of a turn that is over without a commit, and takes our word back from the row in the same
 * write: to others it would be a lock without a holder. After a failure the row says so until the next
 * attempt. A turn that waits (for a late answer, for its provider) still has the conversation.
 */
export function saveReleased(
  context: AwsContext,
  stored: Stored,
  after: ConversationState,
  how: ReleaseReason["kind"],
): Promise<Saved> {
  if (how === "wait") return saveState(context, stored, after);
  const isFailed = how === "retry";
  const status = isFailed ? FAILED : stored.statusBefore;
  return saveWith(context, stored, after, status, isFailed ? { says_error: true } : NO_STATUS_NOTE);
}

async function saveWith(
  context: AwsContext,
  stored: Stored,
  after: ConversationState,
  status: string | undefined,
  note: Item,
): Promise<Saved> {
  const { sender } = stored;
  if (!isOwnWord(stored) || !sender) return saveState(context, stored, after);
  const row: Action = {
    kind: "update",
    table: "conversations",
    key: rowKey(sender, stored.id),
    change: { set: { conversation_status: status } },
    condition: equal("conversation_status", PROCESSING),
  };
  const transacted = await savedWith(context, stored, savedAs(context, stored, after, note), row);
  // Its owner wrote another status, or removed the row.
  return transacted.kind === "alone" ? saveState(context, stored, after, note) : transacted;
}

async function savedWith(
  context: AwsContext,
  before: Stored,
  { action, stored }: ReturnType<typeof savedAs>,
  row: Action,
): Promise<Saved | Extract<WithRow, { kind: "alone" }>> {
  const token = transactionToken("status", String(stored.rev));
  const written = await transactWithRow(context, before.id, { actions: [action], row, token });
  if (written.kind === "alone") return written;
  const standing = written.kind === "refused" ? written.by.get(0) : undefined;
  const isOurs = written.kind === "done" || standing?.rev === stored.rev;
  return isOurs ? { kind: "saved", stored } : { kind: "changed", stored: storedFrom(before.id, standing) };
}
