import type { Media } from "./message.ts";

/** Something to be said that no message asked for: a human's reply, a first message, a busy text, a resend. */
export interface OutboundRequest {
  readonly conversationId: string;
  /** Made by the caller, so that asking twice says it once. */
  readonly id: string;
  readonly channel: string;
  readonly to: string;
  /** By which name of the conversation's person `to` was made: before it is sent, it is asked whether they still have it. */
  readonly addressee?: string;
  readonly texts: readonly string[];
  /** They go with the first text, or alone. */
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
