import type { Conversation, ConversationKey } from "../model/conversation.ts";
import type { DeadLetter } from "../model/dead-letter.ts";
import type { HistoryMessage } from "../model/history.ts";
import type { StagedMessage } from "../model/message.ts";
import type { NameRecords } from "../model/names.ts";
import type { Refusal } from "../model/refusal.ts";
import type { TurnRecord } from "../model/turn.ts";
import type { UnknownSend } from "../model/unknown-send.ts";

export interface Page {
  readonly limit: number;
  /** What the page before gave as `next`. */
  readonly cursor?: string;
}

export interface Listing<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

export interface ConversationFilter extends Page {
  /** Part of the sender or the exact conversation id. */
  readonly search?: string;
  readonly active?: boolean;
}

/** Windows and leases as they stand now. */
export interface LockRecord {
  readonly conversationId: string;
  readonly window?: { readonly id: string; readonly dueAtMs: number };
  readonly lease?: { readonly holder: string; readonly untilAtMs: number; readonly takenAtMs: number };
  readonly staged: number;
  readonly attempts: number;
  readonly draft: boolean;
}

/** A row that was not ours: another system, an older version or a person wrote it, or a disk forgot. It stops nobody any more. */
export interface QuarantinedRow {
  readonly id: string;
  /** The table that it stood in, and its key there. */
  readonly table: string;
  readonly key: string;
  readonly conversationId?: string;
  /** What did not fit. */
  readonly why: string;
  /** The whole row, as JSON. */
  readonly raw: string;
  readonly atMs: number;
}

/** Of each list in a conversation's detail: the latest so many rows, and as many of them as fit; one always. */
export interface DetailLimits {
  readonly rowsMax: number;
  readonly bytesMax: number;
  /**
   * How much of what waits may be read for it, where a store keeps that in another order than that of time. Of more, the latest of what
   * was read are shown, and what was read is counted. Without it all of it is read.
   */
  readonly waiting?: { readonly rowsMax: number; readonly bytesMax: number };
}

export interface ConversationDetail {
  readonly conversation: Conversation;
  /** The latest of them. How many there are in all stands in `lock`. */
  readonly staged: readonly StagedMessage[];
  readonly lock?: LockRecord;
  readonly messages: readonly HistoryMessage[];
  readonly turns: readonly TurnRecord[];
  readonly refusals: readonly Refusal[];
}

export interface Counts {
  readonly conversations: number;
  readonly staged: number;
  readonly windows: number;
  readonly leases: number;
  readonly turns: number;
  readonly dead: number;
  readonly unknown: number;
  readonly refusals: number;
  /** Rows that were not ours and were set aside. Absent where nobody else can write. */
  readonly quarantined?: number;
  readonly paused: boolean;
}

/** What alarms are about. Asked again and again, so it is cheap however much is kept. */
export interface Gauges {
  readonly dead: number;
  readonly unknown: number;
  /** As in `Counts`. */
  readonly quarantined?: number;
  /** Leases that lapsed and that nobody has taken since. */
  readonly staleLeases: number;
  /** When the oldest lease that stands was taken. */
  readonly oldestLeaseAtMs?: number;
}

/** Reading for people and dashboards. It never changes anything and never slows a turn down. */
export interface Inspector {
  conversations(filter: ConversationFilter): Promise<Listing<Conversation>>;
  conversation(conversationId: string, limits?: DetailLimits): Promise<ConversationDetail | undefined>;
  /** The id of the latest one of exactly this key, complete or not. Costs the same however many there are. */
  latestId(key: ConversationKey): Promise<string | undefined>;
  /** What is kept of the names of a conversation's person: whose it is, and by which name they are reached now. */
  names(conversation: Conversation): Promise<NameRecords>;
  locks(page: Page): Promise<Listing<LockRecord>>;
  dead(page: Page): Promise<Listing<DeadLetter>>;
  unknown(page: Page): Promise<Listing<UnknownSend>>;
  refusals(page: Page): Promise<Listing<Refusal>>;
  /** Absent where nobody else can write. */
  quarantined?(page: Page): Promise<Listing<QuarantinedRow>>;
  counts(): Promise<Counts>;
  gauges(): Promise<Gauges>;
}
