import type { ConversationState } from "../../core/state.ts";
import type { Conversation, ConversationKey } from "../../model/conversation.ts";
import type { HistoryMessage } from "../../model/history.ts";
import type { NameRecord } from "../../model/names.ts";
import type { ProjectChange } from "../../model/project.ts";
import type { StagedRow } from "../../model/staged.ts";
import type { PileEnd } from "../embedded/tables.ts";

/** Conversations of which rows are kept. */
const CONVERSATIONS_MAX = 4_096;

/** Characters of all the rows of one kind that are kept, however few their conversations are. */
const LENGTH_MAX = 8_000_000;

/** Characters of a row that is kept, and of its key. A longer one is rare, and is read each time. */
const KEPT_LENGTH_MAX = 4_000;
const KEY_LENGTH_MAX = 400;

/** A row by its number, newer ones have larger ones, and its conversation. */
export interface NumberedId {
  readonly number: number;
  readonly id: string;
}

/** Messages, their bytes as they are stored, and for how many it was read: projects may differ in that. */
export interface KnownHistory {
  readonly messages: readonly HistoryMessage[];
  readonly bytes: number;
  readonly messagesMax: number;
}

/** By what a name is found: it may hold any character but this one. */
export function nameKey(
  { channelType, address }: Pick<ConversationKey, "channelType" | "address">,
  name: string,
): string {
  return `${channelType}\0${address}\0${name}`;
}

/**
 * Rows as this connection last read or wrote them. The steps of a turn follow each other, and without it each
 * would read, parse and check what the one before it wrote: half of the writer's time for a message. A row is
 * kept only as long as it is certain: while nothing is rolled back, no other connection commits, and nothing
 * is written past the tables.
 */
export class RowCache {
  readonly states = new Recent<ConversationState | undefined>();
  readonly conversations = new Recent<Conversation | undefined>();
  /** Of the active conversations under a name at an address. */
  readonly active = new Recent<readonly NumberedId[]>();
  readonly names = new Recent<NameRecord | undefined>();
  readonly pileEnds = new Recent<PileEnd>();
  /** Small piles, whole. */
  readonly piles = new Recent<readonly StagedRow[]>();
  /** What was said in a conversation, the latest of it. */
  readonly histories = new Recent<KnownHistory>();
  /** Conversations without a dead letter. */
  readonly letterless = new Recent<true>();
  readonly isPaused = new Recent<boolean>();
  readonly projects = new Recent<ProjectChange | undefined>();
  /** The latest time that this process noted: stored with every sweep, not with every request. */
  latestAtMs = 0;
  readonly #version: () => unknown;
  #known: unknown;
  #committedLatestAtMs = 0;

  /** `version`: of the file. It is another one if another connection has committed since. */
  constructor(version: () => unknown) {
    this.#version = version;
  }

  /** Called first in every transaction: the file stays as it is for as long as that takes. */
  refresh(): void {
    const version = this.#version();
    if (version !== this.#known) this.clear();
    this.#known = version;
  }

  /** What was written in this transaction stays. */
  committed(): void {
    this.#committedLatestAtMs = this.latestAtMs;
  }

  /** It is no longer so. */
  undo(): void {
    this.clear();
    this.latestAtMs = this.#committedLatestAtMs;
  }

  clear(): void {
    this.states.clear();
    this.conversations.clear();
    this.active.clear();
    this.names.clear();
    this.pileEnds.clear();
    this.piles.clear();
    this.histories.clear();
    this.letterless.clear();
    this.isPaused.clear();
    this.projects.clear();
  }
}

interface Kept<V> {
  readonly value: V;
  /** Characters of its row, and of its key. */
  readonly length: number;
}

/**
 * The latest values by key, in two generations: once the younger one is full it becomes the elder, and the
 * elder goes. To find the oldest of one map takes a walk over all that has gone before it.
 */
export class Recent<V> {
  readonly #youngMax: number;
  readonly #youngLengthMax: number;
  #young = new Map<string, Kept<V>>();
  #elder = new Map<string, Kept<V>>();
  #youngLength = 0;

  constructor(max = CONVERSATIONS_MAX, lengthMax = LENGTH_MAX) {
    this.#youngMax = max / 2;
    this.#youngLengthMax = lengthMax / 2;
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#elder.has(key);
  }

  get(key: string): V | undefined {
    return this.#find(key)?.value;
  }

  /** Undefined may be what is known: there is no such row. */
  getOr(key: string, read: () => V): V {
    const known = this.#find(key);
    if (known) return known.value;
    const value = read();
    this.put(key, value);
    return value;
  }

  /** If it is not too long: an unknown one is read again. */
  keep(key: string, value: V, length: number): void {
    if (length > KEPT_LENGTH_MAX) this.delete(key);
    else this.put(key, value, length);
  }

  put(key: string, value: V, length = 0): void {
    if (key.length > KEY_LENGTH_MAX) return;
    this.#keepYoung(key, { value, length: key.length + length });
  }

  delete(key: string): void {
    this.#youngLength -= this.#young.get(key)?.length ?? 0;
    this.#young.delete(key);
    this.#elder.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#elder.clear();
    this.#youngLength = 0;
  }

  /** What is asked for is young again. */
  #find(key: string): Kept<V> | undefined {
    const young = this.#young.get(key);
    if (young) return young;
    const elder = this.#elder.get(key);
    if (elder) this.#keepYoung(key, elder);
    return elder;
  }

  #keepYoung(key: string, kept: Kept<V>): void {
    this.#youngLength += kept.length - (this.#young.get(key)?.length ?? 0);
    this.#young.set(key, kept);
    if (this.#young.size < this.#youngMax && this.#youngLength < this.#youngLengthMax) return;
    this.#elder = this.#young;
    this.#young = new Map();
    this.#youngLength = 0;
  }
}
