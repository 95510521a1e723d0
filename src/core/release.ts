import type { Draft } from "../model/draft.ts";
import type { ReleaseReason } from "../model/release.ts";
import type { WindowPolicy } from "../model/window.ts";
import { keepSent } from "./draft.ts";
import { dueOfMessages } from "./due.ts";
import { acceptedMeanwhile } from "./late-answer.ts";
import { shortReason } from "./reason.ts";
import { type ConversationState, type Work, windowAt, withOutage, withWork } from "./state.ts";

export interface Releasing {
  readonly state: ConversationState;
  readonly work: Work;
  /** Staged messages that are not in the batch. */
  readonly newer: readonly { readonly arrivedAtMs: number }[];
  readonly policy: WindowPolicy;
  readonly nowMs: number;
  readonly clockSkewMs: number;
  readonly windowId: string;
}

/** The state after a turn released its lease without a commit. Dead-lettering is the engine's. */
export function afterRelease(
  releasing: Releasing,
  how: Exclude<ReleaseReason, { kind: "dead-letter" }>,
): ConversationState {
  const { state, work, nowMs } = releasing;
  switch (how.kind) {
    case "retry":
      return sent(releasing, tried(work, how), how.draft, nowMs + how.afterMs);
    case "wait": {
      // The late answer may have arrived before the responder said that it would be late.
      if (how.draft?.awaitingUntilAtMs !== undefined && state.draft?.turnId === work.turnId) {
        return released(releasing, takenBack(work), state, nowMs);
      }
      return sent(releasing, takenBack(work), how.draft, nowMs + how.afterMs);
    }
    case "restart": {
      // Its sender was told that it is sent.
      if (acceptedMeanwhile(state, work.turnId)) return released(releasing, takenBack(work), state, nowMs);
      const again = { ...takenBack(work), restarts: work.restarts + 1 };
      // Not before the newer messages' own window: the customer is still writing.
      const { newer, policy } = releasing;
      const atMs = newer.length === 0 ? nowMs : dueOfMessages(newer, {}, policy, releasing);
      return released(releasing, again, { ...state, draft: undefined }, atMs);
    }
    case "put-back":
      return released(releasing, takenBack(work), state, nowMs);
  }
}

/** Keeps what is known to have been sent of the draft. */
function sent(
  releasing: Releasing,
  work: Work,
  written: Draft | undefined,
  notBeforeAtMs: number,
): ConversationState {
  const { state, nowMs } = releasing;
  const draft = written ? keepSent(state.draft, written) : state.draft;
  // The provider's callback may have come first: then there is nothing left to wait for.
  const isConfirmed = written !== undefined && isInDoubt(written) && draft !== undefined && !isInDoubt(draft);
  return released(releasing, work, { ...state, draft }, isConfirmed ? nowMs : notBeforeAtMs);
}

function released(
  releasing: Releasing,
  work: Work,
  state: ConversationState,
  notBeforeAtMs: number,
): ConversationState {
  const window = windowAt(state.window, releasing.windowId, notBeforeAtMs);
  return { ...withWork(state, work), window, lease: undefined, notBeforeAtMs };
}

function isInDoubt({ chunks }: Draft): boolean {
  return chunks.some(({ state }) => state.kind === "sending");
}

/** An attempt that ended in an outage does not count: outages are limited by time. */
function tried(work: Work, { reason, outageSinceAtMs }: Extract<ReleaseReason, { kind: "retry" }>): Work {
  const failed = { ...work, lastError: shortReason(reason) };
  if (outageSinceAtMs !== undefined) return withOutage(takenBack(failed), outageSinceAtMs);
  return { ...failed, errors: (work.errors ?? 0) + 1 };
}

function takenBack(work: Work): Work {
  return { ...work, attempts: work.attempts - 1 };
}
