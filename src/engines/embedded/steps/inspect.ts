import { DETAIL_LIMITS } from "../../../core/defaults.ts";
import { isRunning, leaseGauges } from "../../../core/lease.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { Conversation, ConversationKey } from "../../../model/conversation.ts";
import type { DeadLetter } from "../../../model/dead-letter.ts";
import type { NameRecord } from "../../../model/names.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type { UnknownSend } from "../../../model/unknown-send.ts";
import type {
  ConversationDetail,
  ConversationFilter,
  Counts,
  DetailLimits,
  Gauges,
  Listing,
  LockRecord,
  Page,
  QuarantinedRow,
} from "../../../ports/inspector.ts";
import { messagesOf, type StepContext } from "../context.ts";
import type { StoredDeadLetter } from "../tables.ts";
import { recordsBehind } from "./find-conversation.ts";

export function listConversations(step: StepContext, filter: ConversationFilter): Listing<Conversation> {
  const { items, ...rest } = step.tables.conversations.list(filter);
  return { items: items.map((each) => asItStands(step, each)), ...rest };
}

/** While its turn runs, a conversation is shown as being processed, whatever its record says. */
function asItStands(step: StepContext, conversation: Conversation): Conversation {
  const lease = step.tables.states.get(conversation.id)?.lease;
  const isProcessed = isRunning(lease, step.nowMs, step.settings.clockSkewMs);
  return isProcessed ? { ...conversation, status: "processing_reply" } : conversation;
}

export function latestId(step: StepContext, key: ConversationKey): string | undefined {
  return step.tables.conversations.latestId(key);
}

/** As pairs: a map would not survive the way between threads. */
export function namesOf(step: StepContext, conversation: Conversation): (readonly [string, NameRecord])[] {
  return [...recordsBehind(step, conversation)];
}

export function showConversation(
  step: StepContext,
  { id, limits }: { id: string; limits?: DetailLimits },
): ConversationDetail | undefined {
  const { tables } = step;
  const { rowsMax, bytesMax } = limits ?? DETAIL_LIMITS;
  const conversation = tables.conversations.get(id);
  if (!conversation) return undefined;
  const lock = lockOf(step, id);
  return {
    conversation: asItStands(step, conversation),
    staged: messagesOf(tables.staged.latest(id, rowsMax, bytesMax)).map(({ message }) => message),
    ...(lock && { lock }),
    messages: tables.history.messages(id, rowsMax, bytesMax),
    turns: tables.history.turns(id, rowsMax, bytesMax),
    refusals: tables.refusals.latest(id, rowsMax, bytesMax),
  };
}

function lockOf(step: StepContext, conversationId: string): LockRecord | undefined {
  const state = step.tables.states.get(conversationId);
  return state && lockRecord(conversationId, state, step.tables.staged.count(conversationId));
}

/** How a state is shown to operators. */
export function lockRecord(conversationId: string, state: ConversationState, staged: number): LockRecord {
  const { window, lease, draft, works } = state;
  return {
    conversationId,
    ...(window && { window: { id: window.id, dueAtMs: window.dueAtMs } }),
    ...(lease && { lease: { holder: lease.holder, untilAtMs: lease.untilAtMs, takenAtMs: lease.takenAtMs } }),
    staged,
    attempts: Math.max(0, ...works.map(({ attempts }) => attempts)),
    draft: draft !== undefined,
  };
}

export function listLocks(step: StepContext, page: Page): Listing<LockRecord> {
  return step.tables.states.locks(page);
}

export function listDead(step: StepContext, page: Page): Listing<DeadLetter> {
  const { items, next } = step.tables.deadLetters.list(page);
  return { items: items.map(shownDead), ...(next !== undefined && { next }) };
}

function shownDead({ rows, ...letter }: StoredDeadLetter): DeadLetter {
  return { ...letter, messages: messagesOf(rows).map(({ message }) => message) };
}

export function listUnknown(step: StepContext, page: Page): Listing<UnknownSend> {
  return step.tables.unknownSends.list(page);
}

export function listRefusals(step: StepContext, page: Page): Listing<Refusal> {
  return step.tables.refusals.list(page);
}

export function listQuarantined(step: StepContext, page: Page): Listing<QuarantinedRow> {
  return step.tables.quarantine.list(page);
}

export function counts(step: StepContext): Counts {
  return step.tables.meta.counts(step.nowMs);
}

export function gauges({ tables, nowMs, settings }: StepContext): Gauges {
  const { dead, unknown, quarantined = 0 } = tables.meta.counts(nowMs);
  const held = tables.states.holders().flatMap((holder) => tables.states.heldBy(holder));
  const leases = held.flatMap((id) => tables.states.get(id)?.lease ?? []);
  return { dead, unknown, quarantined, ...leaseGauges(leases, nowMs, settings.clockSkewMs) };
}
