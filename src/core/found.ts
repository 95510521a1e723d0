import type { Conversation } from "../model/conversation.ts";
import type { Batchable } from "./batch.ts";
import type { ConversationState } from "./state.ts";

/** A staged item as the decision sees it. */
export interface StagedItem extends Batchable {
  readonly kind: "message" | "outbound";
}

/** What has to be known of all waiting messages if not all of them were read. */
export interface WaitingSpan {
  readonly messages: number;
  readonly oldestArrivalAtMs: number;
  readonly newestArrivalAtMs: number;
  /** Whether every message has a provider's time. */
  readonly byProvider: boolean;
}

/** What a wake-up finds. */
export interface Found {
  readonly state: ConversationState;
  /** Everything staged. With `span`: what was tried, then as many of the first messages as a batch holds. */
  readonly staged: readonly StagedItem[];
  readonly span?: WaitingSpan;
  /** The channel of the message that was staged last. */
  readonly newestChannel?: string | undefined;
  /** Undefined when the conversation's record does not exist. */
  readonly conversation:
    | Pick<Conversation, "id" | "paused" | "handedOff" | "window" | "updatedAtMs">
    | undefined;
  /** Its record says that it is being processed, and that was not written by us. */
  readonly isElsewhere?: boolean;
  /** Answering is paused everywhere. */
  readonly allPaused?: boolean;
  /** The project of its messages, if answering is paused for it. */
  readonly pausedProject?: string | undefined;
}

/**
 * The worker that looks, when, and the ids it would use. The caller makes the ids, so that it recognises its
 * own write if the store's answer is lost.
 */
export interface Taker {
  readonly nowMs: number;
  /**
   * What the worker's clock shows, if `nowMs` is an earlier moment: long before, if the worker was frozen.
   * Default: `nowMs`.
   */
  readonly clockMs?: number;
  readonly holder: string;
  readonly token: string;
  /** The id of a new turn of these messages. */
  readonly turnIdOf: (messageIds: readonly string[]) => string;
  readonly windowId: string;
  /** Set if the taker already holds the lease. */
  readonly underLease?: boolean;
}
