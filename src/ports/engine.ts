import type { NameRecords } from "../core/names.ts";
import type { RefusalCode } from "../core/refusals.ts";
import type { Settings } from "../core/settings.ts";
import type { Finding } from "./check-result.ts";
import type { Clock } from "./clock.ts";
import type { Conversation, Conversations, HistoryMessage } from "./conversations.ts";
import type { Draft } from "./draft.ts";
import type { Inspector, TurnRecord } from "./inspector.ts";
import type { Log } from "./log.ts";
import type { Arrival, DeliveryStatus, Media, StagedMessage } from "./message.ts";
import type { Remedies } from "./repairs.ts";
import type { Usage } from "./responder.ts";

/** What became of one arrival. Each of them may be acknowledged: it is durable, or will never be needed. */
export type StageOutcome =
  | { readonly kind: "staged"; readonly conversationId: string; readonly dueAtMs: number }
  | { readonly kind: "duplicate" }
  | {
      readonly kind: "refused";
      readonly code: RefusalCode;
      readonly conversationId?: string;
      /** True for the first refusal of a running turn, or of a conversation that is full: the customer is told once. */
      readonly tellBusy?: boolean;
    };

/** Stage 1: what the webhook needs. */
export interface Receiving {
  /**
   * DEDUPE, find the conversation, rules, STAGE, ARM and TRIGGER for each arrival. Resolves when all of it is durable; rejects when any
   * of it may not be, with `STORE_UNAVAILABLE` unless it is a bug, and then nothing may be acknowledged.
   */
  stage(arrivals: readonly StageRequest[]): Promise<readonly StageOutcome[]>;
  /** Records a delivery status; a chunk whose outcome was unknown is settled by it. */
  settle(channel: string, status: DeliveryStatus): Promise<"settled" | "recorded" | "unmatched">;
}

export interface StageRequest {
  readonly arrival: Arrival;
  /** A refusal that was decided before the store was asked (no route): recorded if the message is new. */
  readonly refusal?: RefusalCode;
  /** Whatever refuses it, no record is kept of that: strangers have left enough of them, or it will come again. */
  readonly isUnrecorded?: true;
}

/** The expiring right to work on a conversation. `token` says who is right, `untilAtMs` only when to try. */
export interface Lease {
  readonly conversationId: string;
  readonly token: string;
  readonly untilAtMs: number;
}

/** A turn to carry out, under a lease. */
export interface Taken {
  readonly lease: Lease;
  readonly turnId: string;
  /** The number of this try, as responders and people are told it. */
  readonly attempt: number;
  /** How many tries count towards `attemptsMax`, this one included: those that ended in an outage do not. */
  readonly attempts: number;
  /** Since when tries have ended in an outage. */
  readonly failingSinceAtMs?: number;
  /** The attempts before this one may have ended with the death of their processes: what is asked may be what killed them. */
  readonly isSuspect?: true;
  readonly restarts: number;
  readonly conversation: Conversation;
  /** The batch in order. Empty when the turn carries out an outbound. */
  readonly messages: readonly StagedMessage[];
  /** Something to be said that no message asked for. */
  readonly outbound?: StagedOutbound;
  /** Set when an earlier holder got as far as DRAFT: the turn continues there. */
  readonly draft?: Draft;
  /** Provider ids of what the latest turns and dead letters of this conversation sent, for `reconcile` to leave out. */
  readonly recentProviderIds: readonly string[];
  /** A limit cut the batch: more is due as soon as this turn is over. */
  readonly cut: boolean;
  readonly takenAtMs: number;
  readonly dueAtMs: number;
}

export interface StagedOutbound {
  readonly id: string;
  readonly channel: string;
  readonly to: string;
  readonly texts: readonly string[];
  readonly media?: readonly Media[];
  readonly author: string;
  readonly arrivedAtMs: number;
}

/** Messages ran out of attempts or of time, or their conversation is gone: moved to a dead letter. */
export interface Burial {
  readonly kind: "buried";
  readonly deadLetterId: string;
  readonly reason: string;
}

/** What a wake-up for one conversation led to. */
export type TakeOutcome =
  | { readonly kind: "turn"; readonly taken: Taken }
  | { readonly kind: "busy"; readonly untilAtMs: number }
  | { readonly kind: "later"; readonly dueAtMs: number }
  | { readonly kind: "nothing" }
  | Burial;

/** Where one look led to several things: what it came to in the end, and the dead letters on the way. */
export type TakenInTheEnd = TakeOutcome & { readonly buried?: readonly Burial[] };

