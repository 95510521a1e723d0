import type { IsErasedOn } from "../../core/erased-refusals.ts";
import type { StagedItem, WaitingSpan } from "../../core/found.ts";
import type { Memories } from "../../core/memory.ts";
import type { Pile } from "../../core/pile.ts";
import type { Sent } from "../../core/sent.ts";
import type { ConversationState } from "../../core/state.ts";
import type { Conversation, ConversationKey } from "../../model/conversation.ts";
import type { LetterHead } from "../../model/dead-letter.ts";
import type { HistoryMessage } from "../../model/history.ts";
import type { KeptKind } from "../../model/kept.ts";
import type { NameRecord, NameRecords } from "../../model/names.ts";
import type { ProjectChange, ProjectChanges } from "../../model/project.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { StagedRow } from "../../model/staged.ts";
import type { TurnRecord } from "../../model/turn.ts";
import type { UnknownSend } from "../../model/unknown-send.ts";
import type {
  ConversationFilter,
  Counts,
  Listing,
  LockRecord,
  Page,
  QuarantinedRow,
} from "../../ports/inspector.ts";

/** The waiting messages, without their texts. */
export interface StagedSpan extends WaitingSpan, Pile {
  /** The channel of the one that was staged last. */
  readonly newestChannel: string | undefined;
  /** None of them weighs less. 0 if that is not known. */
  readonly bytesMin: number;
}

/**
 * The end of a pile, which is read without counting it: all that was staged since the pile was last empty.
 * Some of it may have left, so no more waits than this, and nothing for longer.
 */
export interface PileEnd extends Pile {
  readonly sinceAtMs: number;
}

export interface StoredDeadLetter extends LetterHead {
  readonly rows: readonly StagedRow[];
}

/** The latest time seen, and when a sweep found that the clock had been set back, until its second look. */
export interface ClockNote {
  readonly latestAtMs: number;
  readonly setBackAtMs?: number;
  /** The time by which the latest sweep expired rows. */
  readonly expiredAtMs?: number;
}

/** A foreign row that was found by a connection that cannot set it aside. */
export interface StrayRow {
  readonly table: string;
  /** What finds the row in its table. */
  readonly key: readonly (string | number)[];
}

/** Rows older than these times are removed. */
export interface PastTimes {
  /** A remembered id carries its own end. */
  readonly nowMs: number;
  /** Messages and turns; `-Infinity` keeps all. */
  readonly keepAfterMs: number;
  readonly refusalsAfterMs: number;
  /** Only this many of the latest refusals are kept, however young they are: any caller causes them. */
  readonly refusalsMax: number;
}

export interface Expired {
  readonly rows: number;
  /** The limit was reached: there may be more. */
  readonly isCut: boolean;
}

export interface ConversationTable {
  get(id: string): Conversation | undefined;
  /** Active conversations of the address under any of these names, own or learnt, newest first. */
  active(key: ConversationKey, names: readonly string[]): Conversation[];
  /** The latest one of exactly this key, complete or not. */
  latestId(key: ConversationKey): string | undefined;
  put(conversation: Conversation): void;
  /** All conversations of the address under any of these names, complete or not. */
  named(key: ConversationKey, names: readonly string[]): Conversation[];
  list(filter: ConversationFilter): Listing<Conversation>;
}

/** Records of the names under which people write. */
export interface NameTable {
  /** For these names at the address; a name without a record is absent. */
  records(key: ConversationKey, names: readonly string[]): NameRecords;
  put(key: ConversationKey, name: string, record: NameRecord | undefined): void;
}

