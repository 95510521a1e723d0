import type { Feed, FeedMessage, FeedTurn } from "../../src/http/feed-shape.ts";
import type { KnownFeed } from "./known-feed.ts";
import type { LogEntry } from "./message-log.ts";

/** Samples for tests: what a visitor wrote, and what the service says of it. */
export const AT = "2025-11-15T08:00:00.000Z";
export const AT_MS = Date.parse(AT);

export function said(id: string, more: Partial<LogEntry> = {}): LogEntry {
  return { id, text: `text ${id}`, at: AT_MS, state: "acked", ...more };
}

export function turn(id: string, ...messages: string[]): FeedTurn {
  return {
    turn_id: id,
    outcome: "replied",
    attempts: 1,
    message_ids: messages.map((each) => `web/web/visitor/${each}`),
    opened_at: AT,
    due_at: AT,
    taken_at: AT,
    committed_at: AT,
  };
}

export function message(role: FeedMessage["role"], turnId: string, text: string, n: number): FeedMessage {
  return { role, turn_id: turnId, text, n, at: AT };
}

export function feed(more: Partial<Feed> = {}): Feed {
  return {
    conversation: "c_1",
    now: AT,
    state: "idle",
    status: "open",
    paused: false,
    handed_off: false,
    complete: false,
    staged: 0,
    waiting: [],
    messages: [],
    turns: [],
    unanswered: [],
    unknown: [],
    ...more,
  };
}

export function knownFeed(more: Partial<KnownFeed> = {}): KnownFeed {
  const times = { dueAtMs: undefined, answeringSinceAtMs: undefined, againAtMs: undefined };
  return { ...feed(), ...times, last: 0, opened: undefined, past: [], ...more };
}
