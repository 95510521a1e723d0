import type { Feed, FeedMessage, FeedTurn } from "../../src/http/feed-shape.ts";
import type { LogEntry } from "./message-log.ts";

/** What stands in the chat, from top to bottom. */
export type Item = OwnBubble | ReplyBubble | Rule;
export type Tick = "clock" | "check" | "checks" | "alert" | "unanswered";

export interface OwnBubble {
  readonly key: string;
  readonly side: "out";
  readonly text: string;
  readonly at: number;
  readonly tick: Tick;
  readonly state: LogEntry["state"];
  readonly note: string;
}
export interface ReplyBubble {
  readonly key: string;
  readonly side: "in";
  readonly text: string;
  readonly at: number;
  readonly note: string;
}
/** A line across the chat. */
export interface Rule {
  readonly key: string;
  readonly rule: string;
  readonly at: number;
}

type Told = Pick<Feed, "conversation" | "messages" | "turns" | "waiting" | "unanswered" | "unknown">;

/**
 * Everything in its order: what is committed, then what waits. A message that was refused, or failed for
 * good, stays where it was said.
 */
export function timelineOf(log: readonly LogEntry[], feeds: readonly Told[]): Item[] {
  const items = feeds.flatMap((feed, index) => conversationItems(feed, log, index === 0));
  const shown = new Set(items.map(({ key }) => key));
  const unanswered = unansweredIds(feeds);
  for (const entry of log) {
    if (entry.turn || shown.has(entry.id)) continue;
    const isUnanswered = unanswered.has(entry.id);
    const bubble = isUnanswered ? unansweredBubble(entry) : ownBubble(entry);
    items.splice(placeOf(entry, isUnanswered, items), 0, bubble);
  }
  return [...items, ...waitingElsewhere(log, feeds)];
}

/** Those of messages that failed for good. */
export function unansweredIds(feeds: readonly Pick<Feed, "unanswered">[]): ReadonlySet<string> {
  return new Set(feeds.flatMap(({ unanswered }) => unanswered.flatMap(({ message_ids }) => message_ids)));
}

function conversationItems(feed: Told, log: readonly LogEntry[], isFirst: boolean): Item[] {
  const items = committedItems(feed, log);
  const [first] = items;
  if (isFirst || !first) return items;
  return [{ key: `rule:${feed.conversation}`, rule: "new conversation", at: first.at }, ...items];
}

function committedItems({ turns, messages, unknown }: Told, log: readonly LogEntry[]): Item[] {
  const byId = new Map(turns.map((turn) => [turn.turn_id, turn]));
  const shown = new Set<string>();
  const unsure = new Set(unknown.map(({ turn_id }) => turn_id));
  return messages.flatMap((message): Item[] => {
    const turn = byId.get(message.turn_id);
    if (message.role === "assistant") return [replyBubble(message, turn, unsure.has(message.turn_id))];
    const unseen = userBubbles(message, turn, log).filter(({ key }) => !shown.has(key));
    for (const { key } of unseen) shown.add(key);
    return unseen;
  });
}

/** A visitor's side of a turn: the log's bubbles, or else the merged text, cut up where that is certain. */
function userBubbles(
  message: FeedMessage,
  turn: FeedTurn | undefined,
  log: readonly LogEntry[],
): OwnBubble[] {
  const own = log.filter((entry) => entry.turn === message.turn_id);
  const count = turn ? turn.message_ids.length : own.length;
  if (own.length > 0 && own.length >= count) return own.map(ownBubble);
  const lines = message.text.split("\n");
  const texts = lines.length === count ? lines : [message.text];
  return texts.map((text, index) => ({
    key: `${message.turn_id}:user:${message.n}:${index}`,
    side: "out",
    text,
    at: Date.parse(message.at),
    tick: "checks",
    state: "acked",
    note: "",
  }));
}

function replyBubble(
  { turn_id, n, text, at }: FeedMessage,
  turn: FeedTurn | undefined,
  isUnsure: boolean,
): ReplyBubble {
  const count = turn?.message_ids.length ?? 0;
  const counted = count > 1 ? `1 answer to ${count} messages` : "";
  const note = isUnsure ? "may not have arrived" : counted;
  return { key: `${turn_id}:reply:${n}`, side: "in", text, at: Date.parse(at), note };
}

function ownBubble(entry: LogEntry): OwnBubble {
  const { id: key, text, state, why: note = "" } = entry;
  return { key, side: "out", text, at: entry.arrivedAt ?? entry.at, tick: tickOf(entry), state, note };
}

function unansweredBubble(entry: LogEntry): OwnBubble {
  return { ...ownBubble(entry), tick: "unanswered", note: "could not be answered" };
}

function tickOf({ state, turn }: LogEntry): Tick {
  if (state === "refused") return "alert";
  if (state === "waiting") return "clock";
  return turn ? "checks" : "check";
}

function placeOf({ state, at }: LogEntry, isUnanswered: boolean, items: readonly Item[]): number {
  const stays = state === "refused" || isUnanswered;
  const later = stays ? items.findIndex((item) => item.at > at) : -1;
  return later === -1 ? items.length : later;
}

/** What waits in the service and was not written here: on another device, or before this browser forgot. */
function waitingElsewhere(log: readonly LogEntry[], feeds: readonly Told[]): OwnBubble[] {
  const own = new Set(log.map(({ id }) => id));
  return feeds
    .flatMap(({ waiting }) => waiting)
    .filter(({ id }) => !own.has(id))
    .map(({ id, text, at }) => ownBubble({ id, text, at: Date.parse(at), state: "acked" }));
}
