import type { Conversation } from "./conversation.ts";
import type { Draft } from "./draft.ts";
import type { HistoryMessage } from "./history.ts";
import type { Lease } from "./lease.ts";
import type { StagedMessage } from "./message.ts";
import type { StagedOutbound } from "./outbound.ts";
import type { ProjectRule } from "./project.ts";

/** How often a turn was tried. */
export interface TurnTries {
  /** The number of this attempt. */
  readonly attempt: number;
  /** How many count towards `attemptsMax`, this one included: those that ended in an outage do not. */
  readonly counted: number;
  /** How many before this one ended in an outage. */
  readonly outages: number;
  /** Since when attempts have ended in an outage. */
  readonly failingSinceAtMs?: number;
  /** Earlier attempts may have ended with the death of their processes: this turn may be what killed them. */
  readonly isSuspect?: true;
  readonly restarts: number;
}

/** By which name the customer is reached now. Without one, it cannot be told who has the old one. */
export interface Moved {
  readonly to?: string;
}

/** How this attempt came about. */
export interface TurnStart {
  readonly takenAtMs: number;
  readonly dueAtMs: number;
  /** With `honourStatus`: another system said that it processes the conversation, for too long. */
  readonly isOverStale?: true;
  /** Answering is paused: what it carries was written down before, or is said by a person or a program. */
  readonly isPaused?: true;
}

/** Whose turn it is. */
interface TurnSubject {
  readonly conversation: Conversation;
  /** What its project allows, as it was when the turn was taken. */
  readonly project: ProjectRule;
  /** Set if the customer no longer has the name that the reply is addressed to. */
  readonly moved?: Moved;
}

/** A turn to carry out, under a lease. */
export interface Taken extends TurnTries, TurnSubject, TurnStart {
  readonly lease: Lease;
  readonly turnId: string;
  /** The batch in order. Empty when the turn carries out an outbound. */
  readonly messages: readonly StagedMessage[];
  /** The one that is first in all tries of the turn: others may join them, and come before it. */
  readonly firstMessageId?: string;
  /** Something to be said without a message that asked for it. */
  readonly outbound?: StagedOutbound;
  /** Set when an earlier holder got as far as DRAFT: the turn continues there. */
  readonly draft?: Draft;
  /** Provider ids that its latest turns and dead letters sent; `reconcile` leaves them out. */
  readonly recentProviderIds: readonly string[];
  /**
   * What was said before, as much as `turn.history()` gives without a number. Left out where the engine did
   * not read it with the batch.
   */
  readonly history?: readonly HistoryMessage[];
  /** A limit cut the batch: more is due as soon as this turn is over. */
  readonly cut: boolean;
}

/** With `honourStatus`: another system says that it processes the conversation, so its turn is put off. */
export interface HeldElsewhere {
  readonly conversationId: string;
  /** When a look first found it so. */
  readonly sinceAtMs: number;
  /** Set if the turn was not put off for it before. */
  readonly isFirst?: true;
}

/** Messages ran out of attempts or of time, or their conversation is gone: moved to a dead letter. */
export interface DeadLettered {
  readonly kind: "dead-lettered";
  readonly conversationId: string;
  /** Left out where the messages were in no turn yet. */
  readonly turnId?: string;
  readonly deadLetterId: string;
  /** How often it was tried. */
  readonly attempts: number;
  readonly reason: string;
  /** Where no reply to its messages was made: the sender of the newest has heard nothing. */
  readonly unanswered?: { readonly newest: StagedMessage; readonly firstMessageId: string };
}

/** Another worker holds the conversation. */
export interface Busy {
  readonly kind: "busy";
  readonly conversationId: string;
  readonly untilAtMs: number;
  readonly holder?: string;
  /** Since when it is held. */
  readonly sinceAtMs?: number;
  /** Only the end came that its lease had before it was renewed: no work was wanted there. */
  readonly isRenewed?: true;
}

/** A lease that its holder never gave back: it died, or stood still for longer than its lease. */
export interface TookOver {
  readonly conversationId: string;
  readonly holder: string;
  /** When its holder had taken it. */
  readonly sinceAtMs: number;
}

/** What a wake-up for one conversation led to. */
export type TakeOutcome = (
  | { readonly kind: "turn"; readonly taken: Taken }
  | Busy
  | { readonly kind: "later"; readonly dueAtMs: number; readonly elsewhere?: HeldElsewhere }
  | { readonly kind: "nothing" }
  | DeadLettered
) & {
  /** Told by engines that see the old lease where they take the new one. */
  readonly tookOver?: TookOver;
};

/** If one look led to several outcomes: the last one, and the dead letters before it. */
export type TakeResult = TakeOutcome & { readonly deadLettered?: readonly DeadLettered[] };
