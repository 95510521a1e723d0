import type { ConversationState } from "../../core/state.ts";
import { decideTake, type StagedItem, type TakeDecision } from "../../core/take.ts";
import type { Conversation } from "../../ports/conversations.ts";
import type { DueTurns, Taken, TakeOutcome } from "../../ports/engine.ts";
import { bury } from "./burying.ts";
import { resolve } from "./receiving.ts";
import { messagesOf, type Step, saveState, stateOf, windowOf } from "./step.ts";
import type { StagedRow } from "./tables.ts";

/** LEASE, DISARM and BATCH for everything that is due, longest waiting first, in one transaction. */
export function takeDue(step: Step, max: number): DueTurns {
  const outcomes: TakeOutcome[] = [];
  if (!step.tables.isPaused()) {
    for (const id of step.tables.wakeable(step.nowMs, max)) outcomes.push(...takeOne(step, id, undefined));
  }
  const nextAtMs = step.tables.nextWakeAtMs();
  return nextAtMs === undefined ? { outcomes } : { outcomes, nextAtMs };
}

export function take(step: Step, conversationId: string): TakeOutcome {
  return takeOne(step, conversationId, undefined).at(-1)!;
}

/** Step 9, MORE: goes on under the lease that is held. */
export function takeMore(step: Step, conversationId: string, token: string): TakeOutcome {
  return takeOne(step, conversationId, token).at(-1)!;
}

/** Usually one outcome; a dead letter on the way is one more. */
function takeOne(step: Step, id: string, token: string | undefined): TakeOutcome[] {
  const outcomes: TakeOutcome[] = [];
  for (;;) {
    const outcome = tryOnce(step, id, token);
    outcomes.push(outcome);
    if (outcome.kind !== "buried") return outcomes;
  }
}

function tryOnce(step: Step, id: string, token: string | undefined): TakeOutcome {
  const state = stateOf(step, id);
  const rows = step.tables.staged(id);
  const record = recordOf(step, id, state, rows);
  const newest = messagesOf(rows).at(-1)?.message.channel;
  const decision = decideTake(
    {
      state,
      staged: rows.map(itemOf),
      conversation: record && {
        id: record.id,
        paused: record.paused,
        window: windowOf(step, record, newest),
      },
    },
    {
      nowMs: step.nowMs,
      holder: step.holder,
      token: token ?? step.newId(),
      turnId: step.newId(),
      windowId: step.newId(),
      underLease: token !== undefined,
    },
    step.settings,
  );
  return carryOut(step, { id, state, rows, record }, decision);
}

interface Before {
  readonly id: string;
  readonly state: ConversationState;
  readonly rows: readonly StagedRow[];
  readonly record: Conversation | undefined;
}

function carryOut(step: Step, before: Before, decision: TakeDecision): TakeOutcome {
  const { id } = before;
  switch (decision.kind) {
    case "busy":
      return decision;
    case "nothing":
      step.tables.putState(id, undefined);
      return { kind: "nothing" };
    case "later":
      saveState(step, id, decision.state);
      return { kind: "later", dueAtMs: decision.atMs };
    case "bury": {
      const { reason } = decision;
      const deadLetterId = bury(step, id, decision, decision.state);
      return { kind: "buried", deadLetterId, reason };
    }
    case "turn":
      saveState(step, id, decision.state);
      return { kind: "turn", taken: takenFrom(step, before, decision) };
  }
}

function takenFrom(step: Step, before: Before, decision: Extract<TakeDecision, { kind: "turn" }>): Taken {
  const { work, state, what } = decision;
  const lease = state.lease!;
  const batch = new Set(work.batchIds);
  const rows = before.rows.filter(({ id }) => batch.has(id));
  const byId = new Map(messagesOf(rows).map((row) => [row.id, row.message]));
  const outbound = rows.find((row) => row.kind === "outbound")?.outbound;
  const { holderDeadAtMs } = before.state;
  return {
    lease: { conversationId: before.id, token: lease.token, untilAtMs: lease.untilAtMs },
    turnId: work.turnId,
    attempt: work.attempts,
    restarts: work.restarts,
    conversation: before.record!,
    messages: work.batchIds.flatMap((id) => byId.get(id) ?? []),
    ...(outbound && { outbound }),
    ...(what === "draft" && state.draft && { draft: state.draft }),
    recentProviderIds: what === "draft" ? step.tables.recentProviderIds(work.recordId) : [],
    ...(holderDeadAtMs !== undefined && { previousHolderDeadAtMs: holderDeadAtMs }),
    cut: state.leftBehindAtMs !== undefined,
    takenAtMs: step.nowMs,
    dueAtMs: work.dueAtMs,
  };
}

/** The record of the conversation. On-turn messages wait under an id made from their key: theirs is looked for now. */
function recordOf(
  step: Step,
  id: string,
  state: ConversationState,
  rows: readonly StagedRow[],
): Conversation | undefined {
  const working = state.draft && state.works.find(({ turnId }) => turnId === state.draft?.turnId);
  const known = step.tables.conversation(working?.recordId ?? id);
  if (step.settings.validation === "on-receipt" || working || (known && !known.taskComplete)) return known;
  const newest = messagesOf(rows).at(-1);
  return newest ? resolve(step, newest.message) : known;
}

function itemOf(row: StagedRow): StagedItem {
  if (row.kind === "message") {
    const { id, arrivedAtMs, position, sequence, sentAtMs } = row.message;
    const item = { kind: row.kind, id, arrivedAtMs, position, sequence, bytes: row.bytes };
    return sentAtMs === undefined ? item : { ...item, sentAtMs };
  }
  const { id, outbound, sequence, bytes } = row;
  return { kind: row.kind, id, arrivedAtMs: outbound.arrivedAtMs, position: 0, sequence, bytes };
}
