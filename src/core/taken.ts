import type { StagedMessage } from "../model/message.ts";
import type { Settings } from "../model/settings.ts";
import type { StagedRow } from "../model/staged.ts";
import type { Moved, Taken, TakeOutcome } from "../model/take.ts";
import { countedOf, type Work } from "./state.ts";
import { standsApart } from "./suspects.ts";
import type { TakeDecision } from "./take-decision.ts";

type Turn = Extract<TakeDecision, { kind: "turn" }>;

/** What a turn is about. */
export type TurnContent = Pick<Taken, "messages" | "outbound" | "draft">;

export function contentOf({ state, what, work }: Turn, rows: readonly StagedRow[]): TurnContent {
  const outbound = rows.find((row) => row.kind === "outbound")?.outbound;
  return {
    messages: inBatchOrder(work, rows),
    ...(outbound && { outbound }),
    ...(what === "draft" && state.draft && { draft: state.draft }),
  };
}

/** The messages of a batch in its own order, which is not always that of staging. */
export function inBatchOrder(
  { batchIds }: Pick<Work, "batchIds">,
  rows: readonly StagedRow[],
): StagedMessage[] {
  const byId = new Map(rows.flatMap((row) => (row.kind === "message" ? [[row.id, row.message]] : [])));
  return batchIds.flatMap((id) => byId.get(id) ?? []);
}

/** What an engine read for a turn that it has decided to take. */
export interface ReadForTurn
  extends Pick<Taken, "conversation" | "project" | "recentProviderIds" | "history"> {
  /** The conversation that the lease is for. */
  readonly id: string;
  readonly content: TurnContent;
  readonly moved: Moved | undefined;
}

/** The turn as a worker gets it, once `decision.state` is stored. */
export function takenFrom(decision: Turn, read: ReadForTurn, settings: Settings): Taken {
  const { work, state, what } = decision;
  const { token, untilAtMs, takenAtMs } = state.lease!;
  const { id, conversation, project, content, moved, recentProviderIds, history } = read;
  return {
    lease: { conversationId: id, token, untilAtMs },
    turnId: work.turnId,
    attempt: work.attempts,
    counted: countedOf(work),
    outages: work.outages ?? 0,
    ...(work.failingSinceAtMs !== undefined && { failingSinceAtMs: work.failingSinceAtMs }),
    ...(standsApart(work, what, settings) && { isSuspect: true }),
    restarts: work.restarts,
    conversation,
    project,
    ...content,
    ...(content.messages.length > 0 && { firstMessageId: work.messageIds[0] ?? content.messages[0]!.id }),
    ...(moved && { moved }),
    recentProviderIds,
    ...(history && { history }),
    cut: state.leftBehindAtMs !== undefined,
    takenAtMs,
    dueAtMs: work.dueAtMs,
    ...(decision.isOverStale && { isOverStale: true }),
    ...(decision.isPaused && { isPaused: true }),
  };
}

/** The look as a worker is told of it. */
export function laterFrom(
  { atMs, elsewhere }: Extract<TakeDecision, { kind: "later" }>,
  conversationId: string,
): Extract<TakeOutcome, { kind: "later" }> {
  const held = elsewhere && {
    conversationId,
    sinceAtMs: elsewhere.sinceAtMs,
    ...(elsewhere.isFirst && { isFirst: true as const }),
  };
  return { kind: "later", dueAtMs: atMs, ...(held && { elsewhere: held }) };
}
