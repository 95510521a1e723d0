import type { FeedTurn } from "../../src/http/feed-shape.ts";
import { cut, plural, seconds } from "../shared/wording.ts";
import type { KnownFeed } from "./known-feed.ts";
import type { LogEntry } from "./message-log.ts";
import { isGood, outcomeWords } from "./outcomes.ts";
import type { PastEvent } from "./past.ts";

/** In the order of what happened in the same millisecond: a window opens with the message that was saved. */
const KINDS = ["saved", "window", "asked", "done", "trouble"] as const;
const EVENTS_MAX = 80;
const QUOTE_LENGTH_MAX = 60;
const REASON_LENGTH_MAX = 240;
/** The page's own time of what the service tells later by its own is this near. */
const NEAR_MS = 300;

/** A row of the panel: what happened in a newcomer's words, and Lull's own word for it. */
export interface PanelEvent {
  readonly key: string;
  readonly at: number;
  readonly kind: (typeof KINDS)[number];
  readonly what: string;
  readonly detail: string;
  readonly term: string;
  /** Helps, typed into a terminal. */
  readonly command?: string;
}

type Told = Pick<KnownFeed, "conversation" | "turns" | "past" | "unanswered" | "unknown" | "failing"> &
  Partial<Pick<KnownFeed, "opened" | "dueAtMs" | "againAtMs" | "answeringSinceAtMs">>;

/** What the panel shows, newest first. */
export function panelRows(log: readonly LogEntry[], feeds: readonly Told[], nowMs: number): PanelEvent[] {
  const own = log.filter(({ state }) => state !== "waiting").map(messageEvent);
  const events = [...own, ...feeds.flatMap((feed) => feedEvents(feed, nowMs))];
  events.sort((a, b) => a.at - b.at || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
  return events.slice(-EVENTS_MAX).reverse();
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
  if (state === "refused")
    return { ...place, kind: "trouble", what: "message not accepted", detail: why, term: "refused" };
  const detail = `“${cut(text.replace(/\s+/g, " "), QUOTE_LENGTH_MAX)}”`;
  return { ...place, kind: "saved", what: "message saved", detail, term: "staged" };
}

function feedEvents(feed: Told, nowMs: number): PanelEvent[] {
  const { conversation, turns, past, answeringSinceAtMs } = feed;
  const remembered = past.filter((event) => !turns.some((turn) => tells(turn, event)));
  const events = [...turns.flatMap(turnEvents), ...remembered.map((event) => pastEvent(feed, event, nowMs))];
  // A turn that waits for its answer without a lease: only the page knows since when.
  const isKnown = past.some(({ kind, atMs }) => kind === "asked" && atMs === answeringSinceAtMs);
  if (answeringSinceAtMs && !isKnown) events.push(asked(`a:${answeringSinceAtMs}`, answeringSinceAtMs, ""));
  return events.map((event) => ({ ...event, key: `${conversation} ${event.key}` }));
}

/** What the record of a turn says itself need not be remembered. */
function tells(turn: FeedTurn, { kind, atMs }: PastEvent): boolean {
  const takenAtMs = Date.parse(turn.taken_at);
  if (kind === "asked") return Math.abs(takenAtMs - atMs) < NEAR_MS;
  return kind === "window" && atMs >= Date.parse(turn.opened_at) - NEAR_MS && atMs <= takenAtMs;
}

function turnEvents(turn: FeedTurn): PanelEvent[] {
  const { turn_id, attempts, outcome } = turn;
  const count = turn.message_ids.length;
  const [openedAtMs, dueAtMs] = [Date.parse(turn.opened_at), Date.parse(turn.due_at)];
  const done: PanelEvent = {
    key: `c:${turn_id}`,
    at: Date.parse(turn.committed_at),
    kind: isGood(turn) ? "done" : "trouble",
    what: count === 0 && outcome === "replied" ? "message sent to you" : outcomeWords(turn),
    detail: count === 0 ? "" : plural(count, "message"),
    term: outcome === "replied" ? "turn committed" : `turn committed: ${outcome}`,
  };
  if (count === 0) return [done];
  const tries = attempts > 1 ? `, try ${attempts}` : "";
  return [
    done,
    asked(`t:${turn_id}`, Date.parse(turn.taken_at), `with ${plural(count, "message")}${tries}`),
    lull(`o:${turn_id}`, openedAtMs, seconds(dueAtMs - openedAtMs)),
  ];
}

function asked(key: string, at: number, detail: string): PanelEvent {
  return { key, at, kind: "asked", what: "asked for an answer", detail, term: "turn taken" };
}

function lull(key: string, at: number, detail: string): PanelEvent {
  return { key, at, kind: "window", what: "waiting for the lull:", detail, term: "window opened" };
}

function pastEvent(feed: Told, event: PastEvent, nowMs: number): PanelEvent {
  const { key, atMs: at } = event;
  switch (event.kind) {
    case "asked":
      return asked(key, at, "");
    case "window":
      return lull(key, at, feed.opened?.atMs === at ? dueIn(feed, nowMs) : seconds(event.wholeMs));
    case "failed": {
      const detail = joined(event.reason, againIn(feed, event.tries, nowMs));
      return { key, at, kind: "trouble", what: failedWord(event), detail, term: "retry" };
    }
    case "dead": {
      const detail = joined(
        event.reason,
        `after ${event.attempts === 1 ? "1 try" : `${event.attempts} tries`}`,
      );
      const isThere = feed.unanswered.some((each) => Date.parse(each.at) === at);
      const command = event.id && isThere ? { command: `npx lull dead retry ${event.id}` } : {};
      return { key, at, kind: "trouble", what: "failed for good:", detail, term: "dead letter", ...command };
    }
    case "unknown": {
      const isThere = feed.unknown.some((each) => Date.parse(each.at) === at);
      const command = event.id && isThere ? { command: `npx lull unknown resend ${event.id}` } : {};
      const what = "the answer may not have arrived";
      return { key, at, kind: "trouble", what, detail: "", term: "unknown send", ...command };
    }
  }
}

function failedWord({ tries }: { readonly tries: number }): string {
  return tries > 1 ? `failed, try ${tries}:` : "failed:";
}

function joined(reason: string | undefined, rest: string): string {
  return [reason && cut(reason.replace(/\s+/g, " "), REASON_LENGTH_MAX), rest].filter(Boolean).join(", ");
}

/** Only of the latest failure is it still to come. */
function againIn({ failing, againAtMs }: Told, tries: number, nowMs: number): string {
  if (failing?.tries !== tries || againAtMs === undefined || againAtMs <= nowMs) return "tried again";
  return `tried again in ${Math.ceil((againAtMs - nowMs) / 1000)} s`;
}

function dueIn({ dueAtMs = 0 }: Told, nowMs: number): string {
  return dueAtMs > nowMs ? `${Math.ceil((dueAtMs - nowMs) / 1000)} s` : "over";
}
