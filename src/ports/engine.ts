import type { Commit } from "../model/commit.ts";
import type { Conversation } from "../model/conversation.ts";
import type { Draft } from "../model/draft.ts";
import type { HistoryMessage } from "../model/history.ts";
import type { Lease } from "../model/lease.ts";
import type { Log } from "../model/log.ts";
import type { Arrival, DeliveryStatus } from "../model/message.ts";
import type { NameRecords } from "../model/names.ts";
import type { RefusalCode } from "../model/refusal.ts";
import type { ReleaseReason } from "../model/release.ts";
import type { Settings } from "../model/settings.ts";
import type { TakeOutcome, TakeResult } from "../model/take.ts";
import type { TurnRecord } from "../model/turn.ts";
import type { CheckResult } from "./check-result.ts";
import type { Clock } from "./clock.ts";
import type { Conversations } from "./conversations.ts";
import type { Inspector } from "./inspector.ts";
import type { Repairs } from "./repairs.ts";

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
  recordDelivery(channel: string, status: DeliveryStatus): Promise<"settled" | "recorded" | "unmatched">;
}

export interface StageRequest {
  readonly arrival: Arrival;
  /** A refusal that was decided before the store was asked (no route): recorded if the message is new. */
  readonly refusal?: RefusalCode;
  /** Whatever refuses it, no record is kept of that: strangers have left enough of them, or it will come again. */
  readonly isUnrecorded?: true;
}

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

export type CommitOutcome =
  | {
      readonly kind: "committed";
      readonly next?: TakeResult;
      /** More may be due, and the store failed when it was looked for: the lease lapses, and somebody has to look then. */
      readonly isLeft?: true;
    }
  /** Nothing was to be said, and a late answer was accepted meanwhile: nothing is committed, its draft stands. */
  | { readonly kind: "answered" }
  | WriteOutcome;

/** Stage 2: what a turn needs. Every write names the lease; `lost` means that a newer token stands. */
export interface TurnTaking {
  /** LEASE, DISARM and BATCH for what is due, up to `max` turns. An engine with a queue may wait for work until `signal` aborts. */
  takeDue(max: number, signal: AbortSignal): Promise<DueTurns>;
  take(conversationId: string): Promise<TakeResult>;
  renew(lease: Lease): Promise<Renewal>;
  /** Whether messages that are not in this turn's batch are staged. */
  hasNewer(lease: Lease): Promise<boolean>;
  /** DRAFT. Also takes the first chunk to `sending` where `draft` says so: one write instead of two. */
  draft(lease: Lease, draft: Draft): Promise<DraftOutcome>;
  /** Writes the draft's chunk states and renews the lease. Of an answer nothing goes on its way once a human took over. */
  mark(lease: Lease, draft: Draft): Promise<MarkOutcome>;
  commit(lease: Lease, commit: Commit): Promise<CommitOutcome>;
  release(
    lease: Lease,
    how: ReleaseReason,
  ): Promise<{ readonly kind: "released"; readonly deadLetterId?: string } | WriteOutcome>;
}

export interface SweepReport {
  /** Conversations with something staged, overdue, no window and no lease: armed again. There should be none. */
  readonly orphans: readonly string[];
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

/** Whether the store can be used, asked in four depths. */
export interface EngineHealth {
  /** Throws when the store cannot be written now: what a start asks, and `/readyz`. */
  ping(): Promise<void>;
  /** What `/readyz` asks instead, where a write costs something and strangers may ask: throws when the store does not answer. */
  probe?(): Promise<void>;
  /** What a person has to put right before it can work, where there is more to it than a file. Rejects when it cannot be reached. */
  checks?(): Promise<readonly CheckResult[]>;
  /** What is wrong with what is stored, after a look at all of it: it may take minutes, and is for a person who asks. */
  examine?(): Promise<readonly CheckResult[]>;
}

/** Everything durable. Split by who calls it. */
export interface Engine extends EngineHealth {
  readonly receiving: Receiving;
  readonly turns: TurnTaking;
  readonly sweeping: Sweeping;
  readonly conversations: Conversations;
  readonly repairs: Repairs;
  readonly inspector: Inspector;
  /** Takes in what another engine kept; asked again, what is new. Absent where copying the store is the way. */
  importConversation?(kept: KeptConversation): Promise<void>;
  /** Puts wake-ups back that ended among the dead letters of a queue. Absent where there are no queues. */
  redrive?(): Promise<readonly Redriven[]>;
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
