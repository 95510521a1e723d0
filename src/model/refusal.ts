/** Why a message got no turn, or why an HTTP request failed. Recorded, and shown to operators. */
export type RefusalCode =
  | "INVALID_SIGNATURE"
  | "INVALID_PAYLOAD"
  | "PAYLOAD_TOO_LARGE"
  | "MESSAGE_TOO_LARGE"
  | "CONVERSATION_NOT_FOUND"
  | "PROJECT_INACTIVE"
  | "CHANNEL_NOT_ALLOWED"
  | "CONVERSATION_LOCKED"
  | "ROUTE_NOT_FOUND"
  | "RATE_LIMITED"
  | "STORE_UNAVAILABLE";

/** Why a message got no turn. */
export interface Refusal {
  readonly messageId: string;
  readonly conversationId?: string;
  readonly channel: string;
  readonly sender: string;
  readonly code: string;
  readonly atMs: number;
}
