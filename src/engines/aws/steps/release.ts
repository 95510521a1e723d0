import { isAnsweredMeanwhile } from "../../../core/late-answer.ts";
import { afterRelease } from "../../../core/release.ts";
import { afterGivingUp, LOST, letterOf, workUnder } from "../../../core/running-turn.ts";
import { windowInForce } from "../../../core/window.ts";
import type { Lease } from "../../../model/lease.ts";
import type { ReleaseReason } from "../../../model/release.ts";
import type { ReleaseOutcome } from "../../../ports/engine.ts";
import { type AwsContext, clockOf } from "../context.ts";
import { conversationOf } from "../items/conversation-row.ts";
import { stagedAs, waitsBeside } from "../items/staged.ts";
import { type Changed, heldState, isMine, letGo } from "../items/state.ts";
import { type Stored, triggerOf } from "../items/state-item.ts";
import { windowOf } from "../items/window-item.ts";
import { deadLetter } from "./dead-letter.ts";
import { saveReleased } from "./status.ts";
import { newerThan } from "./turn.ts";
import { wakeAt, wakeNow, wakeWaiting } from "./window.ts";

/** Window, trigger, release, in this order: at every moment a window or a lease stands. */
export async function release(
  context: AwsContext,
  lease: Lease,
  how: ReleaseReason,
): Promise<ReleaseOutcome> {
  let stored = await heldState(context, lease);
  while (isMine(stored, lease.token)) {
    if (isAnsweredMeanwhile(stored.state, stored.state.lease.turnId, how)) return { kind: "answered" };
    const progress: Progress =
      how.kind === "dead-letter"
        ? await deadLetterTurn(context, stored, how)
        : await releaseWork(context, stored, how);
    if (progress.kind === "released") {
      letGo(context, lease.token);
      return progress;
    }
    stored = progress.stored;
  }
  letGo(context, lease.token);
  return LOST;
}

type Progress = { readonly kind: "released"; readonly deadLetterId?: string } | Changed;

async function releaseWork(
  context: AwsContext,
  stored: Stored,
  how: Exclude<ReleaseReason, { kind: "dead-letter" }>,
): Promise<Progress> {
  const work = workUnder(stored.state);
  const [record, newer, window] = await Promise.all([
    conversationOf(context, work.recordId, stored.sender),
    how.kind === "restart" ? newerThan(context, stored) : [],
    windowOf(context, stored.id),
  ]);
  const policy = windowInForce(context.settings, record, newer.at(-1)?.channel);
  const releasing = { state: { ...stored.state, window }, work, newer, policy };
  const { window: made, ...after } = afterRelease(
    { ...releasing, ...clockOf(context), windowId: context.newId() },
    how,
  );
  const { id: windowId, dueAtMs, wakeAtMs } = made!;
  await wakeAt(context, triggerOf(stored), { windowId, dueAtMs, wakeAtMs, leastSeconds: 1 });
  const saved = await saveReleased(context, stored, after, how.kind);
  return saved.kind === "saved" ? { kind: "released" } : saved;
}

/** The state without the dead-lettered work. What is still staged needs a window, or no worker would look. */
async function deadLetterTurn(
  context: AwsContext,
  stored: Stored,
  how: Extract<ReleaseReason, { kind: "dead-letter" }>,
): Promise<Progress> {
  const content = letterOf(stored.state, how);
  const { messageIds } = content;
  const [rows, isLeft] = await Promise.all([
    stagedAs(context, stored.id, messageIds),
    waitsBeside(context, stored.id, messageIds),
  ]);
  if (isLeft && !(await windowOf(context, stored.id))) await wakeNow(context, triggerOf(stored), 1);
  const after = afterGivingUp(stored.state);
  const deadLettered = await deadLetter(context, { stored, rows }, content, after);
  if (deadLettered.kind === "changed") return deadLettered;
  await wakeWaiting(context, stored.id);
  return { kind: "released", deadLetterId: deadLettered.deadLetterId };
}
