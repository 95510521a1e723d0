import { deadLetteredAs, takeResult } from "../../../core/dead-letters.ts";
import { BROUGHT_BYTES_MAX, RECENT_TURNS } from "../../../core/defaults.ts";
import { ABANDONED, PROCESSING } from "../../../core/elsewhere.ts";
import { idWithin, turnIdFrom } from "../../../core/identity.ts";
import { isHeld, type LeaseState } from "../../../core/lease.ts";
import { lookUp } from "../../../core/lookup.ts";
import { movedSince } from "../../../core/name-lookups.ts";
import { channelOf } from "../../../core/new-draft.ts";
import { settingsFor } from "../../../core/projects.ts";
import type { ConversationState } from "../../../core/state.ts";
import { decideTake } from "../../../core/take.ts";
import type { TakeDecision } from "../../../core/take-decision.ts";
import { contentOf, laterFrom, takenFrom } from "../../../core/taken.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { HistoryMessage } from "../../../model/history.ts";
import type { StagedRow } from "../../../model/staged.ts";
import type { Busy, Taken, TakeOutcome, TakeResult } from "../../../model/take.ts";
import {
  changeRecord,
  pausedProject,
  projectRule,
  type StepContext,
  saveState,
  stateOf,
} from "../context.ts";
import { deadLetter } from "./dead-letter.ts";
import { recordsAt } from "./find-conversation.ts";
import { shortHistory } from "./history.ts";
import { type Waiting, waitingIn } from "./look.ts";
import { findRecord } from "./on-turn.ts";

export function take(context: StepContext, conversationId: string): TakeResult {
  return takeResult(takeOne(context, conversationId, { underLease: false }));
}

/**
 * MORE: no other worker gets in between, but the next turn has a token of its own. Under the old one,
 * a commit whose answer got lost would be tried again and commit the next turn.
 */
export function takeMore(context: StepContext, conversationId: string): TakeResult {
  return takeResult(takeOne(context, conversationId, { underLease: true }));
}

/** Usually one outcome; each dead letter before it is one more. */
export function takeOne(context: StepContext, id: string, how: { underLease: boolean }): TakeOutcome[] {
  const { lease } = stateOf(context, id);
  const outcomes = looksAt(context, id, how);
  const last = outcomes.at(-1)!;
  // It had lapsed, or its holder is known dead: a worker that gives a lease back removes it.
  if (how.underLease || lease === undefined || last.kind === "busy") return outcomes;
  const tookOver = { conversationId: id, holder: lease.holder, sinceAtMs: lease.takenAtMs };
  return [...outcomes.slice(0, -1), { ...last, tookOver }];
}

function looksAt(context: StepContext, id: string, how: { underLease: boolean }): TakeOutcome[] {
  const outcomes: TakeOutcome[] = [];
  for (let left = Number.POSITIVE_INFINITY; ; ) {
    const outcome = tryOnce(context, id, how);
    if (outcome === "again") {
      const staged = context.tables.staged.count(id);
      // Nothing was set aside since the last time: another look would find the same, for ever.
      if (staged >= left) throw new Error("a staged row can neither be read nor set aside");
      left = staged;
      continue;
    }
    outcomes.push(outcome);
    if (outcome.kind !== "dead-lettered") return outcomes;
  }
}

function tryOnce(
  context: StepContext,
  id: string,
  { underLease }: { underLease: boolean },
): TakeOutcome | "again" {
  const state = stateOf(context, id);
  const held = !underLease && isHeld(state.lease, context.nowMs, context.settings.clockSkewMs);
  if (context.settings.validation === "on-turn" && !held) findRecord(context, id, state);
  const waiting = waitingIn(context, id, state);
  const record = context.tables.conversations.get(id);
  const decision = decideTake(
    {
      ...waiting,
      state,
      conversation: record,
      // A turn of ours shows in the status without being written there: this one is another system's.
      isElsewhere: record?.status === PROCESSING,
      allPaused: context.tables.meta.isPaused(),
      pausedProject: pausedProject(context, waiting.newestChannel),
    },
    {
      nowMs: context.nowMs,
      holder: context.holder,
      token: context.newId(),
      turnIdOf: (ids) => newTurnId(context, id, state, ids),
      windowId: context.newId(),
      underLease,
    },
    context.settings,
  );
  return actOn(context, { id, state, waiting, record }, decision);
}

function newTurnId(
  context: StepContext,
  id: string,
  { window }: ConversationState,
  messageIds: readonly string[],
): string {
  return window ? turnIdFrom(id, window.id, messageIds) : idWithin(id, context.newId());
}

interface Before {
  readonly id: string;
  readonly state: ConversationState;
  readonly waiting: Waiting;
  readonly record: Conversation | undefined;
}

function actOn(context: StepContext, before: Before, decision: TakeDecision): TakeOutcome | "again" {
  const { id } = before;
  switch (decision.kind) {
    case "busy":
      // Written unchanged: this corrects a column that says "due", or the row is found again and again.
      context.tables.states.put(id, before.state);
      return { ...decision, conversationId: id, ...holding(before.state.lease!) };
    case "nothing":
      context.tables.states.put(id, undefined);
      return { kind: "nothing" };
    case "later":
      saveState(context, id, decision.state);
      return laterFrom(decision, id);
    case "dead-letter": {
      const rows = before.waiting.rowsOf(decision.messageIds);
      const deadLetterId = deadLetter(context, id, decision, decision.state);
      return deadLetteredAs(deadLetterId, id, decision, { ...before.state, rows });
    }
    case "turn": {
      const rows = before.waiting.rowsOf(decision.work.batchIds);
      const isWhole = decision.what === "draft" || rows.length === decision.work.batchIds.length;
      // One row turned out to be foreign and was set aside: without it the turn is another one.
      if (!isWhole) return "again";
      saveState(context, id, decision.state);
      if (decision.isOverStale) changeRecord(context, id, { status: ABANDONED });
      return { kind: "turn", taken: taken(context, { ...before, rows }, decision) };
    }
  }
}

function holding({ holder, takenAtMs }: LeaseState): Pick<Busy, "holder" | "sinceAtMs"> {
  return { holder, sinceAtMs: takenAtMs };
}

function taken(
  context: StepContext,
  { id, record, rows }: Before & { readonly rows: readonly StagedRow[] },
  decision: Extract<TakeDecision, { kind: "turn" }>,
): Taken {
  const { work, what } = decision;
  const conversation = record!;
  const content = contentOf(decision, rows);
  const channel = channelOf(content);
  const project = projectRule(context, channel);
  const moved = lookUp(movedSince(conversation, content), recordsAt(context, conversation));
  const recent = what === "draft" ? context.tables.history.sent(work.recordId, RECENT_TURNS) : [];
  const recentProviderIds = recent.map(({ providerId }) => providerId);
  const history = what === "batch" ? broughtAlong(context, channel, work.recordId) : undefined;
  const read = { id, conversation, project, content, moved, recentProviderIds, ...(history && { history }) };
  return takenFrom(decision, read, context.settings);
}

/** A long history is left to a request of its own, which keeps no webhook waiting. */
function broughtAlong(context: StepContext, channel: string, recordId: string): HistoryMessage[] | undefined {
  const { tables, settings } = context;
  if (!settings.bringsHistory) return undefined;
  const { historyBytesMax, historyMessagesMax } = settingsFor(settings, channel);
  const bytesMax = Math.min(BROUGHT_BYTES_MAX, historyBytesMax);
  const said = tables.history.shortMessages(recordId, historyMessagesMax, bytesMax);
  return said && shortHistory(context, recordId, said, { messagesMax: historyMessagesMax, bytesMax });
}