export interface DueTurns {
  readonly outcomes: readonly TakeOutcome[];
  /** When looking again is worth while, as far as the store knows now. */
  readonly nextAtMs?: number;
}

export type WriteOutcome = { readonly kind: "lost" };

export type Renewal = { readonly kind: "renewed"; readonly lease: Lease } | WriteOutcome;

export type DraftOutcome =
  /** With the draft as it stands now: what a callback proved meanwhile is `sent` in it, and is not sent again. */
  | { readonly kind: "drafted"; readonly lease: Lease; readonly draft: Draft }
  /** A human took over while the answer was made. */
  | { readonly kind: "handed-off" }
  /** `whileBusy: "restart"`: newer messages are staged and a restart is left. */
  | { readonly kind: "newer" }
  | WriteOutcome;

export type MarkOutcome =
  /** Likewise. */
  | { readonly kind: "marked"; readonly lease: Lease; readonly draft: Draft }
  | { readonly kind: "handed-off" }
  | WriteOutcome;

/** `replied`, `no-reply`, `queued`, `handed-off`, `unknown`, or `refused: CODE`. */
export type TurnOutcome =
  | "replied"
  | "no-reply"
  | "queued"
  | "handed-off"
  | "unknown"
  | `refused: ${RefusalCode}`;

export interface Commit {
  readonly outcome: TurnOutcome;
  /** The batch merged, and the reply as it was sent. Absent where there is none. */
  readonly userText?: string;
  readonly userMedia?: readonly Media[];
  readonly draft?: Draft;
  readonly usage?: Usage;
  readonly complete?: boolean;
  readonly handOff?: string;
  readonly answerStartedAtMs?: number;
  readonly answeredAtMs?: number;
  readonly sentAtMs?: number;
  /** Look for another turn under the same lease: a draft was continued, an outbound carried out, a limit cut the batch. */
  readonly more: boolean;
}

export type CommitOutcome =
  | {
      readonly kind: "committed";
      readonly next?: TakenInTheEnd;
      /** More may be due, and the store failed when it was looked for: the lease lapses, and somebody has to look then. */
      readonly isLeft?: true;
    }
  /** Nothing was to be said, and a late answer was accepted meanwhile: nothing is committed, its draft stands. */
  | { readonly kind: "answered" }
  | WriteOutcome;

/**
 * How a turn that is not committed gives its lease back. Window, trigger and release are one step where the store allows. Pauses count from
 * that step on: whoever decided on one may have stood still since, and the clock may have been set back.
 */
export type GiveBack =
  /** Failed, to be tried again: a window stands `afterMs` from then on. With `outageSinceAtMs` the attempt is not counted. */
  | {
      readonly kind: "retry";
      readonly afterMs: number;
      readonly reason: string;
      readonly outageSinceAtMs?: number;
      readonly draft?: Draft;
    }
  /** Out of attempts, or no attempt can help: the turn's messages become a dead letter. */
  | { readonly kind: "bury"; readonly reason: string; readonly draft?: Draft }
  /** Nothing failed, something has to pass first (an unknown send settles, a late answer). The attempt is not counted. */
  | { readonly kind: "wait"; readonly afterMs: number; readonly draft?: Draft }
  /** Newer messages joined: start over when their window is due. */
  | { readonly kind: "restart" }
  /** Stopping, or paused: what was taken is due again at once. The attempt is not counted. */
  | { readonly kind: "release" };

/** Stage 2: what a turn needs. Every write names the lease; `lost` means that a newer token stands. */
export interface TurnTaking {
  /** LEASE, DISARM and BATCH for what is due, up to `max` turns. An engine with a queue may wait for work until `signal` aborts. */
  takeDue(max: number, signal: AbortSignal): Promise<DueTurns>;
  take(conversationId: string): Promise<TakenInTheEnd>;
  renew(lease: Lease): Promise<Renewal>;
  /** Whether messages that are not in this turn's batch are staged. */
  hasNewer(lease: Lease): Promise<boolean>;
  /** DRAFT. Also takes the first chunk to `sending` where `draft` says so: one write instead of two. */
  draft(lease: Lease, draft: Draft): Promise<DraftOutcome>;
  /** Writes the draft's chunk states and renews the lease. Of an answer nothing goes on its way once a human took over. */
  mark(lease: Lease, draft: Draft): Promise<MarkOutcome>;
  commit(lease: Lease, commit: Commit): Promise<CommitOutcome>;
  giveBack(
    lease: Lease,
    how: GiveBack,
  ): Promise<{ readonly kind: "released"; readonly deadLetterId?: string } | WriteOutcome>;
}

