import type { Feed, FeedMessage, FeedTurn } from "../../src/http/feed-shape.ts";
import type { LogEntry } from "./message-log.ts";

/** What stands in the chat, from top to bottom. */
export type Item = OwnBubble | ReplyBubble | Rule;
export type Tick = "clock" | "check" | "checks" | "alert";

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

type Told = Pick<Feed, "conversation" | "messages" | "turns" | "waiting">;

/** Everything in its order: what is committed, then what waits. A refused message stays where it was said. */
export function timelineOf(log: readonly LogEntry[], feeds: readonly Told[]): Item[] {
  const items = feeds.flatMap((feed, index) => conversationItems(feed, log, index === 0));
  const shown = new Set(items.map(({ key }) => key));
  for (const entry of log) {
    if (entry.turn || shown.has(entry.id)) continue;
    items.splice(placeOf(entry, items), 0, ownBubble(entry));
  }
  return [...items, ...waitingElsewhere(log, feeds)];
}

function conversationItems(feed: Told, log: readonly LogEntry[], isFirst: boolean): Item[] {
  const items = committedItems(feed, log);
  const [first] = items;
  if (isFirst || !first) return items;
  return [{ key: `rule:${feed.conversation}`, rule: "new conversation", at: first.at }, ...items];
}

function committedItems({ turns, messages }: Told, log: readonly LogEntry[]): Item[] {
  const byId = new Map(turns.map((turn) => [turn.turn_id, turn]));
  const shown = new Set<string>();
  return messages.flatMap((message): Item[] => {
    const turn = byId.get(message.turn_id);
    if (message.role === "assistant") return [replyBubble(message, turn)];
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

function replyBubble({ turn_id, n, text, at }: FeedMessage, turn: FeedTurn | undefined): ReplyBubble {
  const count = turn?.message_ids.length ?? 0;
  const note = count > 1 ? `1 answer to ${count} messages` : "";
  return { key: `${turn_id}:reply:${n}`, side: "in", text, at: Date.parse(at), note };
}

function ownBubble(entry: LogEntry): OwnBubble {
  const { id: key, text, at, state, why: note = "" } = entry;
  return { key, side: "out", text, at, tick: tickOf(entry), state, note };
}

function tickOf({ state, turn }: LogEntry): Tick {
  if (state === "refused") return "alert";
  if (state === "waiting") return "clock";
  return turn ? "checks" : "check";
}

function placeOf({ state, at }: LogEntry, items: readonly Item[]): number {
  const later = state === "refused" ? items.findIndex((item) => item.at > at) : -1;
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