/** What waits for its turn. */
export interface StagedTable {
  /** Numbers a message in the order of staging (`sequence`). `end`: as `end` told it, if it was asked. */
  add(row: StagedRow, end?: PileEnd): void;
  /** Everything, in the order of staging: only for small piles, or where all of it is needed. */
  all(conversationId: string): StagedRow[];
  /** Those of these ids that are staged here, in the order of staging. */
  of(conversationId: string, ids: readonly string[]): StagedRow[];
  /** The latest messages, up to both limits, in the order of staging. */
  latest(conversationId: string, messagesMax: number, bytesMax: number): StagedRow[];
  /** The outbound that was staged first. */
  firstOutbound(conversationId: string): StagedItem | undefined;
  /** The messages that a turn would take first, in the order of a batch, without reading them. */
  front(conversationId: string, messagesMax: number, how: Pick<WaitingSpan, "byProvider">): StagedItem[];
  /** For all messages, or for those without these ids. Undefined if there is none. */
  span(conversationId: string, without?: readonly string[]): StagedSpan | undefined;
  count(conversationId: string): number;
  /** Where the next one is staged. */
  end(conversationId: string): PileEnd;
  /** How much is staged, of every kind, and whether this id is. */
  pile(conversationId: string, id?: string): Pile & { readonly holds: boolean };
  remove(conversationId: string, ids: readonly string[]): void;
}

/** The dedupe memory: ids of what was staged, refused or sent, each until its time. */
export interface RememberedTable {
  has(id: string): boolean;
  add(ids: readonly string[], untilAtMs: number): void;
  forget(ids: readonly string[]): void;
}

/** Windows, leases, drafts. The row of a conversation is its trigger. */
export interface StateTable {
  get(conversationId: string): ConversationState | undefined;
  put(conversationId: string, state: ConversationState | undefined): void;
  /** Every conversation that is not at rest. */
  restless(): string[];
  /** Conversations due for a look, longest waiting first. While paused, only those with an outbound. */
  wakeable(nowMs: number, max: number): string[];
  /**
   * No worker looks before that time, whatever the state says, because every look fails. Only called where
   * the context has `apart`: a store in which one conversation may fail and the others go on.
   */
  putOff(conversationId: string, untilAtMs: number): void;
  /** All that waits for this project to go on, or for any, is due for a look. How many that are. */
  wakeHeldFor(project: string | undefined, nowMs: number): number;
  nextWakeAtMs(): number | undefined;
  heldBy(holder: string): string[];
  holders(): string[];
  /**
   * The conversation whose draft or running turn this is: for ids of 0.1.0 and of early builds of 0.2.0,
   * which do not name it.
   */
  ofTurn(turnId: string): string | undefined;
  /** Conversations with something staged and no wake-up until `latestAtMs`, from `cursor` on. */
  orphans(cursor: string, max: number, latestAtMs: number): { ids: string[]; next: string };
  locks(page: Page): Listing<LockRecord>;
}

/** What was said, and how each turn went. */
export interface HistoryTable {
  append(turn: TurnRecord, messages: readonly HistoryMessage[]): void;
  messages(conversationId: string, messagesMax: number, bytesMax: number): HistoryMessage[];
  /** The same latest messages, if all of them together weigh no more than `bytesMax`. */
  shortMessages(conversationId: string, messagesMax: number, bytesMax: number): HistoryMessage[] | undefined;
  turns(conversationId: string, max: number, bytesMax: number): TurnRecord[];
  /** What the latest of its turns and of its dead letters sent; without a limit, all of them. */
  sent(conversationId: string, turnsMax?: number): Sent[];
}

export interface RefusalTable {
  put(refusal: Refusal): void;
  latest(conversationId: string, max: number, bytesMax: number): Refusal[];
  list(page: Page): Listing<Refusal>;
}

export interface DeadLetterTable {
  put(letter: StoredDeadLetter): void;
  get(id: string): StoredDeadLetter | undefined;
  delete(id: string): void;
  of(conversationId: string): StoredDeadLetter[];
  latest(conversationId: string, max: number, bytesMax: number): StoredDeadLetter[];
  list(page: Page): Listing<StoredDeadLetter>;
}

export interface UnknownSendTable {
  put(unknown: UnknownSend): void;
  get(id: string): UnknownSend | undefined;
  delete(id: string): void;
  latest(conversationId: string, max: number, bytesMax: number): UnknownSend[];
  list(page: Page): Listing<UnknownSend>;
}

export type WatchedCounts = Pick<Counts, "staged" | "dead" | "unknown" | "quarantined">;

