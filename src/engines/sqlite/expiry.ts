import type { SQLInputValue } from "node:sqlite";
import type { Expired, PastTimes } from "../embedded/tables.ts";
import type { Statements } from "./statements.ts";

/** Ids by the time until which they are remembered. */
const REMEMBERED = `DELETE FROM remembered WHERE key IN
  (SELECT key FROM remembered WHERE until_at_ms <= ?1 ORDER BY until_at_ms LIMIT ?2)`;
const DELIVERIES = `DELETE FROM deliveries WHERE (channel, provider_id) IN
  (SELECT channel, provider_id FROM deliveries WHERE at_ms < ?1 ORDER BY at_ms LIMIT ?2)`;
/** Rows are numbered as they are added: the last number tells which ones are too many. */
const TOO_MANY_REFUSALS = `DELETE FROM refusals WHERE number IN
  (SELECT number FROM refusals WHERE number <= (SELECT max(number) FROM refusals) - ?1
     ORDER BY number LIMIT ?2)`;

/** Oldest first, by their times. They are not numbered in that order: a clock may have been fast. */
function oldest(table: string, column: string): string {
  return `DELETE FROM ${table} WHERE number IN
    (SELECT number FROM ${table} WHERE ${column} < ?1 ORDER BY ${column} LIMIT ?2)`;
}

interface Deletion {
  readonly sql: string;
  /** Its first value; the second is the limit of rows. */
  readonly bound: number;
}

/** Every statement of one round. A test reads their plans: each must find its rows by an index. */
export function deletionsAt(past: PastTimes): Deletion[] {
  const { nowMs, keepAfterMs, deliveriesAfterMs, refusalsAfterMs, refusalsMax } = past;
  const kept = [
    { sql: oldest("messages", "at_ms"), bound: keepAfterMs },
    { sql: oldest("turns", "committed_at_ms"), bound: keepAfterMs },
  ];
  return [
    { sql: REMEMBERED, bound: nowMs },
    { sql: DELIVERIES, bound: deliveriesAfterMs },
    ...(keepAfterMs > 0 ? kept : []),
    { sql: oldest("refusals", "at_ms"), bound: refusalsAfterMs },
    { sql: TOO_MANY_REFUSALS, bound: refusalsMax },
  ];
}

/** Removes expired rows, at most `max` in all: the round holds the write lock, and webhooks wait for it. */
export function expire(sql: Statements, past: PastTimes, max: number): Expired {
  let left = max;
  for (const removal of deletionsAt(past)) {
    if (left <= 0) break;
    const values: SQLInputValue[] = [removal.bound, left];
    left -= sql.run(removal.sql, ...values);
  }
  return { rows: max - left, isCut: left <= 0 };
}
