import type { FeedTurn } from "../../src/http/feed-shape.ts";
import { cut, plural, seconds } from "../shared/wording.ts";
import type { KnownFeed } from "./known-feed.ts";
import type { LogEntry } from "./message-log.ts";

/** In the order of what happened in the same millisecond: a window opens with the message that was staged. */
const KINDS = ["staged", "window", "taken", "committed", "trouble"] as const;
const EVENTS_MAX = 80;
const QUOTE_LENGTH_MAX = 60;
/** Outcomes without a reply that are no trouble. */
const QUIET_OUTCOMES = ["no-reply", "queued", "handed-off"];

export interface PanelEvent {
  readonly key: string;
  readonly at: number;
  readonly kind: (typeof KINDS)[number];
  readonly what: string;
  readonly detail?: string;
  /** Counts down: its detail is made when it is drawn. */
  readonly live?: true;
}
export interface PanelRow extends PanelEvent {
  readonly detail: string;
}

type Told = Pick<KnownFeed, "conversation" | "turns"> &
  Partial<Pick<KnownFeed, "opened" | "answeringSinceAtMs" | "dueAtMs">>;

/** What the panel shows, newest first. */
export function panelRows(log: readonly LogEntry[], feeds: readonly Told[], nowMs: number): PanelRow[] {
  const events = eventsOf(log, feeds).slice(-EVENTS_MAX).reverse();
  return events.map((event) => ({ ...event, detail: detailOf(event, feeds, nowMs) }));
}

/** What was written down and when, oldest first. */
export function eventsOf(log: readonly LogEntry[], feeds: readonly Told[]): PanelEvent[] {
  const own = log.filter(({ state }) => state !== "waiting").map(messageEvent);
  const events = [...own, ...feeds.flatMap(feedEvents)];
  return events.sort((a, b) => a.at - b.at || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

export function tallyOf(feeds: readonly Told[]): string {
  const turns = feeds.flatMap((feed) => feed.turns);
  const messages = turns.reduce((sum, { message_ids }) => sum + message_ids.length, 0);
  const replies = turns.filter(({ outcome }) => outcome === "replied").length;
  if (messages === 0) return "";
  return `${plural(messages, "message")} in, ${replies} ${replies === 1 ? "reply" : "replies"} out`;
}

function messageEvent({ id, text, at, ackedAt, arrivedAt, state, why = "" }: LogEntry): PanelEvent {
  const place = { key: `m:${id}`, at: arrivedAt || ackedAt || at };
  if (state === "refused") return { ...place, kind: "trouble", what: "refused", detail: why };
  return { ...place, kind: "staged", what: "staged", detail: text };
}

function feedEvents({ conversation, turns, opened, answeringSinceAtMs }: Told): PanelEvent[] {
  const events = turns.flatMap(turnEvents);
  if (opened)
    events.push({
      key: `w:${conversation}${opened.atMs}`,
      at: opened.atMs,
      kind: "window",
      what: "window opened",
      live: true,
    });
  if (answeringSinceAtMs)
    events.push({
      key: `a:${conversation}${answeringSinceAtMs}`,
      at: answeringSinceAtMs,
      kind: "taken",
      what: "turn taken",
      detail: "the responder is asked",
    });
  return events;
}

function turnEvents(turn: FeedTurn): PanelEvent[] {
  const { turn_id, attempts, outcome } = turn;
  const count = turn.message_ids.length;
  const openedAtMs = Date.parse(turn.opened_at);
  const committed: PanelEvent = {
    key: `c:${turn_id}`,
    at: Date.parse(turn.committed_at),
    kind: kindOf(outcome),
    what: "turn committed",
    detail: outcomeOf(outcome, count),
  };
  if (count === 0) return [committed];
  const tries = attempts > 1 ? `, attempt ${attempts}` : "";
  return [
    committed,
    {
      key: `t:${turn_id}`,
      at: Date.parse(turn.taken_at),
      kind: "taken",
      what: "turn taken",
      detail: `with ${plural(count, "message")}${tries}`,
    },
    {
      key: `o:${turn_id}`,
      at: openedAtMs,
      kind: "window",
      what: "window opened",
      detail: `due in ${seconds(Date.parse(turn.due_at) - openedAtMs)}`,
    },
  ];
}

function kindOf(outcome: string): PanelEvent["kind"] {
  if (outcome === "replied") return "committed";
  return QUIET_OUTCOMES.includes(outcome) ? "taken" : "trouble";
}

function outcomeOf(outcome: string, count: number): string {
  if (outcome !== "replied") return `${plural(count, "message")}, ${outcome}`;
  return count === 0 ? "1 message out" : `${plural(count, "message")}, 1 reply`;
}

function detailOf(event: PanelEvent, feeds: readonly Told[], nowMs: number): string {
  if (event.live) return dueIn(feeds.at(-1), nowMs);
  const { detail = "" } = event;
  return event.kind === "staged" ? `“${cut(detail.replace(/\s+/g, " "), QUOTE_LENGTH_MAX)}”` : detail;
}

function dueIn(feed: Told | undefined, nowMs: number): string {
  const leftMs = (feed?.dueAtMs ?? 0) - nowMs;
  return leftMs > 0 ? `due in ${Math.ceil(leftMs / 1000)} s` : "due now";
}
