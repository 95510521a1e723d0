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
import type { GivenSettings, Settings } from "../model/settings.ts";
import type { TakeOutcome, TakeResult } from "../model/take.ts";
import type { TurnRecord } from "../model/turn.ts";
import type { CheckResult } from "./check-result.ts";
import type { Clock } from "./clock.ts";
import type { Conversations } from "./conversations.ts";
import type { Inspector } from "./inspector.ts";
import type { People } from "./people.ts";
import type { Repairs } from "./repairs.ts";
import type { SeedTableNames, SeedTables } from "./seed-tables.ts";

/** What became of one arrival. Each may be acknowledged: it is durable, or never needed. */
export type StageOutcome =
  | {
      readonly kind: "staged";
      readonly conversationId: string;
      readonly dueAtMs: number;
      /** A window stood already. */
      readonly isJoined?: true;
      /** Who holds the conversation meanwhile, where the engine sees it. */
      readonly heldBy?: string;
    }
  | { readonly kind: "duplicate" }
  /** Its writer is not known as surely as the request asks for. Nothing of it is kept: it may come again. */
  | { readonly kind: "unattributed" }
  | {
      readonly kind: "refused";
      readonly code: RefusalCode;
      readonly conversationId?: string;
      /**
       * True once per running turn or full conversation: so the customer is told once. That a conversation
       * is full is told by the engine: it stages the `busyText` together with the note that it was told, and
       * no crash comes between the two.
       */
      readonly tellBusy: boolean;
    };

/** What a webhook needs. */
export interface Receiving {
  /**
   * DEDUPE, find the conversation, rules, STAGE, ARM and TRIGGER for each arrival. Resolves when all of it is
   * durable. Rejects if any of it may not be, with `STORE_UNAVAILABLE` unless it is a bug; then nothing may
   * be acknowledged.
   */
  stage(arrivals: readonly StageRequest[]): Promise<readonly StageOutcome[]>;
  /** Records a delivery status; a chunk whose outcome was open is confirmed by it, as `sent`. */
  recordDelivery(channel: string, status: DeliveryStatus): Promise<"confirmed" | "recorded" | "unmatched">;
  /**
   * Since when the ids of all messages are known. An id is kept for as long as `dedupeMs` was when it was
   * learnt: for a while after that was raised, this is later than `dedupeMs` ago. Sweeps note what it is.
   */
  knownSinceMs(): Promise<number>;
}

export interface StageRequest {
  readonly arrival: Arrival;
  /** A refusal that was decided before the store was asked (no route): recorded if the message is new. */
  readonly refusal?: RefusalCode;
  /** A refusal of it is not recorded: unsigned senders have left enough of them, or it will come again. */
  readonly isUnrecorded?: true;
  /**
   * Set if the provider takes a refusal for received and does not send again. The id of a message that is
   * refused for a lasting reason is then remembered: a replay of its webhook is a duplicate.
   */
  readonly isRefusedForGood?: true;
  /**
   * Set where it is from a provider's list, which tells numbers and no user ids: how surely the store has to
   * know who wrote it. If it does not, the message is left.
   */
  readonly writers?: "certain" | "likely";
}

export interface DueTurns {
  readonly outcomes: readonly TakeOutcome[];
  /** When to look again, as far as the store knows now. */
  readonly nextAtMs?: number;
}

export type WriteOutcome = { readonly kind: "lost" };

export type Renewal = { readonly kind: "renewed"; readonly lease: Lease } | WriteOutcome;

export type DraftOutcome =
  /** With the draft as it stands: a chunk that a callback confirmed is `sent`, and not sent again. */
  | { readonly kind: "drafted"; readonly lease: Lease; readonly draft: Draft }
  /** A human took over while the answer was made. */
  | { readonly kind: "handed-off" }
  /** `whileBusy: "restart"`: newer messages are staged and a restart is left. */
  | { readonly kind: "newer" }
  | WriteOutcome;

export type ChunksOutcome =
  /** The draft is given as in `drafted`. */
  | { readonly kind: "written"; readonly lease: Lease; readonly draft: Draft }
  | { readonly kind: "handed-off" }
  | WriteOutcome;

/** The end of a lease. */
export interface Ended {
  /** What became due while it was held had to wait for its end, since then. Told where it costs no read. */
  readonly keptWaitingSinceAtMs?: number;
}

