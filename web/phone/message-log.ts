import type { FeedTurn, FeedWaiting } from "../../src/http/feed-shape.ts";

/**
 * A message that the visitor wrote here. It is kept in browsers across versions: a field with another name
 * would be lost there. Instants are the service's time in milliseconds.
 */
export interface LogEntry {
  readonly id: string;
  readonly text: string;
  readonly at: number;
  /** `waiting` to be sent, or what the service said to it. */
  state: "waiting" | "acked" | "refused";
  /** Why it was refused. */
  why?: string;
  ackedAt?: number;
  /** By the service's own clock. */
  arrivedAt?: number;
  /** The turn that answered it. */
  turn?: string;
}

/** Takes another tab's log into this one, in place: messages that it lacks, and what got further there. */
export function mergeLog(log: LogEntry[], other: readonly LogEntry[]): void {
  const own = new Map(log.map((entry) => [entry.id, entry]));
  for (const entry of other) {
    const mine = own.get(entry.id);
    if (!mine) log.push(entry);
    else if (progressOf(entry) > progressOf(mine)) Object.assign(mine, entry);
  }
  log.sort((a, b) => a.at - b.at);
}

function progressOf(entry: LogEntry): number {
  if (entry.turn) return 2;
  return entry.state === "waiting" ? 0 : 1;
}

type TurnMessages = Pick<FeedTurn, "turn_id" | "message_ids">;

/** Gives each message of the log its turn, and says whether any got one. */
export function assignTurns(log: readonly LogEntry[], turns: readonly TurnMessages[]): boolean {
  let changed = false;
  for (const { turn_id, message_ids } of turns) {
    for (const entry of log) {
      if (entry.turn || !message_ids.some((key) => isKeyOf(key, entry))) continue;
      entry.turn = turn_id;
      entry.state = "acked";
      changed = true;
    }
  }
  return changed;
}

/** A turn names messages by dedupe key, which ends in the id that the page gave. */
function isKeyOf(key: string, { id }: LogEntry): boolean {
  return key === id || key.endsWith(`/${id}`);
}

/** Tells each message that waits when it arrived. */
export function noteArrivals(log: readonly LogEntry[], waiting: readonly FeedWaiting[]): void {
  const arrivals = new Map(waiting.map(({ id, at }) => [id, Date.parse(at)]));
  for (const entry of log) {
    const arrivedAt = arrivals.get(entry.id);
    if (arrivedAt !== undefined) entry.arrivedAt = arrivedAt;
  }
}

export function unsent(log: readonly LogEntry[]): LogEntry[] {
  return log.filter(({ state }) => state === "waiting");
}
