import { mayBring } from "../../core/own-addresses.ts";
import type { Channel } from "../../ports/channel.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MovedMessage, SeedItem, SeedRows } from "../../ports/seed-tables.ts";
import { inLanes } from "../in-lanes.ts";
import { arrivalFrom } from "../parsed-arrival.ts";
import { seedInstant } from "../seed-time.ts";
import { type SeedMessage, seedLock, seedMessage } from "./rows.ts";
import { addressIn, type Otherwise, webhookOf } from "./webhook.ts";

/** Conversations moved side by side. */
const WIDTH = 16;

export interface AwsMove extends Pick<Otherwise, "address"> {
  /** Whose account a message of this channel came through, where its row does not say. */
  readonly accountFor: (channel: string) => string | undefined;
  readonly tables: SeedRows;
  readonly channels: Readonly<Record<string, Channel>>;
  /** The channel that was named; otherwise the conversation's own row tells its type. */
  readonly channel: string | undefined;
  readonly clock: Clock;
  /** Whether anything is written. */
  readonly isApplied: boolean;
  /** What is younger is the original system's, which may be at work on it. 0: it does not run any more. */
  readonly olderThanMs: number;
  readonly onProgress: (words: string) => void;
}

export interface LeftRow {
  readonly table: string;
  readonly conversationId: string;
  /** Of a message, where its row says so. */
  readonly messageSid?: string;
  readonly why: string;
}

/** What became of all of it, or would. What was found is the sum of the others and of what is left. */
export interface AwsMoved {
  readonly messages: { found: number; moved: number; duplicates: number; gone: number; young: number };
  readonly locks: { found: number; removed: number; standing: number };
  readonly conversations: {
    found: number;
    threads: number;
    stuck: number;
    rested: number;
    young: number;
    /** A worker of ours has it. */
    busy: number;
  };
  readonly left: LeftRow[];
}

/**
 * Locks first: a window of ours takes the place of one, which would then not be counted. Messages before
 * statuses, so that each conversation's follows from its own turn.
 */
export async function moveTables(move: AwsMove): Promise<AwsMoved> {
  const moved: AwsMoved = {
    messages: { found: 0, moved: 0, duplicates: 0, gone: 0, young: 0 },
    locks: { found: 0, removed: 0, standing: 0 },
    conversations: { found: 0, threads: 0, stuck: 0, rested: 0, young: 0, busy: 0 },
    left: [],
  };
  /** Conversations in which the original system was seen a moment ago. */
  const alive = new Set<string>();
  for (const table of ["triggerLock", "batchState"] as const) await removeLocks(move, table, moved, alive);
  for (const table of ["stage", "holding"] as const) await moveMessages(move, table, moved, alive);
  await putToRest(move, moved, alive);
  return moved;
}

interface ReadMessage {
  readonly message: SeedMessage;
  readonly item: SeedItem;
}

async function moveMessages(
  move: AwsMove,
  table: "stage" | "holding",
  moved: AwsMoved,
  alive: Set<string>,
): Promise<void> {
  const { messages, left } = moved;
  for await (const items of wholeConversations(move.tables.rows(table))) {
    const read: ReadMessage[] = [];
    for (const item of items) {
      messages.found += 1;
      const message = seedMessage(item);
      if (message.kind === "message") read.push({ message, item });
      else left.push({ table, ...namesOf(item), why: message.why });
    }
    const groups = Map.groupBy(read, ({ message }) => message.conversationId);
    await inLanes(groups, WIDTH, async ([id, group]) => {
      if (isYoung(move, group)) {
        alive.add(id);
        messages.young += group.length;
      } else await moveGroup(move, table, { id, group }, moved);
      move.onProgress(`${messages.found} staged rows read, ${messages.moved} moved`);
    });
  }
}

/**
 * A page may end in the middle of a conversation, whose rows lie side by side: its part waits for the rest,
 * since one young message keeps all of them.
 */
async function* wholeConversations(
  pages: AsyncIterable<readonly SeedItem[]>,
): AsyncGenerator<readonly SeedItem[]> {
  let held: readonly SeedItem[] = [];
  for await (const page of pages) {
    const items = [...held, ...page];
    const last = items.at(-1)?.conversation_id;
    const from = items.findLastIndex(({ conversation_id }) => conversation_id !== last) + 1;
    if (from > 0) yield items.slice(0, from);
    held = items.slice(from);
  }
  yield held;
}

function namesOf({ conversation_id, message_sid }: SeedItem) {
  return {
    conversationId: String(conversation_id),
    ...(typeof message_sid === "string" && { messageSid: message_sid }),
  };
}

/** One whose time cannot be read may have come just now. */
function isYoung({ clock, olderThanMs }: AwsMove, group: readonly ReadMessage[]): boolean {
  const nowMs = clock.nowMs();
  return group.some(({ message }) => nowMs - (message.receivedAtMs ?? nowMs) < olderThanMs);
}

