import type { RefusalCode } from "../model/refusal.ts";

/** What neither a repair of ours nor a later try of the provider's brings in. */
const LASTING: readonly RefusalCode[] = [
  "MESSAGE_TOO_LARGE",
  "CONVERSATION_NOT_FOUND",
  "PROJECT_INACTIVE",
  "CHANNEL_NOT_ALLOWED",
  "CONVERSATION_LOCKED",
];

/**
 * Whether a message that is refused with this code is over, and remembered as such. `ROUTE_NOT_FOUND` is our
 * own mistake, after whose repair the provider can be asked for it; what cannot be read has no id to trust.
 */
export function isLasting(code: RefusalCode): boolean {
  return LASTING.includes(code);
}

/** How a refusal is treated. */
export interface RefusedHow {
  readonly isUnrecorded?: true | undefined;
  readonly isRefusedForGood?: true | undefined;
}

/** Whether the refused message is over: it is remembered, and no later delivery of it is taken in. */
export function isOver({ isRefusedForGood, isUnrecorded }: RefusedHow, code: RefusalCode): boolean {
  return isRefusedForGood === true && !isUnrecorded && isLasting(code);
}

/**
 * Whether further refusals of the same message are left out of the record. One that is too large stays so,
 * and a caller that ignores the refusal sends it again and again.
 */
export function isRecordedOnce(how: RefusedHow, code: RefusalCode): boolean {
  return code === "MESSAGE_TOO_LARGE" && !isOver(how, code);
}