export interface SweepReport {
  /** Staged, overdue, no window and no lease: armed again. It should be 0. */
  readonly orphans: number;
  /** Windows or lapsed leases whose wake-up was sent again. */
  readonly retriggered: number;
  /** Leases freed because their holder's process is known dead. */
  readonly freed: number;
  /** Remembered ids and old records that went. */
  readonly expired: number;
  /** The clock went back since the last sweep: what its later time had put off was brought forward. */
  readonly clockSetBack?: ClockSetBack;
  /** The round ended at its limit: the rest is for the next one, which may as well come at once. */
  readonly hasMore?: boolean;
}

export interface ClockSetBack {
  readonly byMs: number;
  /** How many conversations would have been muted by it. */
  readonly conversations: number;
}

export interface Sweeping {
  /** One bounded round; the engine keeps its cursor. */
  sweep(): Promise<SweepReport>;
  /** Frees the leases of a worker whose process is known dead, at once. */
  freeLeases(workerId: string): Promise<number>;
}

/** What an engine is opened with. */
export interface EngineContext {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly workerId: string;
  readonly log: Log;
  /** Told whenever this process armed a window, so that its own worker need not poll for it. */
  readonly onArmed: (dueAtMs: number) => void;
}

/** A conversation as another engine kept it. */
export interface KeptConversation {
  readonly conversation: Conversation;
  readonly messages: readonly HistoryMessage[];
  readonly turns: readonly TurnRecord[];
  readonly names: NameRecords;
}

/** What became of the dead letters of one queue. */
export interface Redriven {
  readonly channel: string;
  readonly moved: number;
  /** Nobody can read them. */
  readonly left: number;
  /** The queue keeps none. */
  readonly isWithout?: true;
}

/** Everything durable. Split by who calls it. */
export interface Engine {
  readonly receiving: Receiving;
  readonly turns: TurnTaking;
  readonly sweeping: Sweeping;
  readonly conversations: Conversations;
  readonly remedies: Remedies;
  readonly inspector: Inspector;
  /** Takes in what another engine kept; asked again, what is new. Absent where copying the store is the way. */
  adopt?(kept: KeptConversation): Promise<void>;
  /** Puts wake-ups back that ended among the dead letters of a queue. Absent where there are no queues. */
  redrive?(): Promise<readonly Redriven[]>;
  /** Throws when the store cannot be written now: what a start asks, and `/readyz`. */
  ping(): Promise<void>;
  /** What `/readyz` asks instead, where a write costs something and strangers may ask: throws when the store does not answer. */
  probe?(): Promise<void>;
  /** What a person has to put right before it can work, where there is more to it than a file. Rejects when it cannot be reached. */
  checks?(): Promise<readonly Finding[]>;
  /** What is wrong with what is stored, after a look at all of it: it may take minutes, and is for a person who asks. */
  examine?(): Promise<readonly Finding[]>;
  close(): Promise<void>;
}

export interface BackupOptions {
  /** When it is made: the copy says so when a service starts on it. */
  readonly atMs: number;
  readonly onProgress: (done: number, total: number) => void;
  /** Ends it: half a copy is removed, and the reason thrown. */
  readonly signal?: AbortSignal;
}

/** What a copy holds that a service which starts on it will answer, even if it was answered since. */
export interface BackupReport {
  readonly staged: number;
  readonly drafts: number;
}

export interface CompactReport {
  readonly bytesBefore: number;
  readonly bytes: number;
  /** Nothing is left of what was erased. False when somebody kept the log in use. */
  readonly isClean: boolean;
}

/** What `sqlite()`, `memory()` and `aws()` return: an engine that is not open yet. */
export interface EngineProvider {
  readonly name: string;
  /** Where it differs from the defaults of one machine. What is configured wins. */
  readonly defaults?: Partial<Settings>;
  /** URLs of the queues that wake its workers. Nobody else may write there. */
  readonly triggerQueues?: () => readonly string[];
  open(context: EngineContext): Promise<Engine>;
  /** Copies a consistent snapshot to `file` while the service runs. */
  backup?(file: string, options: BackupOptions): Promise<BackupReport>;
  /** Said instead where the store has backups of its own. */
  readonly backupNote?: string;
  /** Writes the store's file anew, so that nothing is left of what was erased. Others wait meanwhile. */
  compact?(): Promise<CompactReport>;
}
