import type { Media } from "./message.ts";

/** What is said without a message that asked for it: a human's reply, a first text, a busy text, a resend. */
export interface OutboundRequest {
  readonly conversationId: string;
  /** Made by the caller, so that a repeated request is sent once. */
  readonly id: string;
  readonly channel: string;
  readonly to: string;
  /** The person's name from which `to` was made; before sending, Lull checks that they still have it. */
  readonly addressee?: string;
  readonly texts: readonly string[];
  /** Sent with the first text, or alone if there is none. */
  readonly media?: readonly Media[];
  readonly author: string;
  /**
   * The message of which it says that its answer is late or will not come. It is said only while that is so,
   * in one try, and becomes neither a dead letter nor an unknown send.
   */
  readonly about?: string;
}

export interface StagedOutbound extends Omit<OutboundRequest, "conversationId"> {
  readonly arrivedAtMs: number;
}
