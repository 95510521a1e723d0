import type { Conversation, ConversationStatus } from "../model/conversation.ts";
import type { Settings } from "../model/settings.ts";
import { ELSEWHERE_LOOK_MS_MIN } from "./defaults.ts";
import type { ConversationState, Elsewhere } from "./state.ts";

/** What a record says while it is processed. The system that Lull stands beside takes it for its lock. */
export const PROCESSING: ConversationStatus = "processing_reply";

/** What a conversation starts from again after another system abandoned it. */
export const ABANDONED: ConversationStatus = "new";

type Honouring = Pick<
  Settings,
  "honourStatus" | "honourStatusForMs" | "honourStatusForMsMax" | "clockSkewMs"
>;
type Changed = Pick<Conversation, "updatedAtMs">;
type Noted = Pick<ConversationState, "elsewhere">;

export type ElsewhereDecision =
  | {
      readonly kind: "honoured";
      readonly elsewhere: Elsewhere;
      readonly againAtMs: number;
      /** Whether the turn is put off from now on. */
      readonly isFirst: boolean;
    }
  | { readonly kind: "stale" };

/**
 * A turn could start, and another system says that it processes the conversation. It need not touch more than
 * the status for that: how old the record is does not tell since when. So the time counts from our first look
 * at this processing; when that is over, the record is changed. A system that changes it again and again
 * would put the turn off for good: all of it together has an end, too, with what the turn's earlier tries
 * waited (`putOffMs`).
 */
export function decideElsewhere(
  conversation: Changed,
  state: Noted & { readonly putOffMs?: number },
  nowMs: number,
  settings: Honouring & Pick<Settings, "holdMs">,
): ElsewhereDecision {
  const sinceAtMs = notedSince(conversation, state, nowMs) ?? nowMs;
  const waitingSinceAtMs = Math.min(state.elsewhere?.waitingSinceAtMs ?? nowMs, nowMs);
  const endsAtMs = endOf(sinceAtMs, waitingSinceAtMs - (state.putOffMs ?? 0), settings);
  if (nowMs >= endsAtMs) return { kind: "stale" };
  // Looked at soon while it may be over soon, then less and less often.
  const pauseMs = Math.min(Math.max(nowMs - sinceAtMs, ELSEWHERE_LOOK_MS_MIN), settings.holdMs);
  const elsewhere = { sinceAtMs, recordAtMs: conversation.updatedAtMs, waitingSinceAtMs };
  const againAtMs = Math.min(nowMs + pauseMs, endsAtMs);
  return { kind: "honoured", elsewhere, againAtMs, isFirst: state.elsewhere === undefined };
}

/**
 * Whether `reject` refuses a message for it. Before the first look only the record's own time is known; if
 * that is old the message is staged, and its turn is put off.
 */
export function isHonouredOnReceipt(
  conversation: Changed,
  state: Noted,
  nowMs: number,
  settings: Honouring,
): boolean {
  const { updatedAtMs } = conversation;
  const sinceAtMs = notedSince(conversation, state, nowMs) ?? updatedAtMs;
  const isAhead = sinceAtMs > nowMs + settings.clockSkewMs;
  const waitingSinceAtMs = state.elsewhere?.waitingSinceAtMs ?? sinceAtMs;
  return settings.honourStatus && !isAhead && nowMs < endOf(sinceAtMs, waitingSinceAtMs, settings);
}

/**
 * Whether a change of ours leaves the record's time as it is: while another system processes it, a new time
 * would be a new processing.
 */
export function isTheirTime(
  { status }: Pick<Conversation, "status">,
  change: { readonly status?: ConversationStatus },
  { honourStatus }: Pick<Settings, "honourStatus">,
): boolean {
  return honourStatus && status === PROCESSING && change.status === undefined;
}

function endOf(sinceAtMs: number, waitingSinceAtMs: number, settings: Honouring): number {
  const { honourStatusForMs, clockSkewMs } = settings;
  return Math.min(sinceAtMs + honourStatusForMs + clockSkewMs, latestEnd(waitingSinceAtMs, settings));
}

/** When a turn goes on at the latest that waits since then. Two machines have two clocks. */
export function latestEnd(
  waitingSinceAtMs: number,
  { honourStatusForMsMax, clockSkewMs }: Pick<Settings, "honourStatusForMsMax" | "clockSkewMs">,
): number {
  return waitingSinceAtMs + honourStatusForMsMax + clockSkewMs;
}

/** Undefined if it was not noted, or is another processing by now. Noted ahead: the clock was set back. */
function notedSince({ updatedAtMs }: Changed, { elsewhere }: Noted, nowMs: number): number | undefined {
  if (elsewhere?.recordAtMs !== updatedAtMs) return undefined;
  return Math.min(elsewhere.sinceAtMs, nowMs);
}
