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
export async function takeDue(site: AwsContext, max: number, signal: AbortSignal): Promise<DueTurns> {
  const received = await site.triggers.receive(max, signal);
  const byConversation = [...Map.groupBy(received, ({ conversationId }) => conversationId).values()];
  const errors: unknown[] = [];
  const finished = new Finished(site.triggers);
  const taken = await inParallel(byConversation, WIDTH, async (same) => {
    try {
      const outcomes = await takeOne(site, same);
      finished.add(same);
      return outcomes;
    } catch (error) {
      site.log("error", "take.failed", { conversation: same[0]!.conversationId, reason: tellable(error) });
      errors.push(error);
      return [];
    }
  });
  await finished.deleted();
  const outcomes = taken.flat();
  // Turns that were taken have to be carried out, whatever became of the others.
  if (outcomes.length === 0 && errors.length > 0) throw errors[0];
  return { outcomes, nextAtMs: site.clock.nowMs() };
}

async function takeOne(site: AwsContext, same: readonly ReceivedTrigger[]): Promise<TakeOutcome[]> {
  const [{ conversationId, sender, channel }] = same as [ReceivedTrigger];
  return take(site, conversationId, { sender, channel });
}
