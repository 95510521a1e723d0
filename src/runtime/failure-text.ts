import { isPassedOn } from "../core/addressee.ts";
import { NOT_FOUND } from "../core/dead-letters.ts";
import { dueOfMessages } from "../core/due.ts";
import { failureOutbound, tellsCustomer } from "../core/notices.ts";
import { settingsFor } from "../core/projects.ts";
import type { FailureDecision } from "../core/retry.ts";
import { windowInForce } from "../core/window.ts";
import { tellable } from "../errors.ts";
import type { StagedMessage } from "../model/message.ts";
import type { TakeResult } from "../model/take.ts";
import type { TurnContext, TurnRun } from "./turn-run.ts";

type Telling = Pick<TurnContext, "engine" | "settings" | "log">;

interface FailedTurn {
  readonly conversationId: string;
  readonly turnId: string;
  readonly newest: StagedMessage | undefined;
  readonly firstMessageId: string | undefined;
}

/**
 * Under one id for all tries of the turn: it is said once. Where a reply exists that the provider does not
 * take, it would not take this one either; and where a human has the conversation, they answer.
 */
export async function sayThatItFails(run: TurnRun, decision: FailureDecision): Promise<void> {
  const { taken, own } = run;
  const { conversation, turnId, messages, firstMessageId } = taken;
  if (taken.draft || taken.outbound || conversation.handedOff || isPassedOn(taken)) return;
  if (!tellsCustomer(decision, lateMs(run), own)) return;
  const { conversationId } = taken.lease;
  await sayOf(run, { conversationId, turnId, newest: messages.at(-1), firstMessageId });
}

/** Since its messages were due: each failure puts the turn's own due time off. */
function lateMs({ taken, clock, settings }: TurnRun): number {
  const { conversation, messages } = taken;
  const nowMs = clock.nowMs();
  const policy = windowInForce(settings, conversation, messages.at(-1)?.channel);
  return nowMs - dueOfMessages(messages, {}, policy, { nowMs, clockSkewMs: settings.clockSkewMs });
}

/** Of turns that a look gave up, as after a crash in every try. */
export async function sayOfDeadLetters(context: Telling, outcome: TakeResult): Promise<void> {
  const last = outcome.kind === "dead-lettered" ? [outcome] : [];
  // Without a conversation there is no turn to say it.
  for (const { conversationId, turnId, reason, unanswered } of [...(outcome.deadLettered ?? []), ...last])
    if (turnId !== undefined && unanswered && reason !== NOT_FOUND)
      await sayOf(context, { conversationId, turnId, ...unanswered });
}

async function sayOf(context: Telling, turn: FailedTurn): Promise<void> {
  const { conversationId, turnId, newest, firstMessageId: about } = turn;
  const { failureText: text = "" } = settingsFor(context.settings, newest?.channel);
  if (!newest || about === undefined || text === "") return;
  const whose = { conversation: conversationId, turn: turnId };
  try {
    const said = await context.engine.conversations.say(
      failureOutbound(newest, { conversationId, about, text }),
    );
    if (said === "staged") context.log("info", "failure-text.staged", whose);
  } catch (error) {
    // The next try says it. What the turn itself needs must not wait for this.
    context.log("warn", "failure-text.unsaid", { ...whose, reason: tellable(error) });
  }
}
