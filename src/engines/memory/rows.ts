import type { Memories } from "../../core/memory.ts";
import type { ConversationState } from "../../core/state.ts";
import type { HistoryMessage } from "../../model/history.ts";
import type { NameRecord } from "../../model/names.ts";
import type { ProjectChange } from "../../model/project.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { StagedRow } from "../../model/staged.ts";
import type { TurnRecord } from "../../model/turn.ts";
import type { UnknownSend } from "../../model/unknown-send.ts";
import type { Listing, Page } from "../../ports/inspector.ts";
import type { ClockNote, StoredDeadLetter } from "../embedded/tables.ts";
import { Registry } from "./registry.ts";

/** What the tables are made of. Nothing survives the process. */
export class MemoryRows {
  readonly conversations = new Registry();
  readonly names = new Map<string, NameRecord>();
  readonly staged = new Map<string, Map<string, StagedRow>>();
  readonly remembered = new Map<string, number>();
  readonly states = new Map<string, ConversationState>();
  readonly messages = new Map<string, HistoryMessage[]>();
  readonly turns = new Map<string, TurnRecord[]>();
  readonly dead = new Map<string, StoredDeadLetter>();
  readonly unknown = new Map<string, UnknownSend>();
  refusals: Refusal[] = [];
  sequence = 0;
  paused = false;
  readonly projects = new Map<string, ProjectChange>();
  clockNote: ClockNote | undefined;
  memories: Memories = new Map();
  arrangement: string | undefined;

  /** All of it as it is now, for `become`: what a power cut in a simulation goes back to. */
  copy(): MemoryRows {
    const copy = new MemoryRows();
    copy.become(this);
    return copy;
  }

  become(other: MemoryRows): void {
    this.conversations.clear();
    for (const each of other.conversations.newestFirst().reverse()) this.conversations.put(each);
    refill(this.names, other.names);
    refill(this.staged, other.staged, (rows) => new Map(rows));
    refill(this.remembered, other.remembered);
    refill(this.states, other.states);
    refill(this.messages, other.messages, (messages) => [...messages]);
    refill(this.turns, other.turns, (turns) => [...turns]);
    refill(this.dead, other.dead);
    refill(this.unknown, other.unknown);
    this.refusals = [...other.refusals];
    this.sequence = other.sequence;
    this.paused = other.paused;
    refill(this.projects, other.projects);
    this.clockNote = other.clockNote;
    this.memories = other.memories;
    this.arrangement = other.arrangement;
  }

  stagedIn(id: string): StagedRow[] {
    return [...(this.staged.get(id)?.values() ?? [])];
  }

  turnsOf(id: string): TurnRecord[] {
    return this.turns.get(id) ?? [];
  }

  lettersOf(id: string): StoredDeadLetter[] {
    return [...this.dead.values()].filter(({ conversationId }) => conversationId === id);
  }
}

function refill<T>(map: Map<string, T>, from: ReadonlyMap<string, T>, copied = (value: T) => value): void {
  map.clear();
  for (const [key, value] of from) map.set(key, copied(value));
}

/** Empty if `max` is 0. */
export function lastOf<T>(all: readonly T[], max: number): T[] {
  return all.slice(Math.max(0, all.length - max));
}

export function paged<T>(items: readonly T[], { limit, cursor }: Page): Listing<T> {
  const from = Number(cursor ?? 0);
  const next = from + limit < items.length ? { next: String(from + limit) } : {};
  return { items: items.slice(from, from + limit), ...next };
}
