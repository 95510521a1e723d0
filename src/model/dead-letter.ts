import type { Draft } from "./draft.ts";
import type { StagedMessage } from "./message.ts";
import type { StagedOutbound } from "./outbound.ts";

/** How much of a reply reached the customer, as far as is known. */
export type ReplySent = "none" | "part" | "whole" | "unknown";

export interface DeadLetter {
  readonly id: string;
  readonly conversationId: string;
  readonly reason: string;
  readonly attempts: number;
  readonly messages: readonly StagedMessage[];
  /** What was to be said without a message that asked for it. */
  readonly outbounds: readonly StagedOutbound[];
  readonly draft?: Draft;
  /** Of the draft. A retry answers anew: it is for the operator to know what the customer has already. */
  readonly replySent: ReplySent;
  readonly atMs: number;
}

/** What is kept of it beside the messages and outbounds, which every engine stores in its own way. */
export type LetterHead = Omit<DeadLetter, "messages" | "outbounds" | "replySent">;

/** Messages that are to become a dead letter, and why. */
export interface LetterContent {
  readonly messageIds: readonly string[];
  readonly turnId: string | undefined;
  readonly attempts: number;
  readonly reason: string;
  readonly draft?: Draft | undefined;
}
