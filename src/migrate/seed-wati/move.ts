import { conversationKey } from "../../core/identity.ts";
import type { Conversation, ConversationKey } from "../../model/conversation.ts";
import type { Arrival } from "../../model/message.ts";
import type { Settings } from "../../model/settings.ts";
import type { Channel } from "../../ports/channel.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Engine } from "../../ports/engine.ts";
import { inLanes } from "../in-lanes.ts";
import { arrivalFrom } from "../parsed-arrival.ts";
import type { IdentifiedMessage, SeedCustomer } from "./customers.ts";
import { markOf, NO_MARK, type Sorted, sortRows, withMark } from "./mark.ts";
import { webhookOf } from "./webhook.ts";

/** Customers moved side by side: they share the store's commits. */
const WIDTH = 32;

export interface WatiMove {
  /** Absent where the store is not there yet, and nothing may be made. */
  readonly engine: Engine | undefined;
  readonly settings: Settings;
  readonly channels: Readonly<Record<string, Channel>>;
  readonly channel: string;
  readonly clock: Clock;
  /** Since when ids of messages are remembered. */
  readonly knownSinceMs: number;
  /** Whether anything is written. */
  readonly isApplied: boolean;
  /** Also what may have been answered before ids were remembered. */
  readonly beyondMemory: boolean;
  readonly onProgress: (customers: number) => void;
}

export interface LeftMessage {
  readonly waId: string;
  readonly conversationId?: string;
  readonly why: string;
}

/** What became of all of it, or would. */
export interface WatiMoved {
  created: number;
  known: number;
  staged: number;
  duplicates: number;
  before: number;
  readonly left: LeftMessage[];
}

/** Each customer's conversation with its thread, then what is buffered: each gets its turn, and once. */
export async function moveCustomers(move: WatiMove, customers: readonly SeedCustomer[]): Promise<WatiMoved> {
  const moved: WatiMoved = { created: 0, known: 0, staged: 0, duplicates: 0, before: 0, left: [] };
  let count = 0;
  await inLanes(customers, WIDTH, async (customer) => {
    await moveCustomer(move, customer, moved);
    count += 1;
    move.onProgress(count);
  });
  return moved;
}

async function moveCustomer(move: WatiMove, customer: SeedCustomer, moved: WatiMoved): Promise<void> {
  const key = keyOf(move, customer.waId);
  if (typeof key === "string") {
    for (const _ of customer.messages) moved.left.push({ waId: customer.waId, why: key });
    return;
  }
  const latest = await latestOf(move.engine, key);
  const sorted = sortRows(customer.messages, latest, move.beyondMemory ? 0 : move.knownSinceMs);
  moved.before += sorted.before.length;
  const left = (why: string) => moved.left.push({ waId: customer.waId, ...idOf(latest), why });
  for (const _ of sorted.uncertain) left(UNCERTAIN);
  if (latest) moved.known += 1;
  else moved.created += 1;
  if (!move.isApplied || !move.engine) {
    moved.staged += sorted.free.length;
    return;
  }
  const conversation = await conversationFor(move, move.engine, { key, customer, latest, sorted });
  const free = new Set(sorted.free);
  const messages = customer.messages.filter(({ id }) => free.has(id));
  if (messages.length > 0) await stageAll({ ...move, engine: move.engine }, conversation, messages, moved);
}

const UNCERTAIN =
  "it may have been answered before ids were remembered; --beyond-memory takes it in all the same";

function idOf(conversation: Conversation | undefined) {
  return conversation ? { conversationId: conversation.id } : {};
}

/** The key of a customer's conversation, as the channel itself would make it. */
function keyOf(move: WatiMove, waId: string): ConversationKey | string {
  const { settings } = move;
  const sample = { kind: "buffered", type: "text", content: "-", caption: "", repliedTo: "" } as const;
  const read = arrivalOf(move, { ...sample, waId, atMs: undefined, id: "none" }, 0);
  return read.kind === "sound" ? conversationKey(settings, read.value) : read.why;
}

function arrivalOf(move: WatiMove, message: IdentifiedMessage, position: number) {
  const target = { channels: move.channels, channel: move.channel, nowMs: move.clock.nowMs() };
  return arrivalFrom(webhookOf(message, message.id), target, { position, sentAtMs: message.atMs });
}

async function latestOf(engine: Engine | undefined, key: ConversationKey): Promise<Conversation | undefined> {
  const id = await engine?.inspector.latestId(key);
  return id === undefined ? undefined : engine?.conversations.get(id);
}

interface Making {
  readonly key: ConversationKey;
  readonly customer: SeedCustomer;
  readonly latest: Conversation | undefined;
  readonly sorted: Sorted;
}

/**
 * The conversation that takes the messages in, with the thread's ids and the note that they are being moved.
 * A thread alone opens no second conversation where one was completed since.
 */
async function conversationFor(
  { clock }: WatiMove,
  { conversations }: Engine,
  { key, customer, latest, sorted }: Making,
): Promise<Conversation> {
  const isUsable = latest !== undefined && (!latest.taskComplete || sorted.free.length === 0);
  const standing = isUsable ? latest : undefined;
  const before = markOf(latest) ?? NO_MARK;
  const given = { ...customer.attributes, ...standing?.attributes };
  const marked =
    sorted.free.length === 0
      ? given
      : withMark(given, { moved: before.moved, moving: sorted.free, atMs: clock.nowMs() });
  const made = standing ?? (await conversations.create({ ...key, attributes: marked })).conversation;
  const isThere = ([name, value]: [string, unknown]) =>
    JSON.stringify(made.attributes[name]) === JSON.stringify(value);
  if (Object.entries(marked).every(isThere)) return made;
  return (await conversations.change(made.id, { attributes: { ...made.attributes, ...marked } })) ?? made;
}

async function stageAll(
  move: WatiMove & { readonly engine: Engine },
  conversation: Conversation,
  messages: readonly IdentifiedMessage[],
  moved: WatiMoved,
): Promise<void> {
  const { engine, clock } = move;
  const left = (waId: string, why: string) => moved.left.push({ waId, conversationId: conversation.id, why });
  const arrivals: { readonly id: string; readonly arrival: Arrival }[] = [];
  for (const [at, message] of messages.entries()) {
    const read = arrivalOf(move, message, at);
    if (read.kind === "sound") arrivals.push({ id: message.id, arrival: read.value });
    else left(message.waId, read.why);
  }
  const outcomes = await engine.receiving.stage(arrivals.map(({ arrival }) => ({ arrival })));
  const done: string[] = [];
  for (const [at, outcome] of outcomes.entries()) {
    const { id, arrival } = arrivals[at]!;
    if (outcome.kind === "staged") moved.staged += 1;
    else if (outcome.kind === "duplicate") moved.duplicates += 1;
    else left(arrival.sender, outcome.kind === "refused" ? `refused: ${outcome.code}` : outcome.kind);
    if (outcome.kind === "staged" || outcome.kind === "duplicate") done.push(id);
  }
  const standing = (await engine.conversations.get(conversation.id)) ?? conversation;
  const mark = markOf(standing) ?? NO_MARK;
  const noted = { moved: [...mark.moved, ...done], moving: [], atMs: clock.nowMs() };
  await engine.conversations.change(conversation.id, { attributes: withMark(standing.attributes, noted) });
}
