import type { Conversation } from "../model/conversation.ts";
import type { HistoryMessage } from "../model/history.ts";
import type { Media } from "../model/message.ts";
import type { Reply } from "../model/reply.ts";
import type { Finding } from "./check-result.ts";

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
  /** What was said before this turn, oldest first. Read when called, or with the turn (`readsHistory`). */
  history(messagesMax?: number): Promise<readonly HistoryMessage[]>;
  /**
   * A word for the log about this turn: capital letters, digits and underscores. Nothing else is logged: it
   * may quote a customer.
   */
  note(code: string): void;
  /** Aborts when the answer is no longer wanted: out of time, lease lost, newer messages. */
  readonly signal: AbortSignal;
}

/**
 * Who answers. Throw a `LullError` with `retry: "never"` if no second try can succeed; every other error is
 * tried again.
 */
export interface Responder {
  (turn: Turn): Promise<Reply> | Reply;
  /** The queue that turns are handed to. It must not wake our workers: a turn is no trigger. */
  readonly handsTo?: string;
  /** It reads the history in every turn: an engine may then bring it along with the turn. */
  readonly readsHistory?: boolean;
  /**
   * For `lull doctor`: tries what can be tried without a turn (a key, an address), and says what it found.
   * What is left untried is `skip`. `signal` aborts when there is no more time for it.
   */
  check?(signal: AbortSignal): Promise<readonly Finding[]>;
}
