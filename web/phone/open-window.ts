import type { Feed } from "../../src/http/feed-shape.ts";

/** A window that is open, and how long it is as a whole: its bar shows how much of that is left. */
export interface OpenWindow {
  readonly atMs: number;
  readonly wholeMs: number;
}

/** Each feed tells the due time anew, off by what its way took. A larger difference is another due time. */
const JITTER_MS = 300;

interface Before {
  readonly opened: OpenWindow | undefined;
  readonly dueAtMs: number | undefined;
}

/** When the window opened. A quiet window moves its end with every message: then the bar is full again. */
export function openWindow(
  before: Before | undefined,
  { waiting, due_in_ms, failing }: Feed,
  takenAtMs: number,
  nowMs: number,
): OpenWindow | undefined {
  // What fails is due again after a pause, which is no window.
  if (due_in_ms === undefined || failing) return undefined;
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
