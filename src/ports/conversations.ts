import type {
  AttributeChange,
  Conversation,
  ConversationChange,
  NewConversation,
} from "../model/conversation.ts";
import type { HistoryMessage } from "../model/history.ts";
import type { LateAnswer } from "../model/late-answer.ts";
import type { OutboundRequest } from "../model/outbound.ts";
import type { ProjectChange } from "../model/project.ts";

export interface Conversations {
  /** Creates one, or finds the active one of the same key: `created` says which. */
  create(conversation: NewConversation): Promise<{ created: boolean; conversation: Conversation }>;
  get(conversationId: string): Promise<Conversation | undefined>;
  /** Changes the record. Resuming, or ending a hand-off, makes staged messages due again. */
  change(conversationId: string, change: ConversationChange): Promise<Conversation | undefined>;
  /**
   * Changes one attribute. Others stay, also those that another caller writes at the same time. `stale` if it
   * is no longer what it was: the caller looks again, and may find what it wrote, where only the answer was
   * lost. `changed` also if it is so already.
   */
  changeAttribute(
    conversationId: string,
    change: AttributeChange,
  ): Promise<"changed" | "stale" | "not-found">;
  /**
   * Removes every trace of the conversation's person, except salted hashes of message ids: all their
   * conversations at this address of ours, under every name. A running turn cannot write it back. `erasing`:
   * no request finds it any more, but bytes of it may remain in the store's files until the processes that
   * read them are done.
   */
  erase(conversationId: string): Promise<"erased" | "erasing" | "not-found">;
  /** The latest, oldest first: at most `messagesMax`, and as fit into `bytesMax`, but at least one. */
  history(conversationId: string, messagesMax: number, bytesMax?: number): Promise<readonly HistoryMessage[]>;
  /** Stages an outbound; its turn comes as soon as the conversation is free. */
  say(outbound: OutboundRequest): Promise<"staged" | "duplicate" | "not-found">;
  /** Gives a turn its late answer. `stale` if the turn is over, was asked again, or never waited. */
  answer(answer: LateAnswer): Promise<"accepted" | "stale">;
  /** Stops or resumes answering everywhere; messages stay staged. */
  pauseAll(paused: boolean): Promise<void>;
  /** Sets what counts for all conversations of a project, over the configuration. Undefined: reset. */
  changeProject(project: string, change: ProjectChange | undefined): Promise<void>;
}
