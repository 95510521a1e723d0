import type { Feed } from "../../src/http/feed-shape.ts";
import { type OpenWindow, openWindow } from "./open-window.ts";
import { type PastEvent, remember } from "./past.ts";

/** What the page knows of a conversation: the latest feed, with every message that an earlier one gave. */
export interface KnownFeed extends Feed {
  /** The last message's number: the next feed begins after it. */
  readonly last: number;
  readonly dueAtMs: number | undefined;
  readonly answeringSinceAtMs: number | undefined;
  /** When the turn that failed is tried again. */
  readonly againAtMs: number | undefined;
  readonly opened: OpenWindow | undefined;
  readonly past: readonly PastEvent[];
}

/** The feed gives only what is new; what was there stays. */
export function joinFeed(before: KnownFeed | undefined, feed: Feed, nowMs: number): KnownFeed {
  const messages = [...(before?.messages ?? []), ...feed.messages];
  const answeringSinceAtMs = answeringSince(before, feed, nowMs);
  const opened = openWindow(before, feed, answeringSinceAtMs ?? 0, nowMs);
  return {
    ...feed,
    messages,
    last: messages.at(-1)?.n ?? 0,
    dueAtMs: feed.due_in_ms === undefined ? undefined : nowMs + feed.due_in_ms,
    answeringSinceAtMs,
    againAtMs: feed.failing?.again_in_ms === undefined ? undefined : nowMs + feed.failing.again_in_ms,
    opened,
    past: remember(before?.past ?? [], { ...feed, opened }, nowMs),
  };
}

function answeringSince(before: KnownFeed | undefined, feed: Feed, nowMs: number): number | undefined {
  const isBetweenTries = feed.failing?.again_in_ms !== undefined;
  if (feed.state !== "answering" || isBetweenTries) return undefined;
  if (feed.answering_since !== undefined) return Date.parse(feed.answering_since);
  return before?.answeringSinceAtMs ?? nowMs;
}
