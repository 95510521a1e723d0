import type { Commit } from "../model/commit.ts";
import type { Draft } from "../model/draft.ts";
import type { LateAnswer } from "../model/late-answer.ts";
import type { ReleaseReason } from "../model/release.ts";
import { pendingChunks } from "./draft.ts";
import { isHeld } from "./lease.ts";
import { effectsOf } from "./reply.ts";
import { type ConversationState, type Work, workOf } from "./state.ts";

/** Whether a turn waits for an answer from elsewhere. */
export type Awaiting =
  /** Its draft says so; `running` while the worker that wrote it still holds the lease. */
  | { readonly kind: "waits"; readonly draft: Draft; readonly running: boolean }
  /** The responder is being asked: its late answer may arrive before it says that the answer will be late. */
  | { readonly kind: "asked"; readonly work: Work }
  | { readonly kind: "stale" };

export function awaiting(
  state: ConversationState,
  turnId: string,
  { nowMs, clockSkewMs }: { readonly nowMs: number; readonly clockSkewMs: number },
): Awaiting {
  const { lease, draft } = state;
  const running = isHeld(lease, nowMs, clockSkewMs) && lease.turnId === turnId;
  if (draft?.turnId === turnId && draft.awaitingUntilAtMs !== undefined) {
    return { kind: "waits", draft, running };
  }
  const work = workOf(state, turnId);
  return running && !draft && work ? { kind: "asked", work } : { kind: "stale" };
}

export function withLateAnswer(
  state: ConversationState,
  { awaitingUntilAtMs: _answered, ...draft }: Draft,
  late: LateAnswer,
  nowMs: number,
): ConversationState & { readonly draft: Draft } {
  const answered: Draft = {
    ...draft,
    chunks: pendingChunks(late.texts, late.media),
    ...effectsOf(late),
    draftedAtMs: nowMs,
  };
  return { ...state, draft: answered, notBeforeAtMs: undefined };
}

/** The answer accepted while the responder was being asked. Its sender was told that it is sent. */
export function acceptedMeanwhile(state: ConversationState, turnId: string): Draft | undefined {
  const { draft } = state;
  return draft?.turnId === turnId && draft.awaitingUntilAtMs === undefined ? draft : undefined;
}

/** A turn that gives up for want of an answer, though one was accepted meanwhile: it is no dead letter. */
export function isAnsweredMeanwhile(state: ConversationState, turnId: string, how: ReleaseReason): boolean {
  const isUnanswered = how.kind === "dead-letter" && how.isUnanswered === true;
  return isUnanswered && acceptedMeanwhile(state, turnId) !== undefined;
}

/** A commit without a reply, of a turn whose responder was asked. */
export function isSilence({ outcome, draft }: Pick<Commit, "outcome" | "draft">): boolean {
  return draft === undefined && (outcome === "no-reply" || outcome === "queued");
}
