import type { Conversation } from "../model/conversation.ts";
import type { HistoryMessage } from "../model/history.ts";
import type { Media } from "../model/message.ts";
import type { Reply } from "../model/reply.ts";

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

/** Who answers. Throw a `LullError` with `retry: "never"` for what no second try can mend; anything else is tried again. */
export interface Responder {
  (turn: Turn): Promise<Reply> | Reply;
  /** The queue that turns are handed to, as a URL. It must not be one that wakes us: we would take our own turn for a trigger. */
  readonly handsTo?: string;
}
