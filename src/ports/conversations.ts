import type { WindowPolicy } from "../core/window.ts";
import type { Media } from "./message.ts";
import type { Usage } from "./responder.ts";

export type ConversationStatus =
  | "new"
  | "processing_reply"
  | "reply_sent"
  | "queued_for_ai"
  | "awaiting_agent"
  | "processing_error";

/** Who talks to whom: one person at one of our addresses, over one type of channel. */
export interface ConversationKey {
  readonly channelType: string;
  readonly address: string;
  readonly sender: string;
}

export interface Conversation extends ConversationKey {
  readonly id: string;
  /** The same person under another name (the phone beside a business-scoped id). */
  readonly senderAlias?: string;
  readonly status: ConversationStatus;
  readonly projectStatus: string;
  /** Channel types that may be used; absent means all. */
  readonly allowedChannels?: readonly string[];
  readonly taskComplete: boolean;
  readonly handedOff: boolean;
  readonly handOffReason?: string;
  readonly paused: boolean;
  /** Overrides the channel's window for this conversation. */
  readonly window?: WindowPolicy;
  /** Free data of the user's own; lull carries it and never reads it. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** One message of a batch, as it is kept. */
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
}

/** What a new conversation starts with; everything has a default. */
export interface ConversationTemplate {
  readonly projectStatus?: string;
  readonly allowedChannels?: readonly string[];
  readonly window?: WindowPolicy;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export interface NewConversation extends ConversationKey, ConversationTemplate {
  readonly senderAlias?: string;
}

export interface ConversationChange {
  readonly projectStatus?: string;
  readonly allowedChannels?: readonly string[];
  readonly taskComplete?: boolean;
  readonly handedOff?: boolean;
  readonly handOffReason?: string;
  readonly paused?: boolean;
  readonly window?: WindowPolicy | null;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** Something to be said that no message asked for: a human's reply, a first message, a busy text, a resend. */
export interface OutboundRequest {
  readonly conversationId: string;
  /** Made by the caller, so that asking twice says it once. */
  readonly id: string;
  readonly channel: string;
  readonly to: string;
  readonly texts: readonly string[];
  /** They go with the first text, or alone. */
  readonly media?: readonly Media[];
  readonly author: string;
}

/** A late answer to a turn that its responder left `awaiting`. */
export interface LateAnswer {
  readonly turnId: string;
  /** Already split into what one message of the channel may carry. */
  readonly texts: readonly string[];
  readonly media?: readonly Media[];
  readonly usage?: Usage;
  readonly complete?: boolean;
  readonly handOff?: string;
}

export interface Conversations {
  /** Creates one, or finds the active one of the same key: `created` tells which. */
  create(conversation: NewConversation): Promise<{ created: boolean; conversation: Conversation }>;
  get(conversationId: string): Promise<Conversation | undefined>;
  /** Changes the record. Resuming, or ending a hand-off, makes what is staged due again. */
  change(conversationId: string, change: ConversationChange): Promise<Conversation | undefined>;
  /**
   * Removes every trace of the person whose conversation this is, except salted hashes of message ids: all conversations at that address of
   * ours, under every name. A running turn cannot write it back. `erasing`: nobody finds it any more, but bytes of it may be left in the
   * store's files until whoever reads them is done.
   */
  erase(conversationId: string): Promise<"erased" | "erasing" | "not-found">;
  /** The latest, oldest first: so many at most, and as many of them as fit into `bytesMax` as they are stored; one always does. */
  history(conversationId: string, messagesMax: number, bytesMax?: number): Promise<readonly HistoryMessage[]>;
  /** Stages an outbound; its turn comes as soon as the conversation is free. */
  say(outbound: OutboundRequest): Promise<"staged" | "duplicate" | "not-found">;
  /** Gives a turn its late answer. `stale` when the turn is over, was asked again, or never waited. */
  answer(answer: LateAnswer): Promise<"accepted" | "stale">;
  /** Stops or resumes answering everywhere; messages stay staged. */
  pauseAll(paused: boolean): Promise<void>;
}
