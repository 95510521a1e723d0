import type { Feed } from "../../src/http/feed-shape.ts";
import type { OpenWindow } from "./open-window.ts";

/** What a feed told once, and a later one may tell no more: windows, tries and failures stay in sight. */
export type PastEvent =
  | { readonly kind: "window"; readonly key: string; readonly atMs: number; readonly wholeMs: number }
  | { readonly kind: "asked"; readonly key: string; readonly atMs: number }
  | PastFailure
  | PastLetter
  | {
      readonly kind: "unknown";
      readonly key: string;
      readonly atMs: number;
      readonly id: string | undefined;
    };

export interface PastFailure {
  readonly kind: "failed";
  readonly key: string;
  readonly atMs: number;
  readonly tries: number;
  readonly reason: string | undefined;
}
export interface PastLetter {
  readonly kind: "dead";
  readonly key: string;
  readonly atMs: number;
  readonly attempts: number;
  readonly reason: string | undefined;
  readonly id: string | undefined;
}

/** More than a panel shows. */
const PAST_MAX = 100;
/** How a try begins and ends. */
const TRIES: readonly PastEvent["kind"][] = ["asked", "failed", "dead"];

/** What of a feed is remembered; `nowMs` is when it was read. */
type Told = Pick<Feed, "answering_since" | "failing" | "unanswered" | "unknown"> & {
  readonly opened: OpenWindow | undefined;
};

/** What was known, with what a feed tells: the latest word of each event counts. */
export function remember(before: readonly PastEvent[], told: Told, nowMs: number): PastEvent[] {
  const past = new Map(before.map((event) => [event.key, event]));
  for (const event of eventsIn(told)) add(past, event);
  if (told.failing) add(past, failureIn(told.failing, [...past.values()], nowMs));
  return [...past.values()].slice(-PAST_MAX);
}

/** A try that failed between two feeds was asked for an answer, though no feed told of it. */
function add(past: Map<string, PastEvent>, event: PastEvent): void {
  const isEnd = event.kind === "failed" || (event.kind === "dead" && event.attempts > 0);
  if (isEnd && !past.has(event.key)) {
    const last = [...past.values()].findLast(({ kind }) => TRIES.includes(kind));
    const { atMs } = event;
    if (last?.kind !== "asked") past.set(`a:${event.key}`, { kind: "asked", key: `a:${event.key}`, atMs });
  }
  past.set(event.key, event);
}

function eventsIn({ opened, answering_since, unanswered, unknown }: Told): PastEvent[] {
  const windows = opened ? [{ kind: "window", key: `w:${opened.atMs}`, ...opened } as const] : [];
  const askedAtMs = Date.parse(answering_since ?? "");
  const asked = answering_since ? [{ kind: "asked", key: `a:${askedAtMs}`, atMs: askedAtMs } as const] : [];
  const letters = unanswered.map(({ id, at, attempts, reason }): PastEvent => {
    return { kind: "dead", key: `d:${at}`, atMs: Date.parse(at), attempts, reason, id };
  });
  const unsure = unknown.map(({ id, at, turn_id }): PastEvent => {
    return { kind: "unknown", key: `u:${turn_id}:${at}`, atMs: Date.parse(at), id };
  });
  return [...windows, ...asked, ...letters, ...unsure];
}

/** A failure is known by how many there were before it; it is over once messages have failed for good. */
function failureIn(
  { tries, since, reason }: NonNullable<Feed["failing"]>,
  past: readonly PastEvent[],
  nowMs: number,
): PastFailure {
  const last = past.findLast((event) => event.kind === "failed" || event.kind === "dead");
  if (last?.kind === "failed" && last.tries === tries) return { ...last, reason };
  // The first one is when the outage began; of a later one the page only knows that it was not there before.
  const atMs = tries === 1 && since ? Date.parse(since) : nowMs;
  return { kind: "failed", key: `f:${atMs}:${tries}`, atMs, tries, reason };
}
