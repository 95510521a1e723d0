import { DETAIL_LIMITS } from "../../../core/defaults.ts";
import { isRunning, leaseGauges } from "../../../core/lease.ts";
import { lookUp } from "../../../core/lookup.ts";
import { recordsBehind } from "../../../core/name-lookups.ts";
import { deadLetterOf, messagesOf } from "../../../core/staged.ts";
import type { Conversation, ConversationKey } from "../../../model/conversation.ts";
import type { DeadLetter } from "../../../model/dead-letter.ts";
import type { Gauges } from "../../../model/gauges.ts";
import type { NameRecord } from "../../../model/names.ts";
import type { ProjectChange } from "../../../model/project.ts";
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
import { type StepContext, stateOf } from "../context.ts";
import type { StoredDeadLetter } from "../tables.ts";
import { recordsAt } from "./find-conversation.ts";
import { lockOf } from "./locks.ts";

export function listConversations(context: StepContext, filter: ConversationFilter): Listing<Conversation> {
  const { items, ...rest } = context.tables.conversations.list(filter);
  return { items: items.map((each) => asItStands(context, each)), ...rest };
}

/** While its turn runs, a conversation is shown as being processed, whatever its record says. */
function asItStands(context: StepContext, conversation: Conversation): Conversation {
  const { lease } = stateOf(context, conversation.id);
  const isProcessed = isRunning(lease, context.nowMs, context.settings.clockSkewMs);
  return isProcessed ? { ...conversation, status: "processing_reply" } : conversation;
}

export function latestId(context: StepContext, key: ConversationKey): string | undefined {
  return context.tables.conversations.latestId(key);
}

/** As pairs: a map would not survive the way between threads. */
export function nameRecords(
  context: StepContext,
  conversation: Conversation,
): (readonly [string, NameRecord])[] {
  return [...lookUp(recordsBehind(conversation), recordsAt(context, conversation))];
}

export function showConversation(
  context: StepContext,
  { id, limits }: { id: string; limits?: DetailLimits },
): ConversationDetail | undefined {
  const { tables } = context;
  const { rowsMax, bytesMax, unansweredMax = rowsMax }: DetailLimits = limits ?? DETAIL_LIMITS;
  const conversation = tables.conversations.get(id);
  if (!conversation) return undefined;
  const lock = lockOf(context, id);
  return {
    conversation: asItStands(context, conversation),
    staged: messagesOf(tables.staged.latest(id, rowsMax, bytesMax)).map(({ message }) => message),
    ...(lock && { lock }),
    messages: tables.history.messages(id, rowsMax, bytesMax),
    turns: tables.history.turns(id, rowsMax, bytesMax),
    refusals: tables.refusals.latest(id, rowsMax, bytesMax),
    dead: tables.deadLetters.latest(id, unansweredMax, bytesMax).map(letterIn),
    unknown: tables.unknownSends.latest(id, unansweredMax, bytesMax),
  };
}

function letterIn({ rows, ...head }: StoredDeadLetter): DeadLetter {
  return deadLetterOf(head, rows);
}

export function listDead(context: StepContext, page: Page): Listing<DeadLetter> {
  const { items, next } = context.tables.deadLetters.list(page);
  return { items: items.map(letterIn), ...(next !== undefined && { next }) };
}

export function showDead(context: StepContext, id: string): DeadLetter | undefined {
  const letter = context.tables.deadLetters.get(id);
  if (!letter) return undefined;
  const { rows, ...head } = letter;
  return deadLetterOf(head, rows);
}

export function listUnknown(context: StepContext, page: Page): Listing<UnknownSend> {
  return context.tables.unknownSends.list(page);
}

export function showUnknown(context: StepContext, id: string): UnknownSend | undefined {
  return context.tables.unknownSends.get(id);
}

export function listRefusals(context: StepContext, page: Page): Listing<Refusal> {
  return context.tables.refusals.list(page);
}

export function counts(context: StepContext): Counts {
  return context.tables.meta.counts();
}

/** As pairs: see `nameRecords`. */
export function projectChanges({ tables }: StepContext): (readonly [string, ProjectChange])[] {
  return [...tables.meta.projectChanges()];
}

export function gauges({ tables, nowMs, settings }: StepContext): Gauges {
  const watched = tables.meta.watched();
  const held = tables.states.holders().flatMap((holder) => tables.states.heldBy(holder));
  const leases = held.flatMap((id) => tables.states.get(id)?.lease ?? []);
  return { ...watched, ...leaseGauges(leases, nowMs, settings.clockSkewMs), paused: tables.meta.isPaused() };
}
