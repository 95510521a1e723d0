import type { Conversation, ConversationStatus } from "../model/conversation.ts";
import type { Settings } from "../model/settings.ts";
import { ELSEWHERE_LOOK_MS_MIN } from "./defaults.ts";
import type { ConversationState } from "./state.ts";

/** What a record says while it is processed. The system that Lull stands beside takes it for its lock. */
export const PROCESSING: ConversationStatus = "processing_reply";

/** What a conversation starts from again after another system's status was left behind. */
export const LEFT_BEHIND: ConversationStatus = "new";

type Honouring = Pick<Settings, "honourStatus" | "honourStatusForMs">;
type Since = Pick<ConversationState, "elsewhereSinceAtMs">;

/**
 * When the status stops being honoured. The other system writes the status alone when it takes the
 * conversation: how old the record is does not tell when that was. So the time counts from our first look.
 */
function staleAtMs(
  { updatedAtMs }: Pick<Conversation, "updatedAtMs">,
  sinceAtMs: number,
  nowMs: number,
  { honourStatusForMs }: Honouring,
): number {
  const changedAtMs = updatedAtMs > nowMs ? 0 : updatedAtMs;
  return Math.max(sinceAtMs, changedAtMs) + honourStatusForMs;
}

export type Elsewhere =
  | { readonly kind: "honoured"; readonly sinceAtMs: number; readonly againAtMs: number }
  | { readonly kind: "stale" };

/** A turn could start, and another system says that it processes the conversation. */
export function decideElsewhere(
  conversation: Pick<Conversation, "updatedAtMs">,
  { elsewhereSinceAtMs: noted }: Since,
  nowMs: number,
  settings: Honouring & Pick<Settings, "holdMs">,
): Elsewhere {
  const sinceAtMs = noted === undefined || noted > nowMs ? nowMs : noted;
  const endsAtMs = staleAtMs(conversation, sinceAtMs, nowMs, settings);
  if (nowMs >= endsAtMs) return { kind: "stale" };
  // Looked at soon while it may be over soon, then less and less often.
  const pauseMs = Math.min(Math.max(nowMs - sinceAtMs, ELSEWHERE_LOOK_MS_MIN), settings.holdMs);
  return { kind: "honoured", sinceAtMs, againAtMs: Math.min(nowMs + pauseMs, endsAtMs) };
}

/**
 * Whether `reject` refuses a message for it. Before the first look only the record's own time is known; if
 * that is old the message is staged, and its turn is put off.
 */
export function isHonouredOnReceipt(
  conversation: Pick<Conversation, "updatedAtMs">,
  { elsewhereSinceAtMs = 0 }: Since,
  nowMs: number,
  settings: Honouring,
): boolean {
  const sinceAtMs = elsewhereSinceAtMs > nowMs ? nowMs : elsewhereSinceAtMs;
  return settings.honourStatus && nowMs < staleAtMs(conversation, sinceAtMs, nowMs, settings);
}