/** What was set for projects while the service ran. */
export interface ProjectTable {
  projectChange(project: string): ProjectChange | undefined;
  projectChanges(): ProjectChanges;
  setProjectChange(project: string, change: ProjectChange | undefined): void;
}

/** What concerns the whole store. */
export interface MetaTable extends ProjectTable {
  /** Writes a row without meaning: a store that cannot is not ready. */
  ping(nowMs: number): void;
  isPaused(): boolean;
  setPaused(paused: boolean): void;
  /** A request was made at this time. */
  noteTime(nowMs: number): void;
  /** The latest time that a request or a sweep of any process noted. */
  clockNote(): ClockNote | undefined;
  setClockNote(note: ClockNote): void;
  /** For how long ids were remembered; undefined if an older version, which noted nothing, made the store. */
  memories(): Memories | undefined;
  setMemories(memories: Memories): void;
  /** Which channel was whose when a process looked last. */
  arrangement(): string | undefined;
  setArrangement(arrangement: string): void;
  counts(): Counts;
  /** Those of them that alarms are about: what waits, and nothing that grows with what is kept. */
  watched(): WatchedCounts;
}

/** Foreign rows that were set aside. */
export interface QuarantineTable {
  /** Reads these rows again, and sets those aside that do not fit. */
  add(rows: readonly StrayRow[]): void;
  discard(id: string): boolean;
  list(page: Page): Listing<QuarantinedRow>;
}

/** The rows of one kind that are kept of a person: how they are read, and how they are removed. */
export interface KeptRows {
  /** A page of those of a conversation, in the order in which they were stored. */
  of(conversationId: string, page: Page): Listing<object>;
  /** Removes at most `max` of a conversation's. How many it were. */
  removeOf(conversationId: string, max: number): number;
}

/** Kinds that have rows of their own. Names are kept by name, and of what was sent only hashes are kept. */
export type StoredKind = Exclude<KeptKind, "name" | "sent">;

/** What has no index by person, and is looked through. */
export interface PeopleTable {
  /** Addresses of ours at which people are known, each with its type of channel. */
  addresses(): Pick<ConversationKey, "channelType" | "address">[];
  /**
   * Messages that one of these names wrote, and that wait or are dead letters where there is no conversation:
   * a bounded look.
   */
  strays(names: readonly string[], page: Page): Listing<StagedRow>;
  /** Refusals, and rows that were set aside, that name one of these people: a bounded look. */
  named(kind: NamedKind, names: readonly string[], page: Page): Listing<object>;
}

export type NamedKind = Extract<StoredKind, "refusal" | "quarantined">;

/** What concerns several tables. */
export interface Removal {
  /** Notes that a person was erased: bytes of it may be left in a file. */
  noteErased(): void;
  /**
   * Removes what names a person and belongs to no conversation: refusals, quarantined rows. If only some
   * channels' are to go, quarantined rows stay unless they are asked for: they do not say whose they are.
   */
  named(names: readonly string[], isErasedOn?: IsErasedOn, isAsideToo?: boolean): void;
  /** Why bytes of erased data may be left in a file. Undefined if none are. */
  tracesLeft(): string | undefined;
  /** Removes expired rows, oldest first, at most `max` in all. */
  expire(past: PastTimes, max: number): Expired;
}

/**
 * What the steps of an embedded engine work on: synchronous reads and writes inside one transaction.
 * Two stores offer it, a SQLite file and plain maps; the steps are written once.
 */
export interface Tables extends PersonalTables {
  readonly conversations: ConversationTable;
  readonly names: NameTable;
  readonly staged: StagedTable;
  readonly remembered: RememberedTable;
  readonly states: StateTable;
  readonly history: HistoryTable;
  readonly refusals: RefusalTable;
  readonly deadLetters: DeadLetterTable;
  readonly unknownSends: UnknownSendTable;
  readonly meta: MetaTable;
  readonly quarantine: QuarantineTable;
  readonly removal: Removal;
}

/** What is kept of people, by kinds. */
export interface PersonalTables {
  /** Every kind of what is kept of a person: what an export reads, and what an erasure removes. */
  readonly kept: Readonly<Record<StoredKind, KeptRows>>;
  readonly people: PeopleTable;
}
