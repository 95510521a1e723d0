import type { CallLog } from "../call-log.ts";
import { checkRun, type Faults } from "../check-run.ts";
import type { Posted } from "../generator.ts";
import { conversationOf, type LoadPlan } from "../load-plan.ts";

/** What was posted, and by which plan. */
export interface Loaded {
  readonly plan: LoadPlan;
  readonly posted: Pick<Posted, "firstAtMs" | "sentAtMs" | "ackedAtMs">;
}

/**
 * The same check as of every run, over the backlog and what came in beside it. Of that the windows may still
 * be open: it must not be doubled or early, but an answer is not waited for.
 */
export function checkDrain(staged: Loaded, meanwhile: Loaded, log: CallLog, windowMs: number): Faults {
  const first = staged.plan.messages;
  const posted = {
    firstAtMs: [...staged.posted.firstAtMs, ...meanwhile.posted.firstAtMs],
    sentAtMs: [...staged.posted.sentAtMs, ...meanwhile.posted.sentAtMs],
    ackedAtMs: [...staged.posted.ackedAtMs, ...meanwhile.posted.ackedAtMs.map(() => 0)],
  };
  const conversation = (message: number) =>
    message < first
      ? conversationOf(message, staged.plan)
      : conversationOf(message - first, meanwhile.plan) + (meanwhile.plan.firstConversation ?? 0);
  return checkRun({ posted, log, conversationOf: conversation, windowMs }).faults;
}
