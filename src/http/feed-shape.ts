/** What happens in the conversation now. */
export interface FeedState {
  readonly state: "idle" | "gathering" | "answering";
  /** When the running turn was taken; left out where the turn waits for its answer without a lease. */
  readonly answering_since?: string;
  /** Until the open window closes. */
  readonly due_in_ms?: number;
  readonly status: string;
  readonly paused: boolean;
  readonly handed_off: boolean;
  readonly complete: boolean;
}

/** The feed of a visitor's conversation, as JSON. The phone page (`web/phone`) is compiled against it. */
export interface Feed extends FeedState {
  readonly conversation: string;
  /** The service's clock: a visitor's own may be wrong. */
  readonly now: string;
  readonly staged: number;
  readonly waiting: readonly FeedWaiting[];
  /** Those after the `n` that was asked for. */
  readonly messages: readonly FeedMessage[];
  readonly turns: readonly FeedTurn[];
}

/** What no turn has committed yet, under the id that the page gave it. */
export interface FeedWaiting {
  readonly id: string;
  readonly text: string;
  readonly at: string;
}

export interface FeedMessage {
  /** Grows with every message of a conversation. */
  readonly n: number;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly at: string;
  readonly turn_id: string;
}

export interface FeedTurn {
  readonly turn_id: string;
  readonly outcome: string;
  readonly message_ids: readonly string[];
  readonly attempts: number;
  readonly opened_at: string;
  readonly due_at: string;
  readonly taken_at: string;
  readonly committed_at: string;
}
