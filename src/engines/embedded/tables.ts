import type { Pile } from "../../core/pile.ts";
import type { ConversationState } from "../../core/state.ts";
import type { Span, StagedItem } from "../../core/take.ts";
import type { Conversation, ConversationKey } from "../../model/conversation.ts";
import type { DeadLetter } from "../../model/dead-letter.ts";
import type { HistoryMessage } from "../../model/history.ts";
import type { DeliveryStatus, StagedMessage } from "../../model/message.ts";
import type { NameRecord, NameRecords } from "../../model/names.ts";
import type { StagedOutbound } from "../../model/outbound.ts";
import type { Refusal } from "../../model/refusal.ts";
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

/** Something staged: a message, or an outbound that waits for its turn. */
export type StagedRow =
  | {
      readonly kind: "message";
      readonly id: string;
      readonly conversationId: string;
      readonly message: StagedMessage;
      readonly bytes: number;
    }
  | {
      readonly kind: "outbound";
      readonly id: string;
      readonly conversationId: string;
      readonly outbound: StagedOutbound;
      readonly sequence: number;
      readonly bytes: number;
    };

/** The messages that wait, without their words. */
export interface StagedSpan extends Span {
  readonly messages: number;
  /** The channel of the one that was staged last. */
  readonly newestChannel: string | undefined;
}

export interface StoredDeadLetter extends Omit<DeadLetter, "messages"> {
  readonly rows: readonly StagedRow[];
}

/** How late it has been, and when a sweep found that the clock had been set back, until it was looked at once more. */
export interface ClockMark {
  readonly latestAtMs: number;
  readonly setBackAtMs?: number;
  /** The time of the latest sweep by which things went that were past their time. */
  readonly expiredAtMs?: number;
}

/** A row that is not ours, found where it could not be set aside. */
export interface StrayRow {
  readonly table: string;
  readonly number: number;
}

/** What is older than these goes. */
export interface PastTimes {
  /** Remembered ids say themselves until when. */
  readonly nowMs: number;
  /** Messages and turns; 0 keeps all. */
  readonly keepAfterMs: number;
  readonly deliveriesAfterMs: number;
  readonly refusalsAfterMs: number;
  /** Of refusals the latest so many stay, however young: strangers cause them. */
  readonly refusalsMax: number;
}

export interface Expired {
  readonly rows: number;
  /** The limit was reached: there may be more. */
  readonly isCut: boolean;
}

export type Fate = "committed" | "dead";

/**
 * What the steps of an embedded engine stand on: synchronous reads and writes inside one transaction.
 * Two stores offer it, a SQLite file and plain maps; the steps themselves are written once.
 */
export interface Tables {
  // conversations
  conversation(id: string): Conversation | undefined;
  /** Those of the address under any of these names, own or learnt, whose task is not complete, newest first. */
  activeConversations(key: ConversationKey, names: readonly string[]): Conversation[];
  /** The latest one of exactly this key, complete or not. */
  latestConversationId(key: ConversationKey): string | undefined;
  putConversation(conversation: Conversation): void;
  /** What is kept of these names at the address; a name of which nothing is kept is not in it. */
  nameRecords(key: ConversationKey, names: readonly string[]): NameRecords;
  putNameRecord(key: ConversationKey, name: string, record: NameRecord | undefined): void;
  /** Every one of the address under any of these names, complete or not. */
  conversationsOf(key: ConversationKey, names: readonly string[]): Conversation[];
  /** Removes the record and every row that belongs to it. False when there was none. */
  eraseConversation(id: string): boolean;
  /** Removes what names somebody and belongs to no conversation: refusals of strangers, rows that were set aside. */
  eraseNamed(names: readonly string[]): void;
  /** Why bytes of what was erased may be left in a file. Undefined where none are. */
  tracesLeft(): string | undefined;

