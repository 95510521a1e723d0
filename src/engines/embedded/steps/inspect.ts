import { DETAIL_LIMITS } from "../../../core/defaults.ts";
import { isHeld, leaseGauges } from "../../../core/lease.ts";
import { namesBehind } from "../../../core/person.ts";
import type { Conversation, ConversationKey } from "../../../model/conversation.ts";
import type { DeadLetter } from "../../../model/dead-letter.ts";
import type { NameRecord, NameRecords } from "../../../model/names.ts";
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
import { messagesOf, type Step } from "../context.ts";
import type { StoredDeadLetter } from "../tables.ts";

export function listConversations(step: Step, filter: ConversationFilter): Listing<Conversation> {
  const { items, ...rest } = step.tables.listConversations(filter);
  return { items: items.map((each) => asItStands(step, each)), ...rest };
}

/** While its turn runs a conversation is being processed, whatever its record said last. */
function asItStands(step: Step, conversation: Conversation): Conversation {
  const lease = step.tables.state(conversation.id)?.lease;
  const isRunning = isHeld(lease, step.nowMs, step.settings.clockSkewMs);
  return isRunning ? { ...conversation, status: "processing_reply" } : conversation;
}

export function latestId(step: Step, key: ConversationKey): string | undefined {
  return step.tables.latestConversationId(key);
}

/** As pairs: a map would not come back from another thread. */
export function namesOf({ tables }: Step, conversation: Conversation): (readonly [string, NameRecord])[] {
  let records: NameRecords = new Map();
  for (;;) {
    const more = namesBehind(conversation, records).filter((name) => !records.has(name));
    const found = tables.nameRecords(conversation, more);
    if (found.size === 0) return [...records];
    records = new Map([...records, ...found]);
  }
}

export function showConversation(
  step: Step,
  { id, limits }: { id: string; limits?: DetailLimits },
): ConversationDetail | undefined {
  const { tables } = step;
  const { rowsMax, bytesMax } = limits ?? DETAIL_LIMITS;
  const conversation = tables.conversation(id);
  if (!conversation) return undefined;
  const lock = lockOf(step, id);
  return {
    conversation: asItStands(step, conversation),
    staged: messagesOf(tables.stagedLately(id, rowsMax, bytesMax)).map(({ message }) => message),
    ...(lock && { lock }),
    messages: tables.history(id, rowsMax, bytesMax),
    turns: tables.listTurns(id, rowsMax, bytesMax),
    refusals: tables.listRefusalsOf(id, rowsMax, bytesMax),
  };
}

function lockOf(step: Step, conversationId: string): LockRecord | undefined {
  const state = step.tables.state(conversationId);
  return state && lockRecord(conversationId, state, step.tables.stagedCount(conversationId));
}

/** How a state is shown to people. */
export function lockRecord(
  conversationId: string,
  state: NonNullable<ReturnType<Step["tables"]["state"]>>,
  staged: number,
): LockRecord {
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

export function listLocks(step: Step, page: Page): Listing<LockRecord> {
  return step.tables.listLocks(page);
}

export function listDead(step: Step, page: Page): Listing<DeadLetter> {
  const { items, next } = step.tables.listDead(page);
  return { items: items.map(shownDead), ...(next !== undefined && { next }) };
}

function shownDead({ rows, ...letter }: StoredDeadLetter): DeadLetter {
  return { ...letter, messages: messagesOf(rows).map(({ message }) => message) };
}

export function listUnknown(step: Step, page: Page): Listing<UnknownSend> {
  return step.tables.listUnknown(page);
}

export function listRefusals(step: Step, page: Page): Listing<Refusal> {
  return step.tables.listRefusals(page);
}

export function listQuarantined(step: Step, page: Page): Listing<QuarantinedRow> {
  return step.tables.listQuarantined(page);
}

export function counts(step: Step): Counts {
  return step.tables.counts(step.nowMs);
}

export function gauges({ tables, nowMs, settings }: Step): Gauges {
  const { dead, unknown, quarantined = 0 } = tables.counts(nowMs);
  const held = tables.holders().flatMap((holder) => tables.heldBy(holder));
  const leases = held.flatMap((id) => tables.state(id)?.lease ?? []);
  return { dead, unknown, quarantined, ...leaseGauges(leases, nowMs, settings.clockSkewMs) };
}
