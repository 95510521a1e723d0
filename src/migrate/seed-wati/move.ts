import { conversationKey } from "../../core/identity.ts";
import type { Conversation, ConversationKey } from "../../model/conversation.ts";
import type { Channel } from "../../ports/channel.ts";
import type { Engine } from "../../ports/engine.ts";
import { inParallel } from "../../wire/in-parallel.ts";
import { countOld, type OldMessages, TOO_OLD } from "../old-messages.ts";
import { arrivalFrom } from "../parsed-arrival.ts";
import type { IdentifiedMessage, SeedCustomer } from "./customers.ts";
import { type MovableRow, type Move, sortByAge, takeIn, UNCERTAIN } from "./take-in.ts";
import { webhookOf } from "./webhook.ts";

/** Customers moved side by side: they share the store's commits. */
const WIDTH = 32;

export interface WatiMove extends Omit<Move, "engine"> {
  /** Absent where the store is not there yet, and nothing may be made. */
  readonly engine: Engine | undefined;
  readonly channels: Readonly<Record<string, Channel>>;
  /** Our number that the customers wrote to. */
  readonly address: string;
  /** Whether anything is written. */
  readonly isApplied: boolean;
  readonly onProgress: (customers: number) => void;
}

export interface LeftMessage {
  readonly waId: string;
  /** As of the message. */
  readonly row: number;
  readonly conversationId?: string;
  readonly why: string;
}

/** What became of all of it, or would. */
export interface WatiMoved {
  created: number;
  known: number;
  staged: number;
  duplicates: number;
  /** Those that a conversation notes as moved. */
  readonly before: IdentifiedMessage[];
  readonly left: LeftMessage[];
  /** Of the messages that would be staged. */
  readonly old: OldMessages;
}

/** Each customer's conversation with its thread, then what is buffered: each gets its turn, and once. */
export async function moveCustomers(move: WatiMove, customers: readonly SeedCustomer[]): Promise<WatiMoved> {
  const moved: WatiMoved = {
    created: 0,
    known: 0,
    staged: 0,
    duplicates: 0,
    before: [],
    left: [],
    old: { count: 0 },
  };
  let count = 0;
  await inParallel(customers, WIDTH, async (customer) => {
    await moveCustomer(move, customer, moved);
    count += 1;
    move.onProgress(count);
  });
  moved.left.sort((a, b) => a.row - b.row);
  return moved;
}

async function moveCustomer(move: WatiMove, customer: SeedCustomer, moved: WatiMoved): Promise<void> {
  const { engine, isApplied } = move;
  const { waId, messages } = customer;
  const leave = (row: number, why: string, conversationId?: string) =>
    moved.left.push({ waId, row, ...(conversationId !== undefined && { conversationId }), why });
  const key = keyOf(move, waId);
  if (typeof key === "string") {
    for (const { row } of messages) leave(row, key);
    return;
  }
  const rows = movable(move, messages, leave);
  const latest = await latestOf(engine, key);
  const sorted = sortByAge(move, rows, latest);
  const before = new Set(sorted.before);
  moved.before.push(...messages.filter(({ id }) => before.has(id)));
  moved[latest ? "known" : "created"] += 1;
  if (!isApplied || !engine) {
    const why = new Map(sorted.uncertain.map((id) => [id, UNCERTAIN]));
    for (const id of sorted.old) why.set(id, TOO_OLD.why);
    const free = new Set(sorted.free);
    for (const { id, message } of rows) {
      if (why.has(id)) leave(message.row, why.get(id)!, latest?.id);
      if (free.has(id)) countOld(moved.old, move, message.atMs);
    }
    moved.staged += free.size;
    return;
  }
  const taken = await takeIn({ ...move, engine }, { key, customer, rows, latest });
  for (const { row, why } of taken.left) leave(row.message.row, why, taken.conversationId);
  moved.staged += taken.staged;
  // Also what another run has moved meanwhile.
  moved.duplicates += rows.length - before.size - taken.staged - taken.left.length;
}

/** The key of a customer's conversation, as the channel itself would make it. */
function keyOf(move: WatiMove, waId: string): ConversationKey | string {
  const place = { waId, timestamp: undefined };
  const sample = { kind: "buffered", place, type: "text", content: "-", caption: "", repliedTo: "" } as const;
  const read = arrivalOf(move, { ...sample, waId, atMs: undefined, id: "none", row: 0 }, 0);
  return read.kind === "sound" ? conversationKey(move.settings, read.value) : read.why;
}

/** What the channel cannot read is left, and is not among the rows that a conversation accounts for. */
function movable(
  move: WatiMove,
  messages: readonly IdentifiedMessage[],
  leave: (row: number, why: string) => void,
): MovableRow[] {
  return messages.flatMap((message, position) => {
    const read = arrivalOf(move, message, position);
    if (read.kind === "sound") return [{ id: message.id, atMs: message.atMs, message, arrival: read.value }];
    leave(message.row, read.why);
    return [];
  });
}

function arrivalOf(move: WatiMove, message: IdentifiedMessage, position: number) {
  const target = { channels: move.channels, channel: move.channel, nowMs: move.clock.nowMs() };
  const webhook = webhookOf(message, message.id, move.address);
  return arrivalFrom(webhook, target, { position, sentAtMs: message.atMs });
}

async function latestOf(engine: Engine | undefined, key: ConversationKey): Promise<Conversation | undefined> {
  const id = await engine?.inspector.latestId(key);
  return id === undefined ? undefined : engine?.conversations.get(id);
}
