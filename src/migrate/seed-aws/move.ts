import { foreignAddressIn, mayBring } from "../../core/own-addresses.ts";
import { type SeedMessage, seedLock, seedMessage } from "../../core/seed-rows.ts";
import { seedInstant } from "../../core/seed-time.ts";
import type { Channel } from "../../ports/channel.ts";
import type { SeedItem, SeedRows } from "../../ports/seed-tables.ts";
import { inParallel } from "../../wire/in-parallel.ts";
import { type AgeLimit, countOld, isTooOld, type OldMessages, TOO_OLD } from "../old-messages.ts";
import { arrivalFrom } from "../parsed-arrival.ts";
import { type Ages, type Alive, findYoung, isLeft, isYoung } from "./ages.ts";
import { type Otherwise, webhookOf } from "./webhook.ts";

/** Conversations moved side by side. */
const WIDTH = 16;

export interface AwsMove extends Pick<Otherwise, "address">, Ages, AgeLimit {
  /** Whose account a message of this channel came through, where its row does not say. */
  readonly accountFor: (channel: string) => string | undefined;
  readonly tables: SeedRows;
  readonly channels: Readonly<Record<string, Channel>>;
  /** The channel that was named; otherwise the conversation's own row tells its type. */
  readonly channel: string | undefined;
  /** Whether anything is written. */
  readonly isApplied: boolean;
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
  /** Of the messages that would be moved. */
  readonly old: OldMessages;
}

/**
 * Locks first: a window of ours takes the place of one, which would then not be counted. All ages before the
 * first message is moved: what keeps a conversation may stand in the other table, or in its last page.
 * Messages before statuses, so that each conversation's follows from its own turn.
 */
export async function moveTables(move: AwsMove): Promise<AwsMoved> {
  const moved: AwsMoved = {
    messages: { found: 0, moved: 0, duplicates: 0, gone: 0, young: 0 },
    locks: { found: 0, removed: 0, standing: 0 },
    conversations: { found: 0, threads: 0, stuck: 0, rested: 0, young: 0, busy: 0 },
    left: [],
    old: { count: 0 },
  };
  const alive = new Set<string>();
  for (const table of ["triggerLock", "batchState"] as const) await removeLocks(move, table, moved, alive);
  for (const table of ["stage", "holding"] as const) await findYoung(move, move.tables.rows(table), alive);
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
  alive: Alive,
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
    await inParallel(groups, WIDTH, async ([id, group]) => {
      // Also what came in since the ages were read.
      if (group.some(({ message }) => isYoung(move, message.receivedAtMs))) alive.add(id);
      if (isLeft(move, alive, id)) messages.young += group.length;
      else await moveGroup(move, table, { id, group }, moved, alive);
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

async function moveGroup(
  move: AwsMove,
  table: "stage" | "holding",
  { id, group }: { readonly id: string; readonly group: readonly ReadMessage[] },
  { messages, left, old }: AwsMoved,
  alive: Alive,
): Promise<void> {
  const leave = (messageSid: string, why: string) =>
    void left.push({ table, conversationId: id, messageSid, why });
  const primary = group.find(({ message }) => message.primaryChannel !== undefined);
  const conversation = await move.tables.conversation(id, primary?.message.primaryChannel);
  if (conversation === undefined || conversation === "no-index") {
    const why = conversation === undefined ? NO_ROW : NO_INDEX;
    for (const { message } of group) leave(message.messageSid, why);
    return;
  }
  // Its owner need not note when it took it: it may have read these messages, and answer them.
  if (conversation.conversation_status === PROCESSING) alive.add(id);
  if (isLeft(move, alive, id)) {
    messages.young += group.length;
    return;
  }
  const ready = inOrder(group).flatMap(({ message, item }, position) => {
    const { messageSid: sid, receivedAtMs } = message;
    const arrival = isTooOld(move, receivedAtMs) ? TOO_OLD : arrivalOf(move, conversation, message, position);
    if (arrival.kind === "sound") return [{ arrival: arrival.value, table, item, sid }];
    leave(sid, arrival.why);
    return [];
  });
  if (!move.isApplied) {
    messages.moved += ready.length;
    for (const { arrival } of ready) countOld(old, move, arrival.sentAtMs);
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

/** What the original system takes for its lock. */
const PROCESSING = "processing_reply";

const NO_ROW = "there is no row of this conversation in the table of conversations";
const NO_INDEX =
  "its conversation cannot be looked up before the index by-conversation-id of the table of conversations " +
  "is there, and what else is missing";
const CHANGED = "it was changed meanwhile: run it again";
const LEFT_AS = {
  changed: CHANGED,
  "too-large": "it is too large, or a name in it is",
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
  const ours = message.form.To ?? foreignAddressIn(conversation) ?? move.address;
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
  alive: Alive,
): Promise<void> {
  for await (const items of tables.rows(table)) {
    await inParallel(items, WIDTH, async (item) => {
      locks.found += 1;
      const lock = seedLock(item);
      if (lock.kind === "junk") {
        const conversationId = String(item.conversation_id);
        left.push({ table, conversationId, why: lock.why });
        alive.add(conversationId);
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
  move: AwsMove,
  { conversations: counts, left }: AwsMoved,
  alive: Alive,
): Promise<void> {
  const { tables, isApplied, onProgress } = move;
  for await (const items of tables.rows("conversations")) {
    await inParallel(items, WIDTH, async (item) => {
      counts.found += 1;
      if (typeof item.openai_thread_id === "string" && item.openai_thread_id !== "") counts.threads += 1;
      onProgress(`${counts.found} conversations read`);
      if (item.conversation_status !== PROCESSING) return;
      counts.stuck += 1;
      const conversationId = String(item.conversation_id);
      const isRecent = isYoung(move, seedInstant(item.updated_at));
      if (isRecent || isLeft(move, alive, conversationId)) {
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
