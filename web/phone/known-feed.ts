import type { Feed } from "../../src/http/feed-shape.ts";

/** What the page knows of a conversation: the latest feed, with every message that an earlier one gave. */
export interface KnownFeed extends Feed {
  /** The last message's number: the next feed begins after it. */
  readonly last: number;
  readonly dueAtMs: number | undefined;
  readonly answeringSinceAtMs: number | undefined;
  readonly opened: OpenWindow | undefined;
}

/** A window that is open, and how long it is as a whole: its bar shows how much of that is left. */
export interface OpenWindow {
  readonly atMs: number;
  readonly wholeMs: number;
}

/** Each feed tells the due time anew, off by what its way took. A larger difference is another due time. */
const JITTER_MS = 300;

/** The feed gives only what is new; what was there stays. */
export function joinFeed(before: KnownFeed | undefined, feed: Feed, nowMs: number): KnownFeed {
  const messages = [...(before?.messages ?? []), ...feed.messages];
  const answeringSinceAtMs = answeringSince(before, feed, nowMs);
  return {
    ...feed,
    messages,
    last: messages.at(-1)?.n ?? 0,
    dueAtMs: feed.due_in_ms === undefined ? undefined : nowMs + feed.due_in_ms,
    answeringSinceAtMs,
    opened: openWindow(before, feed, answeringSinceAtMs ?? 0, nowMs),
  };
}

function answeringSince(before: KnownFeed | undefined, feed: Feed, nowMs: number): number | undefined {
  if (feed.state !== "answering") return undefined;
  if (feed.answering_since !== undefined) return Date.parse(feed.answering_since);
  return before?.answeringSinceAtMs ?? nowMs;
}

/** When the window opened. A quiet window moves its end with every message: then the bar is full again. */
function openWindow(
  before: KnownFeed | undefined,
  { waiting, due_in_ms }: Feed,
  takenAtMs: number,
  nowMs: number,
): OpenWindow | undefined {
  if (due_in_ms === undefined) return undefined;
  const dueAtMs = nowMs + due_in_ms;
  // What the running turn took is still listed, but belongs to no window any more.
  const first = waiting.map(({ at }) => Date.parse(at)).find((atMs) => atMs > takenAtMs);
  const atMs = first ?? nowMs;
  const opened = before?.opened;
  if (!opened || (first !== undefined && opened.atMs !== atMs))
    return { atMs, wholeMs: Math.max(1, dueAtMs - atMs) };
  const hasMoved = Math.abs((before.dueAtMs ?? 0) - dueAtMs) > JITTER_MS;
  return hasMoved ? { atMs: opened.atMs, wholeMs: due_in_ms } : opened;
}