export type CommitOutcome =
  | ({
      readonly kind: "committed";
      readonly next?: TakeResult;
      /** More may be due, but the store failed: a worker has to look once the lease is free. */
      readonly isLeft?: true;
    } & Ended)
  /** There was no reply, but a late answer was accepted meanwhile: its draft stands, uncommitted. */
  | { readonly kind: "answered" }
  | WriteOutcome;

export type ReleaseOutcome =
  | ({ readonly kind: "released"; readonly deadLetterId?: string } & Ended)
  /** There would be a dead letter, but a late answer was accepted meanwhile: the lease is still held. */
  | { readonly kind: "answered" }
  | WriteOutcome;

/** Where the trigger of a queue came from, beside its conversation. */
export interface TriggerSource {
  /** Whose conversation it is; empty if the trigger does not say. */
  readonly sender: string;
  /** The channel whose queue it came through: if the conversation is busy, it is sent there again. */
  readonly channel: string;
}

/** What a turn needs. Every write names the lease; `lost` means that a newer token stands. */
export interface TurnTaking {
  /** LEASE, DISARM and BATCH for up to `max` turns. With a queue, it may wait until `signal` aborts. */
  takeDue(max: number, signal: AbortSignal): Promise<DueTurns>;
  take(conversationId: string, source?: TriggerSource): Promise<TakeResult>;
  renew(lease: Lease): Promise<Renewal>;
  /** Whether messages are staged that may still join this turn: never where a limit cut its batch. */
  hasNewer(lease: Lease): Promise<boolean>;
  /** DRAFT. Also takes the first chunk to `sending` where `draft` says so: one write instead of two. */
  draft(lease: Lease, draft: Draft): Promise<DraftOutcome>;
  /** Writes chunk states and renews the lease. After a hand-off no further chunk of an answer goes out. */
  writeChunks(lease: Lease, draft: Draft): Promise<ChunksOutcome>;
  commit(lease: Lease, commit: Commit): Promise<CommitOutcome>;
  release(lease: Lease, how: ReleaseReason): Promise<ReleaseOutcome>;
}

/** What a dead process held. */
export interface FreedLeases {
  readonly holder: string;
  readonly leases: number;
  /** When the oldest of them was taken. */
  readonly sinceAtMs: number;
}

export interface SweepReport {
  /** Conversations with overdue messages and no window or lease: armed again. There should be none. */
  readonly orphans: readonly string[];
  /** Windows or lapsed leases whose trigger was sent again. */
  readonly retriggered: number;
  /** Leases freed because their holder's process is known dead: each is counted once. */
  readonly freed: number;
  /** The same by holder, where the engine knows. */
  readonly freedFrom?: readonly FreedLeases[];
  /** Remembered ids and old records that were removed. */
  readonly expired: number;
  /** The clock was set back since the last sweep: work that it had put off was brought forward. */
  readonly clockSetBack?: ClockSetBack;
  /** The round ended at its limit: the next one continues with the rest, and may come at once. */
  readonly hasMore: boolean;
}

export interface ClockSetBack {
  readonly byMs: number;
  /** How many conversations would have been muted by it. */
  readonly conversations: number;
}

export interface Sweeping {
  /** One bounded round; the engine keeps its cursor. */
  sweep(): Promise<SweepReport>;
  /**
   * Frees the leases of a holder whose process is known dead, at once. Tells how many of its leases no worker
   * has taken yet, those included that were freed before.
   */
  freeLeases(holder: string): Promise<number>;
}

/** What an engine is opened with. */
export interface EngineContext {
  readonly clock: Clock;
  readonly settings: Settings;
  /** Who this process is to the store: its leases carry it. */
  readonly holder: string;
  readonly log: Log;
  /** Called whenever this process armed a window, so that its own worker need not poll for it. */
  readonly onArmed: (dueAtMs: number) => void;
}

/** A conversation as another engine stored it. */
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
  /** Triggers that cannot be read. */
  readonly left: number;
  /** The queue has no dead-letter queue. */
  readonly isWithout?: true;
}

