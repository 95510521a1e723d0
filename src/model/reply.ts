import type { Media } from "./message.ts";

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

export const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

/** What an answer brings besides what it says. */
export interface AnswerEffects {
  readonly usage?: Usage;
  /** The task is done: the customer's next message opens a new conversation. */
  readonly complete?: boolean;
  /** Hand the conversation to a human, with the reason. The text, if any, is still sent. */
  readonly handOff?: string;
}

/** An answer with everything that may go with it. */
export interface FullReply extends AnswerEffects {
  /** One text, or several messages to be sent one after the other. Leave out for no reply. */
  readonly text?: string | readonly string[];
  readonly media?: readonly Media[];
  /** Another system answers the turn: nothing is sent, and the conversation is `queued_for_ai`. */
  readonly queued?: boolean;
  /** The answer comes later, through the API, at the latest after this many seconds. */
  readonly laterSeconds?: number;
}

/** A text, several texts, a full reply, or nothing: then no reply is sent. */
export type Reply = string | readonly string[] | FullReply | null | undefined;