async function moveGroup(
  move: AwsMove,
  table: "stage" | "holding",
  { id, group }: { readonly id: string; readonly group: readonly ReadMessage[] },
  { messages, left }: AwsMoved,
): Promise<void> {
  const leave = (messageSid: string, why: string) =>
    void left.push({ table, conversationId: id, messageSid, why });
  const primary = group.find(({ message }) => message.primaryChannel !== undefined);
  const conversation = await move.tables.conversation(id, primary?.message.primaryChannel);
  if (!conversation) {
    for (const { message } of group) leave(message.messageSid, NO_ROW);
    return;
  }
  const ready: (MovedMessage & { readonly sid: string })[] = [];
  for (const [position, each] of inOrder(group).entries()) {
    const arrival = arrivalOf(move, conversation, each.message, position);
    const { messageSid: sid } = each.message;
    if (arrival.kind === "sound") ready.push({ arrival: arrival.value, table, item: each.item, sid });
    else leave(sid, arrival.why);
  }
  if (!move.isApplied) {
    messages.moved += ready.length;
    return;
  }
  const outcomes = await move.tables.move(conversation, ready);
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome === "moved") messages.moved += 1;
    else if (outcome === "duplicate") messages.duplicates += 1;
    else if (outcome === "gone") messages.gone += 1;
    else leave(ready[at]!.sid, LEFT_AS[outcome]);
  }
}

const NO_ROW = "there is no row of this conversation in the table of conversations";
const CHANGED = "it was changed meanwhile: run it again";
const LEFT_AS = {
  changed: CHANGED,
  "too-large": "it is too large",
  full: "as many wait in its conversation as may (limits.stagedMessagesMax): run it again once answered",
  blocked: "another row stands in its place",
};

/** As the original system merged them: by time, then by id. */
function inOrder(group: readonly ReadMessage[]): ReadMessage[] {
  return [...group].sort(
    ({ message: a }, { message: b }) =>
      (a.receivedAtMs ?? 0) - (b.receivedAtMs ?? 0) || (a.messageSid < b.messageSid ? -1 : 1),
  );
}

const NO_CHANNEL = "no configured channel is the one of its conversation: name one with --channel";

function arrivalOf(move: AwsMove, conversation: SeedItem, message: SeedMessage, position: number) {
  const { channels, clock } = move;
  const ours = message.form.To ?? addressIn(conversation) ?? move.address;
  const channel = channelOf(move, typeOf(conversation, message), ours);
  if (channel === undefined) return { kind: "foreign", why: NO_CHANNEL } as const;
  const { type, addresses = [] } = channels[channel]!;
  const address = move.address ?? (addresses.length === 1 ? addresses[0] : undefined);
  const account = move.accountFor(channel);
  if (message.form.AccountSid === undefined && account === undefined)
    return { kind: "foreign", why: NO_ACCOUNT } as const;
  const request = webhookOf(message, conversation, { type, account, address });
  const target = { channels, channel, nowMs: clock.nowMs() };
  return arrivalFrom(request, target, { position, sentAtMs: message.receivedAtMs });
}

const NO_ACCOUNT =
  "its account is not known: say it with --account, and with --channel where there are several";

function typeOf(conversation: SeedItem, { form, primaryChannel }: SeedMessage): string | undefined {
  const { channel_type, primary_channel } = conversation;
  if (typeof channel_type === "string" && channel_type !== "") return channel_type;
  const written = [form.From, primary_channel, primaryChannel];
  const prefixes = written.flatMap((each) => /^([a-z]+):/.exec(String(each ?? ""))?.[1] ?? []);
  return form.ChannelType ?? prefixes[0];
}

function channelOf(
  { channels, channel }: AwsMove,
  type: string | undefined,
  address: string | undefined,
): string | undefined {
  if (channel !== undefined)
    return address === undefined || mayBring(channels, channel, address) ? channel : undefined;
  const names = Object.keys(channels).filter(
    (name) =>
      (type === undefined || channels[name]!.type === type) &&
      (address === undefined || mayBring(channels, name, address)),
  );
  return names.length === 1 ? names[0] : undefined;
}

async function removeLocks(
  { tables, clock, isApplied, olderThanMs, onProgress }: AwsMove,
  table: "triggerLock" | "batchState",
  { locks, left }: AwsMoved,
  alive: Set<string>,
): Promise<void> {
  for await (const items of tables.rows(table)) {
    await inLanes(items, WIDTH, async (item) => {
      locks.found += 1;
      const lock = seedLock(item);
      if (lock.kind === "junk") {
        left.push({ table, conversationId: String(item.conversation_id), why: lock.why });
        return;
      }
      const isStale = olderThanMs === 0 || lock.expiresAtMs <= clock.nowMs();
      if (isStale && (!isApplied || (await tables.removeLock(table, item)))) locks.removed += 1;
      else {
        locks.standing += 1;
        alive.add(lock.conversationId);
      }
      onProgress(`${locks.found} locks read`);
    });
  }
}

/**
 * The row does not say when its status was written. Signs of life are its last change, what is staged for
 * it, and a lock that has not expired: all of them have to be old.
 */
async function putToRest(
  { tables, clock, isApplied, olderThanMs, onProgress }: AwsMove,
  { conversations: counts, left }: AwsMoved,
  alive: ReadonlySet<string>,
): Promise<void> {
  for await (const items of tables.rows("conversations")) {
    await inLanes(items, WIDTH, async (item) => {
      counts.found += 1;
      if (typeof item.openai_thread_id === "string" && item.openai_thread_id !== "") counts.threads += 1;
      onProgress(`${counts.found} conversations read`);
      if (item.conversation_status !== "processing_reply") return;
      counts.stuck += 1;
      const conversationId = String(item.conversation_id);
      const isRecent = clock.nowMs() - (seedInstant(item.updated_at) ?? 0) < olderThanMs;
      if (isRecent || alive.has(conversationId)) {
        counts.young += 1;
        return;
      }
      const outcome = isApplied ? await tables.putToRest(item) : "rested";
      if (outcome === "rested") counts.rested += 1;
      else if (outcome === "busy") counts.busy += 1;
      else left.push({ table: "conversations", conversationId, why: CHANGED });
    });
  }
}
