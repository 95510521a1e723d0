import type { Conversation, ConversationKey } from "../model/conversation.ts";
import type { DeadLetter } from "../model/dead-letter.ts";
import type { Gauges } from "../model/gauges.ts";
import type { HistoryMessage } from "../model/history.ts";
import type { StagedMessage } from "../model/message.ts";
import type { NameRecords } from "../model/names.ts";
import type { ProjectChanges } from "../model/project.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Failing, TurnRecord } from "../model/turn.ts";
import type { UnknownSend } from "../model/unknown-send.ts";

export interface Page {
  readonly limit: number;
  /** What the previous page gave as `next`. */
  readonly cursor?: string;
}

export interface Listing<T> {
  readonly items: readonly T[];
  /** If there is more. A page may be short, or empty, and still have it: enough was looked at for one. */
  readonly next?: string;
}

export interface ConversationFilter extends Page {
  /** Part of a name of the person, or the beginning of the conversation's id. */
  readonly search?: string;
  readonly active?: boolean;
}

/** Windows and leases as they are now. */
export interface LockRecord {
  readonly conversationId: string;
  readonly window?: { readonly id: string; readonly dueAtMs: number };
  /** Without a turn, its holder only looks, or erases. */
  readonly lease?: {
    readonly holder: string;
    readonly untilAtMs: number;
    readonly takenAtMs: number;
    readonly turnId?: string;
  };
  /** With `honourStatus`: since when a turn waits for another system, which processes the conversation. */
  readonly elsewhere?: { readonly sinceAtMs: number };
  readonly staged: number;
  readonly attempts: number;
  readonly draft: boolean;
  readonly failing?: Failing;
}

/** A row that Lull did not write: another system, a person or a faulty disk did. It stops no conversation. */
export interface QuarantinedRow {
  readonly id: string;
  /** The table that it was in, and its key there. */
  readonly table: string;
  readonly key: string;
  readonly conversationId?: string;
  /** What did not fit. */
  readonly why: string;
  /** The whole row, as JSON. */
  readonly raw: string;
  readonly atMs: number;
  /** A customer's message that another system staged: `lull migrate` moves it, and it gets its turn. */
  readonly movable?: boolean;
}

/** For each list in a conversation's detail: the latest rows within both limits, but at least one. */
export interface DetailLimits {
  readonly rowsMax: number;
  readonly bytesMax: number;
  /**
   * How many waiting messages may be read, if the store does not keep them in order of time. If there are
   * more, the latest of those that were read are shown, and those that were read are counted. If absent, all
   * are read.
   */
  readonly waiting?: { readonly rowsMax: number; readonly bytesMax: number };
  /** The same for dead letters and for unknown sends, where it is fewer: a letter may cost a request. */
  readonly unansweredMax?: number;
}

export interface ConversationDetail {
  readonly conversation: Conversation;
  /** The latest of them; `lock` says how many there are in all. */
  readonly staged: readonly StagedMessage[];
  readonly lock?: LockRecord;
  readonly messages: readonly HistoryMessage[];
  readonly turns: readonly TurnRecord[];
  readonly refusals: readonly Refusal[];
  /** Messages that got no turn. */
  readonly dead: readonly DeadLetter[];
  readonly unknown: readonly UnknownSend[];
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
  /** Rows that Lull did not write and that were set aside. */
  readonly quarantined: number;
  readonly paused: boolean;
}

/** Reading for operators and dashboards. It changes nothing and never slows down a turn. */
export interface Inspector {
  conversations(filter: ConversationFilter): Promise<Listing<Conversation>>;
  conversation(conversationId: string, limits?: DetailLimits): Promise<ConversationDetail | undefined>;
  /** The id of the latest conversation of exactly this key, complete or not. At constant cost. */
  latestId(key: ConversationKey): Promise<string | undefined>;
  /** The name records of a conversation's person: whose it is, and by which name they are reached now. */
  names(conversation: Conversation): Promise<NameRecords>;
  locks(page: Page): Promise<Listing<LockRecord>>;
  dead(page: Page): Promise<Listing<DeadLetter>>;
  unknown(page: Page): Promise<Listing<UnknownSend>>;
  refusals(page: Page): Promise<Listing<Refusal>>;
  /** Empty where no other system can write. */
  quarantined(page: Page): Promise<Listing<QuarantinedRow>>;
  /**
   * What was set for projects while the service ran; for those that are not there what is configured counts.
   * Asked with every sweep, so it is one read, however many projects there are.
   */
  projectChanges(): Promise<ProjectChanges>;
  counts(): Promise<Counts>;
  gauges(): Promise<Gauges>;
}
