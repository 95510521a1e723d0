import { isOver, isRecordedOnce } from "../../../core/refusals.ts";
import { runningTurnId } from "../../../core/running-turn.ts";
import type { RefusalCode } from "../../../model/refusal.ts";
import type { StageOutcome, StageRequest } from "../../../ports/engine.ts";
import { remember, type StepContext, stateOf } from "../context.ts";

/** What is received: the request, and its message's id. */
export interface Receipt extends StageRequest {
  readonly id: string;
}

/** Every refusal is recorded with its reason: "why did this customer get no answer?" has an answer. */
export function refuse(
  context: StepContext,
  refused: Receipt,
  code: RefusalCode,
  conversationId: string | undefined,
  busyWith?: string,
): Extract<StageOutcome, { kind: "refused" }> {
  const { tables, nowMs } = context;
  const { id, arrival, isUnrecorded } = refused;
  const about = conversationId === undefined ? {} : { conversationId };
  const { channel, sender } = arrival;
  if (isOver(refused, code)) remember(context, [id]);
  if (!isUnrecorded && !isOnRecord(context, refused, code))
    tables.refusals.put({ messageId: id, ...about, channel, sender, code, atMs: nowMs });
  const tellBusy =
    code === "CONVERSATION_LOCKED" &&
    conversationId !== undefined &&
    busyWith !== undefined &&
    isFirstRefusal(context, conversationId, busyWith);
  return { kind: "refused", code, ...about, tellBusy };
}

function isOnRecord(context: StepContext, refused: Receipt, code: RefusalCode): boolean {
  return isRecordedOnce(refused, code) && isNoted(context, `refused/${refused.id}`);
}

/** Notes it, unless it is. Beside the ids of messages, and never equal to one: no channel has such a name. */
function isNoted(context: StepContext, what: string): boolean {
  const note = `!${what}`;
  if (context.tables.remembered.has(note)) return true;
  remember(context, [note]);
  return false;
}

/** True for the first refusal because of a running turn, or of another system's. */
function isFirstRefusal(context: StepContext, id: string, busyWith: string): boolean {
  const state = stateOf(context, id);
  // At rest here: there is no state that could hold it.
  if (runningTurnId(state) !== busyWith) return !isNoted(context, `busy/${id}/${busyWith}`);
  if (state.busyToldTurnId === busyWith) return false;
  context.tables.states.put(id, { ...state, busyToldTurnId: busyWith });
  return true;
}
