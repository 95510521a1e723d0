import { resendOf } from "../../../core/turn.ts";
import type { UnknownSend } from "../../../model/unknown-send.ts";
import { type StepContext, wakeNow } from "../context.ts";
import { say } from "./conversations.ts";

/** Back to staged, once: the dead letter is deleted in the same step. */
export function retryDead(step: StepContext, id: string): "retried" | "not-found" {
  const letter = step.tables.deadLetters.get(id);
  if (!letter) return "not-found";
  step.tables.deadLetters.delete(id);
  step.tables.remembered.forget(letter.rows.map((row) => row.id));
  for (const row of letter.rows) step.tables.staged.add(row);
  wakeNow(step, letter.conversationId);
  return "retried";
}

export function discardDead(step: StepContext, id: string): "discarded" | "not-found" {
  if (!step.tables.deadLetters.get(id)) return "not-found";
  step.tables.deadLetters.delete(id);
  return "discarded";
}

export function markUnknown(
  step: StepContext,
  { id, as }: { id: string; as: "sent" | "not-sent" },
): "marked" | "not-found" {
  const unknown = step.tables.unknownSends.get(id);
  if (!unknown) return "not-found";
  step.tables.unknownSends.delete(id);
  recordFinding(step, unknown, as);
  return "marked";
}

/** A resend is an outbound like any other: a turn of its own, under the lease. */
export function resendUnknown(step: StepContext, id: string): "staged" | "not-found" {
  const unknown = step.tables.unknownSends.get(id);
  if (!unknown) return "not-found";
  step.tables.unknownSends.delete(id);
  return say(step, resendOf(unknown)) === "not-found" ? "not-found" : "staged";
}

export function discardQuarantined(step: StepContext, id: string): "discarded" | "not-found" {
  return step.tables.quarantine.discard(id) ? "discarded" : "not-found";
}

function recordFinding(step: StepContext, unknown: UnknownSend, as: "sent" | "not-sent"): void {
  const status = { account: "", providerId: `marked-${unknown.id}`, status: `marked ${as}` };
  step.tables.history.putDelivery(unknown.channel, status, unknown.turnId, step.nowMs);
}
