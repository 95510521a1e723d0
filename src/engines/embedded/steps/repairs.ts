import { type Addressed, isPassedOn } from "../../../core/addressee.ts";
import { lookUp } from "../../../core/lookup.ts";
import { movedSince } from "../../../core/name-lookups.ts";
import { writtenIn } from "../../../core/staged.ts";
import { resendOf } from "../../../core/turn.ts";
import type { NotRepeated } from "../../../ports/repairs.ts";
import { type StepContext, stageRow } from "../context.ts";
import { say } from "./conversations.ts";
import { recordsAt } from "./find-conversation.ts";
import { wakeNow } from "./window.ts";

/** Back to staged, once: the dead letter is deleted in the same step. */
export function retryDead(context: StepContext, id: string): "retried" | NotRepeated {
  const letter = context.tables.deadLetters.get(id);
  if (!letter) return "not-found";
  const { messages, outbounds } = writtenIn(letter.rows);
  if (isFutile(context, letter.conversationId, { messages, outbound: outbounds[0] })) return "passed-on";
  context.tables.deadLetters.delete(id);
  for (const row of letter.rows) stageRow(context, row);
  wakeNow(context, letter.conversationId);
  return "retried";
}

/** The turn could only fail: its customer cannot be reached. */
function isFutile(context: StepContext, conversationId: string, content: Addressed): boolean {
  const conversation = context.tables.conversations.get(conversationId);
  if (!conversation) return false;
  const moved = lookUp(movedSince(conversation, content), recordsAt(context, conversation));
  return isPassedOn({ moved });
}

export function discardDead(context: StepContext, id: string): "discarded" | "not-found" {
  if (!context.tables.deadLetters.get(id)) return "not-found";
  context.tables.deadLetters.delete(id);
  return "discarded";
}

export function markUnknown(context: StepContext, id: string): "marked" | "not-found" {
  if (!context.tables.unknownSends.get(id)) return "not-found";
  context.tables.unknownSends.delete(id);
  return "marked";
}

/** A resend is an outbound like any other: a turn of its own, under the lease. */
export function resendUnknown(context: StepContext, id: string): "staged" | NotRepeated {
  const unknown = context.tables.unknownSends.get(id);
  if (!unknown) return "not-found";
  const outbound = resendOf(unknown);
  if (isFutile(context, unknown.conversationId, { outbound, messages: [] })) return "passed-on";
  // Without a conversation there is no turn to send it: it stays on the list.
  if (say(context, outbound) === "not-found") return "not-found";
  context.tables.unknownSends.delete(id);
  return "staged";
}
