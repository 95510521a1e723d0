/** What a person does about messages that got no turn, and about sends whose outcome nobody knows. */
export interface Repairs {
  /** Moves the messages back to staged, once: a new turn answers them. */
  retryDead(deadLetterId: string): Promise<"retried" | "not-found">;
  discardDead(deadLetterId: string): Promise<"discarded" | "not-found">;
  /** Records what the person found out. */
  markUnknown(unknownId: string, as: "sent" | "not-sent"): Promise<"marked" | "not-found">;
  /** Sends what may not have gone out, as a turn of its own. */
  resendUnknown(unknownId: string): Promise<"staged" | "not-found">;
  /** A person has seen to it. Absent where nobody else can write. */
  discardQuarantined?(id: string): Promise<"discarded" | "not-found">;
}
