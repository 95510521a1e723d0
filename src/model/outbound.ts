import type { Media } from "./message.ts";

/**
 * Something to be said without a message that asked for it: a human's reply, a first message, a busy text, a
 * resend.
 */
export interface OutboundRequest {
  readonly conversationId: string;
  /** Made by the caller, so that a repeated request is sent once. */
  readonly id: string;
  readonly channel: string;
  readonly to: string;
  /**
   * The name of the conversation's person from which `to` was made. Before it is sent, Lull checks that the
   * person still has it.
   */
  readonly addressee?: string;
  readonly texts: readonly string[];
  /** Sent with the first text, or alone if there is none. */
  readonly media?: readonly Media[];
  readonly author: string;
}

export interface StagedOutbound {
  readonly id: string;
  readonly channel: string;
  readonly to: string;
  readonly addressee?: string;
  readonly texts: readonly string[];
  readonly media?: readonly Media[];
  readonly author: string;
  readonly arrivedAtMs: number;
}
