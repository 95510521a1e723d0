import { changed, type RecordChange } from "../../core/conversation-change.ts";
import { REMEMBERED_LONGER_MS } from "../../core/defaults.ts";
import type { ClockReading } from "../../core/due.ts";
import { isTheirTime } from "../../core/elsewhere.ts";
import type { StagedItem } from "../../core/found.ts";
import { conversationWithin } from "../../core/identity.ts";
import { projectOf, ruleInForce } from "../../core/projects.ts";
import { itemOf } from "../../core/staged.ts";
import { AT_REST, type ConversationState, isAtRest, keptWaitingSinceMs, wakeAtMs } from "../../core/state.ts";
import type { Conversation } from "../../model/conversation.ts";
import type { Lease } from "../../model/lease.ts";
import type { ProjectRule } from "../../model/project.ts";
import { NO_USAGE, type Usage } from "../../model/reply.ts";
import type { Settings } from "../../model/settings.ts";
import type { StagedRow } from "../../model/staged.ts";
import type { Ended } from "../../ports/engine.ts";
import type { PileEnd, Tables } from "./tables.ts";

/** What every step is given: the tables inside its transaction, the settings, the time of the request. */
export interface StepContext {
  readonly tables: Tables;
  readonly settings: Settings;
  readonly holder: string;
  readonly nowMs: number;
  readonly newId: () => string;
  /** What makes the ids of conversations unique to this installation. */
  readonly secret: string;
  /** Undoes `work` if it throws. Set once a request threw, so that the others in its transaction go on. */
  readonly apart?: <T>(work: () => T) => T;
  /** Called if one conversation makes every look fail. */
  readonly failed?: (conversationId: string, error: unknown) => void;
  /** Called with the time at which a worker will have to look at a conversation. */
  readonly armed: (atMs: number) => void;
}

/** What the channel's project allows now. */
export function projectRule({ tables, settings }: StepContext, channel: string): ProjectRule {
  const project = projectOf(settings, channel);
  return ruleInForce(settings, project, tables.meta.projectChange(project));
}

/** The project of these messages, if it is paused; none where there are none. */
export function pausedProject(
  { tables, settings }: StepContext,
  channel: string | undefined,
): string | undefined {
  if (channel === undefined) return undefined;
  const project = projectOf(settings, channel);
  return tables.meta.projectChange(project)?.paused ? project : undefined;
}

export function stateOf(context: StepContext, conversationId: string): ConversationState {
  return context.tables.states.get(conversationId) ?? AT_REST;
}

export function saveState(context: StepContext, conversationId: string, state: ConversationState): void {
  if (isAtRest(state)) {
    context.tables.states.put(conversationId, undefined);
    return;
  }
  context.tables.states.put(conversationId, state);
  const wakeAt = wakeAtMs(state);
  if (wakeAt !== undefined && !state.lease) context.armed(wakeAt);
}

/** The conversation of a running turn, or of one that waits for its provider or its answer. */
export function conversationIdOf({ tables }: StepContext, turnId: string): string | undefined {
  return conversationWithin(turnId) ?? tables.states.ofTurn(turnId);
}

/** The state, if this lease is still the newest. */
export function heldState(context: StepContext, lease: Lease): ConversationState | undefined {
  const state = context.tables.states.get(lease.conversationId);
  return state?.lease?.token === lease.token ? state : undefined;
}

/** How the lease of this state ended, as far as the transaction that ends it has read. */
export function endOf({ nowMs }: StepContext, held: ConversationState): Ended {
  const keptWaitingSinceAtMs = keptWaitingSinceMs(held, nowMs);
  return keptWaitingSinceAtMs === undefined ? NOTHING_WAITED : { keptWaitingSinceAtMs };
}

const NOTHING_WAITED: Ended = {};

/** Undefined if there is no record: it was removed by hand. */
export function changeRecord(
  { tables, nowMs, settings }: StepContext,
  id: string,
  change: RecordChange,
  usage: Usage = NO_USAGE,
): Conversation | undefined {
  const before = tables.conversations.get(id);
  if (!before) return undefined;
  const after = {
    ...changed(before, change, isTheirTime(before, change, settings) ? before.updatedAtMs : nowMs),
    promptTokens: before.promptTokens + usage.promptTokens,
    completionTokens: before.completionTokens + usage.completionTokens,
    totalTokens: before.totalTokens + usage.totalTokens,
  };
  tables.conversations.put(after);
  return after;
}

/** What is staged is known from then on: a redelivery is told from a new message by its id alone. */
export function stageRow(context: StepContext, row: StagedRow, end?: PileEnd): void {
  context.tables.staged.add(row, end);
  remember(context, [row.id], REMEMBERED_LONGER_MS);
}

export function remember(
  { tables, settings, nowMs }: StepContext,
  ids: readonly string[],
  longerMs = 0,
): void {
  tables.remembered.add(ids, nowMs + settings.dedupeMs + longerMs);
}

/** From the moment it leaves, a message is remembered for as long as is promised. */
export function keepRemembered(context: StepContext, rows: readonly StagedRow[]): void {
  const isLate = ({ arrivedAtMs }: StagedItem) =>
    Math.abs(context.nowMs - arrivedAtMs) >= REMEMBERED_LONGER_MS;
  const late = rows.map(itemOf).filter(isLate);
  remember(
    context,
    late.map(({ id }) => id),
  );
}

/** The time of the request, in the form that decisions about due times need. */
export function clockOf({ nowMs, settings }: StepContext): ClockReading {
  return { nowMs, clockSkewMs: settings.clockSkewMs };
}

/** If `work` throws and can be undone, this conversation is put off, and the others go on. */
export function orPutOff<T>(context: StepContext, conversationId: string, work: () => T): T | undefined {
  const { apart } = context;
  if (!apart) return work();
  try {
    return apart(work);
  } catch (error) {
    // Said first: where the error has ended all of it, what follows throws once more.
    context.failed?.(conversationId, error);
    apart(() => context.tables.states.putOff(conversationId, context.nowMs + context.settings.backoffMsMax));
    return undefined;
  }
}
