import type { Conversation, HistoryMessage } from "./conversations.ts";
import type { Media } from "./message.ts";

/** One message of the batch, as a responder sees it. */
export interface TurnMessage {
  readonly id: string;
  readonly text: string;
  readonly media: readonly Media[];
  readonly arrivedAtMs: number;
  readonly sentAtMs?: number;
  readonly fields?: Readonly<Record<string, string>>;
}

/** What a responder is asked. The same turn may be asked again after a crash: same `id`, higher `attempt`. */
export interface Turn {
  readonly id: string;
  readonly attempt: number;
  /** The channel of the newest message; the reply goes out there. */
  readonly channel: string;
  /** The batch in order. */
  readonly messages: readonly TurnMessage[];
  /** The texts of the batch, one line each. */
  readonly text: string;
  readonly media: readonly Media[];
  readonly conversation: Conversation;
  /** What was said before this turn, oldest first, read when asked for. */
  history(messagesMax?: number): Promise<readonly HistoryMessage[]>;
  /** Aborts when the answer is no longer wanted: out of time, lease lost, newer messages. */
  readonly signal: AbortSignal;
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

/** An answer with everything that may go with it. */
export interface FullReply {
  /** One text, or several messages to be sent one after the other. Leave out for no reply. */
  readonly text?: string | readonly string[];
  readonly media?: readonly Media[];
  readonly usage?: Usage;
  /** The task is done: the customer's next message opens a new conversation. */
  readonly complete?: boolean;
  /** Hand the conversation to a human, with the reason. The text, if any, is still sent. */
  readonly handOff?: string;
  /** Somebody else has the turn now and sees to it: nothing is sent, and the conversation is `queued_for_ai`. */
  readonly queued?: boolean;
  /** The answer comes later, through the API, at the latest after this many seconds. */
  readonly laterSeconds?: number;
}

/** A text, several texts, a full reply, or nothing: then no reply is sent. */
export type Reply = string | readonly string[] | FullReply | null | undefined;

/** Who answers. Throw a `LullError` with `retry: "never"` for what no second try can mend; anything else is tried again. */
export interface Responder {
  (turn: Turn): Promise<Reply> | Reply;
  /** The queue that turns are handed to, as a URL. It must not be one that wakes us: we would take our own turn for a trigger. */
  readonly handsTo?: string;
}
