import { decideAttribute, goesOn } from "../../../core/conversation-change.ts";
import { keyOf } from "../../../core/identity.ts";
import { awaiting, withLateAnswer } from "../../../core/late-answer.ts";
import { draftBefore } from "../../../core/new-draft.ts";
import { changedProject } from "../../../core/projects.ts";
import { messagesOf, outboundIdsBefore, stagedOutbound } from "../../../core/staged.ts";
import type { Work } from "../../../core/state.ts";
import type {
  AttributeChange,
  Conversation,
  ConversationChange,
  NewConversation,
} from "../../../model/conversation.ts";
import type { Draft } from "../../../model/draft.ts";
import type { LateAnswer } from "../../../model/late-answer.ts";
import type { OutboundRequest } from "../../../model/outbound.ts";
import type { ProjectChange } from "../../../model/project.ts";
import {
  changeRecord,
  conversationIdOf,
  type StepContext,
  saveState,
  stageRow,
  stateOf,
} from "../context.ts";
import { createConversation, findKnown, withAlias } from "./find-conversation.ts";
import { wakeNow } from "./window.ts";

export function create(
  context: StepContext,
  given: NewConversation,
): { created: boolean; conversation: Conversation } {
  const choice = findKnown(context, keyOf(given), given);
  if (choice.found) return { created: false, conversation: withAlias(context, choice.found, choice) };
  const { senderAlias: _, ...rest } = given;
  return { created: true, conversation: createConversation(context, rest, choice) };
}

export function get(context: StepContext, id: string): Conversation | undefined {
  return context.tables.conversations.get(id);
}

export function change(
  context: StepContext,
  { id, change: given }: { id: string; change: ConversationChange },
): Conversation | undefined {
  const after = changeRecord(context, id, given);
  if (after && goesOn(given) && context.tables.staged.count(id) > 0) wakeNow(context, id);
  return after;
}

export function changeAttribute(
  context: StepContext,
  { id, change: given }: { id: string; change: AttributeChange },
): "changed" | "stale" | "not-found" {
  const before = context.tables.conversations.get(id);
  if (!before) return "not-found";
  const decision = decideAttribute(before.attributes, given);
  if (typeof decision === "string") return decision;
  changeRecord(context, id, { attributes: decision.onto(before.attributes) });
  return "changed";
}

export function say(context: StepContext, request: OutboundRequest): "staged" | "duplicate" | "not-found" {
  const { conversationId } = request;
  const { conversations, remembered } = context.tables;
  if (!conversations.get(conversationId)) return "not-found";
  const said = stagedOutbound(request, context.nowMs);
  const { id } = said.outbound;
  const names = [id, ...outboundIdsBefore(context.settings, request.id)];
  if (names.some((name) => remembered.has(name))) return "duplicate";
  stageRow(context, { kind: "outbound", id, conversationId, sequence: 0, ...said });
  wakeNow(context, conversationId);
  return "staged";
}

/** Accepts a late answer for a turn that waits for one, or that is about to say that it will. */
export function answer(context: StepContext, late: LateAnswer): "accepted" | "stale" {
  const { nowMs, settings } = context;
  const id = conversationIdOf(context, late.turnId);
  if (id === undefined) return "stale";
  const state = stateOf(context, id);
  const found = awaiting(state, late.turnId, { nowMs, clockSkewMs: settings.clockSkewMs });
  const draft =
    found.kind === "asked" ? draftFor(context, id, found.work) : found.kind === "waits" && found.draft;
  if (!draft) return "stale";
  saveState(context, id, withLateAnswer(state, draft, late, nowMs));
  if (found.kind === "waits" && !found.running) wakeNow(context, id);
  return "accepted";
}

function draftFor(context: StepContext, id: string, work: Work): Draft | undefined {
  const [newest] = messagesOf(context.tables.staged.of(id, work.batchIds.slice(-1)));
  return newest && draftBefore(work, newest.message, context.nowMs);
}

export function changeProject(
  { tables, nowMs, armed }: StepContext,
  { project, change: given }: { readonly project: string; readonly change: ProjectChange | undefined },
): void {
  tables.meta.setProjectChange(project, changedProject(tables.meta.projectChange(project), given));
  if (given?.paused !== false) return;
  tables.states.wakeHeldFor(project, nowMs);
  armed(nowMs);
}

export function pauseAll(context: StepContext, paused: boolean): void {
  context.tables.meta.setPaused(paused);
  if (!paused) context.armed(context.nowMs);
}