/** Whether the store can be used, checked in four depths. */
export interface EngineHealth {
  /** Throws if the store cannot be written now: used at a start and by `/readyz`. */
  ping(): Promise<void>;
  /** For `/readyz` if a write costs something: any caller may ask. Throws if there is no answer. */
  probe?(): Promise<void>;
  /** What an operator must put right, if it is more than a file. Rejects if it cannot be reached. */
  checks?(): Promise<readonly CheckResult[]>;
  /** What is wrong with the stored data, after reading all of it. It may take minutes: on request only. */
  examine?(): Promise<readonly CheckResult[]>;
}

/** Everything durable, split by caller. */
export interface Engine extends EngineHealth {
  readonly receiving: Receiving;
  readonly turns: TurnTaking;
  readonly sweeping: Sweeping;
  readonly conversations: Conversations;
  readonly repairs: Repairs;
  readonly inspector: Inspector;
  /** What is kept of a person, by their own address. */
  readonly people: People;
  /** 32 bytes in base64url, the same in every process on this store, and others for each purpose. */
  secretFor(purpose: string): Promise<string>;
  /** Imports what another engine stored; called again, only what is new. Absent if files are copied. */
  importConversation?(kept: KeptConversation): Promise<void>;
  /** Moves triggers out of the dead-letter queues, back to their queues. Absent if there are no queues. */
  redrive?(): Promise<readonly Redriven[]>;
  close(): Promise<void>;
}

/** What operating conversations takes, and all that the callers of one project have of an engine. */
export type OperatedEngine = Pick<Engine, "conversations" | "inspector" | "repairs" | "people">;

export interface BackupOptions {
  /** When the copy is made: a service that starts on it says so. */
  readonly atMs: number;
  readonly onProgress: (done: number, total: number) => void;
  /** Cancels it: the half copy is removed, and the reason thrown. */
  readonly signal?: AbortSignal;
}

/** What a copy holds that a service started on it will answer, even if it was answered since. */
export interface BackupReport {
  readonly staged: number;
  readonly drafts: number;
}

/** What is in a backup. */
export interface StoredInBackup extends BackupReport {
  readonly conversations: number;
  readonly deadLetters: number;
  /** When it was made; absent where a copy was not made as a backup. */
  readonly takenAtMs?: number;
  /** When its newest message came, or its newest turn was over. */
  readonly newestAtMs?: number;
}

export interface RestoreOptions {
  /** For the name under which the present file is kept. */
  readonly atMs: number;
  /** Nothing is put in place. */
  readonly checkOnly?: boolean;
  /** The present file cannot be read, and the operator knows that nothing has it open. */
  readonly force?: boolean;
  readonly onProgress: (done: number, total: number) => void;
  /** Called before each step that changes what lies at the path. */
  readonly onStep?: (step: string) => void;
  readonly signal?: AbortSignal;
}

export interface RestoreReport {
  readonly contents: StoredInBackup;
  /** Where the file is that was in its place. */
  readonly kept?: string;
}

export interface CompactReport {
  readonly bytesBefore: number;
  readonly bytes: number;
  /** Nothing is left of what was erased. False if another process kept the log in use. */
  readonly isClean: boolean;
}

/** What `sqlite()`, `memory()` and `aws()` return: an engine that is not open yet. */
export interface EngineProvider {
  readonly name: string;
  /** Where it differs from the defaults of one machine. Configured settings win. */
  readonly defaults?: Partial<GivenSettings>;
  /** What it holds is in this process alone: several workers would each have their own. */
  readonly forOneProcess?: true;
  /** Other systems read and write the rows of its conversations. */
  readonly hasSharedRows?: true;
  /** URLs of the queues that wake its workers. No other system may write there. */
  readonly triggerQueues?: () => readonly string[];
  open(context: EngineContext): Promise<Engine>;
  /** Opens tables that the original system filled, beside its own. Absent if there can be none. */
  seedTables?(names: Partial<SeedTableNames>, context: EngineContext): Promise<SeedTables>;
  /** Copies a consistent snapshot to `file` while the service runs. */
  backup?(file: string, options: BackupOptions): Promise<BackupReport>;
  /** Checks a backup and puts it in place, while no service runs. Absent where there are no files. */
  restore?(backup: string, options: RestoreOptions): Promise<RestoreReport>;
  /** Shown instead if the store has backups of its own. */
  readonly backupNote?: string;
  /** Writes the store's file anew, so that nothing is left of what was erased. Other writers wait. */
  compact?(): Promise<CompactReport>;
}
