import { tellable } from "../../../errors.ts";
import type { TakeOutcome } from "../../../model/take.ts";
import type { DueTurns } from "../../../ports/engine.ts";
import type { AwsContext } from "../context.ts";
import { inParallel } from "../dynamo/parallel.ts";
import { Finished } from "../queue/finished.ts";
import type { ReceivedTrigger } from "../queue/triggers.ts";
import { take } from "./take.ts";

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
      const outcomes = await takeOne(context, same);
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

async function takeOne(context: AwsContext, same: readonly ReceivedTrigger[]): Promise<TakeOutcome[]> {
  const [{ conversationId, sender, channel }] = same as [ReceivedTrigger];
  return take(context, conversationId, { sender, channel });
}