  // staged and remembered
  /** False when the id is staged already. */
  stage(row: StagedRow): boolean;
  /** All of it, in the order of staging: only where that is little, or has to be. */
  staged(conversationId: string): StagedRow[];
  /** Those of these ids that are staged here, in the order of staging. */
  stagedAs(conversationId: string, ids: readonly string[]): StagedRow[];
  /** The latest so many messages, and as many of them as fit, in the order of staging. */
  stagedLately(conversationId: string, messagesMax: number, bytesMax: number): StagedRow[];
  /** The outbound that was staged first. */
  firstOutbound(conversationId: string): StagedItem | undefined;
  /** The messages that a turn would take first, in the order of a batch, without reading them. */
  front(conversationId: string, messagesMax: number, how: Pick<Span, "byProvider">): StagedItem[];
  /** Of all messages, or of those that have none of these ids. Undefined where there is none. */
  span(conversationId: string, without?: readonly string[]): StagedSpan | undefined;
  stagedCount(conversationId: string): number;
  /** How much is staged, of every kind. */
  pile(conversationId: string): Pile;
  unstage(conversationId: string, ids: readonly string[]): void;
  /** What is known of an id: what became of it, else the conversation in which it is staged. */
  seenBefore(id: string): { readonly fate?: Fate; readonly stagedIn?: string };
  remember(messageIds: readonly string[], fate: Fate, untilAtMs: number): void;
  forget(messageIds: readonly string[]): void;

  // windows, leases, drafts
  state(conversationId: string): ConversationState | undefined;
  putState(conversationId: string, state: ConversationState | undefined): void;
  /** Every conversation that is not at rest. */
  restless(): string[];
  /** Conversations to be looked at by now, longest waiting first. While all is paused, only those with an outbound. */
  wakeable(nowMs: number, max: number): string[];
  /** Nobody looks before that, whatever its state says: something about it makes every look fail. */
  putOff(conversationId: string, untilAtMs: number): void;
  nextWakeAtMs(): number | undefined;
  heldBy(holder: string): string[];
  holders(): string[];
  /** Conversation whose draft or running turn this is. */
  conversationOfTurn(turnId: string): string | undefined;

  // what is kept
  appendMessages(conversationId: string, messages: readonly HistoryMessage[]): void;
  history(conversationId: string, messagesMax: number, bytesMax: number): HistoryMessage[];
  appendTurn(turn: TurnRecord): void;
  recentProviderIds(conversationId: string): string[];
  /** False when nothing of that id was ever sent, as far as is known: then it is not kept. */
  putDelivery(channel: string, status: DeliveryStatus, turnId: string | undefined, atMs: number): boolean;
  putRefusal(refusal: Refusal): void;
  putDead(letter: StoredDeadLetter): void;
  dead(id: string): StoredDeadLetter | undefined;
  deleteDead(id: string): void;
  lettersOf(conversationId: string): StoredDeadLetter[];
  putUnknown(unknown: UnknownSend): void;
  unknown(id: string): UnknownSend | undefined;
  deleteUnknown(id: string): void;
  /** Writes something that means nothing: a store that cannot is not ready. */
  ping(nowMs: number): void;
  isPaused(): boolean;
  setPaused(paused: boolean): void;

  // sweeping
  /** A request was made at this time. */
  noteTime(nowMs: number): void;
  /** The latest time that was noted here or at a sweep, whoever did it. */
  clockMark(): ClockMark | undefined;
  setClockMark(mark: ClockMark): void;
  /** Conversations with something staged and nobody to look at it until `latestAtMs`, from `cursor` on. */
  orphans(cursor: string, max: number, latestAtMs: number): { ids: string[]; next: string };
  /** Removes what is past its time, oldest first, up to `max` rows in all. */
  expire(past: PastTimes, max: number): Expired;

  // what is not ours
  /** Looks at these rows again, and sets those aside that do not fit. */
  setAside(rows: readonly StrayRow[]): void;
  discardQuarantined(id: string): boolean;

  // inspecting
  listConversations(filter: ConversationFilter): Listing<Conversation>;
  listTurns(conversationId: string, max: number, bytesMax: number): TurnRecord[];
  listRefusalsOf(conversationId: string, max: number, bytesMax: number): Refusal[];
  listLocks(page: Page): Listing<LockRecord>;
  listDead(page: Page): Listing<StoredDeadLetter>;
  listUnknown(page: Page): Listing<UnknownSend>;
  listRefusals(page: Page): Listing<Refusal>;
  listQuarantined(page: Page): Listing<QuarantinedRow>;
  counts(nowMs: number): Counts;
}
