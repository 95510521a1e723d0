import type { Media } from "./message.ts";

/** One message of a batch, as it is stored in the history. */
export interface MessagePart {
  readonly id: string;
  readonly text: string;
  readonly media: readonly Media[];
  readonly arrivedAtMs: number;
  readonly sentAtMs?: number;
}

/** One side of a committed turn. */
export interface HistoryMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly media: readonly Media[];
  readonly atMs: number;
  readonly turnId: string;
  /** The messages that a user's side was merged from, each with its own times and media. */
  readonly parts?: readonly MessagePart[];
  /** Who spoke for the assistant: the responder, or a human through the API. */
  readonly author?: string;
  /** Its messages became a dead letter, whose id `turnId` is: they got no answer. */
  readonly unanswered?: boolean;
}
