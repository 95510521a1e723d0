import type { Usage } from "./reply.ts";
import type { WindowPolicy } from "./window.ts";

export type ConversationStatus =
  | "new"
  | "processing_reply"
  | "reply_sent"
  | "queued_for_ai"
  | "awaiting_agent"
  | "processing_error";

/** One person at one of our addresses, over one type of channel. */
export interface ConversationKey {
  readonly channelType: string;
  readonly address: string;
  readonly sender: string;
}

/** Who answers here: the responder, a person, or neither. */
export interface Answering {
  readonly taskComplete: boolean;
  readonly handedOff: boolean;
  readonly handOffReason?: string;
  readonly paused: boolean;
}

/** The usage is that of all its turns. */
export interface Conversation extends ConversationKey, Answering, Usage {
  readonly id: string;
  /** The same person under another name (the phone beside a business-scoped id). */
  readonly senderAlias?: string;
  readonly status: ConversationStatus;
  readonly projectStatus: string;
  /** Channel types that may be used; absent means all. */
  readonly allowedChannels?: readonly string[];
  /** Overrides the channel's window for this conversation. */
  readonly window?: WindowPolicy;
  /** Custom data of the application. Of it, Lull reads which credentials and assistant are to be used. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
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

/** One attribute, from what the caller read there to what it is to be. `undefined`: it is not there. */
export interface AttributeChange {
  readonly name: string;
  readonly was: unknown;
  readonly to: unknown;
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
