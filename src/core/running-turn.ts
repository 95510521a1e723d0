import type { LetterContent } from "../model/dead-letter.ts";
import type { Draft } from "../model/draft.ts";
import type { Lease } from "../model/lease.ts";
import type { ChunkReference } from "../model/message.ts";
import type { ReleaseReason } from "../model/release.ts";
import type { StagedRow } from "../model/staged.ts";
import { deadLetteredWith } from "./dead-letters.ts";
import { keepSent, withChunk } from "./draft.ts";
import { acceptedMeanwhile } from "./late-answer.ts";
import { shortReason } from "./reason.ts";
import { type ConversationState, type Work, withoutWork, workOf } from "./state.ts";

/** The lease is another worker's by now: nothing was written. */
export const LOST = { kind: "lost" } as const;

/** The work of the turn that runs under the lease. */
export function workUnder(state: ConversationState): Work {
  const turnId = state.lease?.turnId ?? "";
  const work = workOf(state, turnId);
  if (!work) throw new Error(`lease of turn ${turnId} has no work`);
  return work;
}

/** The turn that runs, or waits for its late answer. */
export function runningTurnId({ lease, draft }: ConversationState): string | undefined {
  return lease?.turnId || draft?.turnId;
}

/** Whether newer messages would join if the answer started over. With a full batch none would. */
export function hasRoomForNewer({ leftBehindAtMs }: ConversationState): boolean {
  return leftBehindAtMs === undefined;
}

/** Whether the draft is what a responder answered. What a person or a program says is not taken back. */
export function isAnswer({ author }: Draft): boolean {
  return author === undefined;
}

/** DRAFT. A late answer that was accepted meanwhile counts: its sender was told that it is sent. */
export function withDraft(state: ConversationState, written: Draft, untilAtMs: number): ConversationState {
  return withChunks(state, acceptedMeanwhile(state, written.turnId) ?? written, untilAtMs);
}

/** Every write of a draft renews the lease. What a callback confirmed meanwhile stays `sent`. */
export function withChunks(state: ConversationState, written: Draft, untilAtMs: number): ConversationState {
  return { ...renewed(state, untilAtMs), draft: keepSent(state.draft, written) };
}

export function renewed(state: ConversationState, untilAtMs: number): ConversationState {
  return { ...state, lease: { ...state.lease!, untilAtMs } };
}

/** What the worker goes on with after such a write. */
export function asStored(
  lease: Lease,
  state: ConversationState,
): { readonly lease: Lease; readonly draft: Draft } {
  return { lease: { ...lease, untilAtMs: state.lease!.untilAtMs }, draft: state.draft! };
}

/** The provider has the chunk. Undefined if it was not in doubt; a turn that waited for it may go on. */
export function afterDelivery(
  state: ConversationState,
  { turnId, chunk }: ChunkReference,
  sent: { readonly providerId: string; readonly atMs: number },
): { readonly after: ConversationState; readonly goesOn: boolean } | undefined {
  const { draft } = state;
  if (draft?.turnId !== turnId || draft.chunks[chunk]?.state.kind !== "sending") return undefined;
  const confirmed = withChunk(draft, chunk, { kind: "sent", ...sent });
  const after = { ...state, draft: confirmed, notBeforeAtMs: undefined };
  return { after, goesOn: !state.lease && workOf(state, turnId) !== undefined };
}

/** COMMIT: without the work, and without what was true of it only. The lease is still to be released. */
export function afterCommit(state: ConversationState, { turnId }: Work): ConversationState {
  return {
    ...withoutWork(state, turnId),
    draft: undefined,
    busyToldTurnId: undefined,
  };
}

/** These rows left the pile. A message that left made room: the next time it is full is told anew. */
export function afterLeaving(state: ConversationState, rows: readonly StagedRow[]): ConversationState {
  return rows.some(({ kind }) => kind === "message") ? { ...state, fullTold: undefined } : state;
}

/** What a turn that gives up leaves for an operator. */
export function letterOf(
  state: ConversationState,
  { draft: written, reason }: Extract<ReleaseReason, { kind: "dead-letter" }>,
): LetterContent {
  const work = workUnder(state);
  const draft = written ? keepSent(state.draft, written) : state.draft;
  const messageIds = deadLetteredWith(work, draft);
  const { turnId } = work;
  return { messageIds, turnId, attempts: work.attempts, reason: shortReason(reason), draft };
}

/** The turn gave up: its lease is free, its work is gone. */
export function afterGivingUp(state: ConversationState): ConversationState {
  const { turnId } = workUnder(state);
  return { ...withoutWork(state, turnId), lease: undefined, busyToldTurnId: undefined };
}

/** The draft moves into the dead letter if it was that turn's. */
export function withoutLetter(
  after: ConversationState,
  content: LetterContent,
): { readonly draft: Draft | undefined; readonly after: ConversationState } {
  const own = after.draft?.turnId === content.turnId ? after.draft : undefined;
  return { draft: content.draft ?? own, after: own ? { ...after, draft: undefined } : after };
}
