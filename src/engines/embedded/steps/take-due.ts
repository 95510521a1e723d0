import { bytesOf } from "../../../core/pile.ts";
import type { TakeOutcome } from "../../../model/take.ts";
import type { DueTurns } from "../../../ports/engine.ts";
import { orPutOff, type StepContext } from "../context.ts";
import { takeOne } from "./take.ts";

/**
 * LEASE, DISARM and BATCH for everything that is due, longest waiting first, in one transaction. It ends when
 * it holds as much as one batch may: fifty large batches at once would hold the database for a second. The
 * worker comes back at once for the rest.
 */
export function takeDue(context: StepContext, max: number): DueTurns {
  const outcomes: TakeOutcome[] = [];
  let bytes = 0;
  for (const id of context.tables.states.wakeable(context.nowMs, max)) {
    const taken = orPutOff(context, id, () => takeOne(context, id, { underLease: false })) ?? [];
    outcomes.push(...taken.map(asDue));
    bytes += taken.reduce((sum, outcome) => sum + bytesIn(outcome), 0);
    if (bytes >= context.settings.batchBytesMax) break;
  }
  const nextAtMs = context.tables.states.nextWakeAtMs();
  return nextAtMs === undefined ? { outcomes } : { outcomes, nextAtMs };
}

/**
 * Each write of a running turn puts the end of its lease off, but not the wake-up (`PUT_RUNNING`): that is no
 * work that found the lease held. What really had to wait is told when the turn ends.
 */
function asDue(outcome: TakeOutcome): TakeOutcome {
  return outcome.kind === "busy" ? { ...outcome, isRenewed: true } : outcome;
}

function bytesIn(outcome: TakeOutcome): number {
  if (outcome.kind !== "turn") return 0;
  const { messages, history = [] } = outcome.taken;
  return [...messages, ...history].reduce((sum, each) => sum + bytesOf(each), 0);
}
