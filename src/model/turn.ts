import type { Usage } from "./reply.ts";

/** When a turn passed each of its steps. */
export interface TurnTimes {
  readonly openedAtMs: number;
  readonly dueAtMs: number;
  readonly takenAtMs: number;
  readonly answerStartedAtMs?: number;
  readonly answeredAtMs?: number;
  readonly sentAtMs?: number;
  readonly committedAtMs: number;
}

/** The record of a turn, kept after its commit. */
export interface TurnRecord extends TurnTimes {
  readonly turnId: string;
  readonly conversationId: string;
  readonly outcome: string;
  readonly channel: string;
  readonly messageIds: readonly string[];
  readonly providerIds: readonly string[];
  readonly attempts: number;
  readonly restarts: number;
  readonly usage?: Usage;
}

/** Why the turn that waits has no answer yet: its last try failed. */
export interface Failing {
  readonly reason: string;
  /** All that failed, those of an outage included. */
  readonly tries: number;
  /** Since when tries have ended in an outage. */
  readonly sinceAtMs?: number;
  /** When it is tried again, if it is not being tried now. */
  readonly againAtMs?: number;
}
