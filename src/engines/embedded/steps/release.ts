import { arrivalsOf } from "../../../core/due.ts";
import { isAnsweredMeanwhile } from "../../../core/late-answer.ts";
import { afterRelease } from "../../../core/release.ts";
import { afterGivingUp, LOST, letterOf, workUnder } from "../../../core/running-turn.ts";
import { type ConversationState, windowAt } from "../../../core/state.ts";
import { windowInForce } from "../../../core/window.ts";
import type { Lease } from "../../../model/lease.ts";
import type { ReleaseReason } from "../../../model/release.ts";
import type { ReleaseOutcome } from "../../../ports/engine.ts";
import { clockOf, endOf, heldState, type StepContext, saveState } from "../context.ts";
import { deadLetter } from "./dead-letter.ts";
import { newerThan } from "./turn.ts";

/** Window, trigger and release in one step: at every moment a window or a lease stands. */
export function release(
  context: StepContext,
  { lease, how }: { lease: Lease; how: ReleaseReason },
): ReleaseOutcome {
  const state = heldState(context, lease);
  if (!state) return LOST;
  const work = workUnder(state);
  if (isAnsweredMeanwhile(state, work.turnId, how)) return { kind: "answered" };
  if (how.kind === "dead-letter") return deadLetterTurn(context, lease, state, how);
  const record = context.tables.conversations.get(work.recordId);
  const newer = how.kind === "restart" ? newerThan(context, lease, state) : undefined;
  const policy = windowInForce(context.settings, record, newer?.newestChannel);
  const arrivals = newer ? arrivalsOf(newer) : [];
  const releasing = { state, work, newer: arrivals, policy, ...clockOf(context), windowId: context.newId() };
  saveState(context, lease.conversationId, afterRelease(releasing, how));
  return { kind: "released", ...endOf(context, state) };
}

/** The state without the dead-lettered work. What is still staged needs a window, or no worker would look. */
function deadLetterTurn(
  context: StepContext,
  { conversationId: id }: Lease,
  state: ConversationState,
  how: Extract<ReleaseReason, { kind: "dead-letter" }>,
): ReleaseOutcome {
  const content = letterOf(state, how);
  const { staged } = context.tables;
  const isLeft = staged.count(id) > staged.of(id, content.messageIds).length;
  const made = isLeft ? windowAt(undefined, context.newId(), context.nowMs) : undefined;
  const after = { ...afterGivingUp(state), window: state.window ?? made };
  const deadLetterId = deadLetter(context, id, content, after);
  return { kind: "released", deadLetterId, ...endOf(context, state) };
}
