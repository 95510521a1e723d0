import type { ConversationKey } from "./conversation.ts";

/**
 * Everything that is kept of a person, kind by kind. What an export shows and what an erasure removes is this
 * one list: an engine has to name for each kind how it is read and how it is removed.
 */
export const KEPT_KINDS = [
  "conversation",
  /** Which names came together. */
  "name",
  /** Window, lease, attempts, and the draft of a reply. */
  "state",
  /** What waits for its turn: messages, and what is to be said. */
  "staged",
  "message",
  "turn",
  "deadLetter",
  "unknownSend",
  "refusal",
  /** A note of what was sent, by which a provider's callback is recognised: of its id only a hash is kept. */
  "sent",
  /** Rows that were set aside because they were not ours, and that name the person. */
  "quarantined",
] as const;

export type KeptKind = (typeof KEPT_KINDS)[number];

/** Where one person is: at one address of ours, under these names and in these conversations. */
export interface PersonAt extends Pick<ConversationKey, "channelType" | "address"> {
  /** Names that were asked for or learnt, which are the person's there. */
  readonly names: readonly string[];
  /** Conversations, and places where messages wait that have none. */
  readonly conversationIds: readonly string[];
  /** Whose one of the names was before, or is by now. They are other people, and are left. */
  readonly others: readonly string[];
}

/** What names a person and is in no conversation: refusals, and rows that were set aside. */
export interface NamedOnly {
  readonly names: readonly string[];
  /** Only what came over these channels. A row that was set aside does not say, and is then left out. */
  readonly channels?: readonly string[];
  /** Not what came over these channels, where the same name is another person's. */
  readonly except?: readonly string[];
}

export type KeptOf = PersonAt | NamedOnly;

export interface KeptRecord {
  readonly conversationId?: string;
  readonly record: object;
}

export function isPlace(of: KeptOf): of is PersonAt {
  return "conversationIds" in of;
}

/** Whether what came over this channel is meant. */
export function isOver({ channels, except = [] }: NamedOnly, channel: string): boolean {
  return (channels?.includes(channel) ?? true) && !except.includes(channel);
}
