import { tellable } from "../../../errors.ts";
import type { DueTurns } from "../../../ports/engine.ts";
import { inParallel } from "../../../wire/in-parallel.ts";
import type { AwsContext } from "../context.ts";
import { Finished } from "../queue/finished.ts";
import { takeOne } from "./take.ts";

const WIDTH = 10;

/**
 * Waits for triggers and takes what they wake. A trigger is deleted once its conversation is leased and its
 * turn stored: from there on the lease protects it. After a crash before that, the trigger comes again.
 */
export async function takeDue(context: AwsContext, max: number, signal: AbortSignal): Promise<DueTurns> {
  const received = await context.triggers.receive(max, signal);
  const byConversation = [...Map.groupBy(received, ({ conversationId }) => conversationId).values()];
  const errors: unknown[] = [];
  const finished = new Finished(context.triggers);
  const taken = await inParallel(byConversation, WIDTH, async (same) => {
    try {
      const outcomes = await takeOne(context, same[0]!.conversationId, same[0]);
      finished.add(same);
      return outcomes;
    } catch (error) {
      context.log("error", "take.failed", { conversation: same[0]!.conversationId, reason: tellable(error) });
      errors.push(error);
      return [];
    }
  });
  await finished.deleted();
  const outcomes = taken.flat();
  // Turns that were taken have to be carried out, whatever became of the others.
  if (outcomes.length === 0 && errors.length > 0) throw errors[0];
  return { outcomes, nextAtMs: context.clock.nowMs() };
}
