import type { DeadLetter } from "../model/dead-letter.ts";
import type { UnknownSend } from "../model/unknown-send.ts";

/**
 * `passed-on`: the customer cannot be reached, because their number may be another person's by now. What was
 * to be repeated stays as it is: a turn could only fail, and would leave less of it.
 */
export type NotRepeated = "not-found" | "passed-on";

/** What an operator does about messages that got no turn, and about sends whose outcome is unknown. */
export interface Repairs {
  /** One by its id. At constant cost, however many there are. */
  deadLetter(id: string): Promise<DeadLetter | undefined>;
  /** Moves the messages back to staged, once: a new turn answers them. */
  retryDead(deadLetterId: string): Promise<"retried" | NotRepeated>;
  discardDead(deadLetterId: string): Promise<"discarded" | "not-found">;
  /** One by its id. At constant cost, however many there are. */
  unknownSend(id: string): Promise<UnknownSend | undefined>;
  /** The operator found out what became of it: it is taken off the list. */
  markUnknown(unknownId: string): Promise<"marked" | "not-found">;
  /** Sends again, as a turn of its own, what may not have gone out. */
  resendUnknown(unknownId: string): Promise<"staged" | NotRepeated>;
  /** An operator has dealt with it. `not-found` where no other system can write: there is none then. */
  discardQuarantined(id: string, how?: Discarding): Promise<Discarded>;
}

export interface Discarding {
  /** Also a customer's message that another system staged, and that could be moved instead. */
  readonly evenMovable?: boolean;
}

/** `movable`: it is such a message, and stays. */
export type Discarded = "discarded" | "not-found" | "movable";
