import type { Expired, PastTimes } from "../embedded/tables.ts";
import type { Statements } from "./statements.ts";

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
  readonly table: "messages" | "turns" | "refusals";
  readonly sql: string;
  /** Its first value; the second is the limit of rows. */
  readonly bound: number;
}

/** Statements by which old rows are found. A test reads their plans: each must find its rows by an index. */
export function deletionsAt(past: PastTimes): Deletion[] {
  const { keepAfterMs, refusalsAfterMs, refusalsMax } = past;
  const kept: Deletion[] = [
    { table: "messages", sql: oldest("messages", "at_ms"), bound: keepAfterMs },
    { table: "turns", sql: oldest("turns", "committed_at_ms"), bound: keepAfterMs },
  ];
  return [
    ...(Number.isFinite(keepAfterMs) ? kept : []),
    { table: "refusals", sql: oldest("refusals", "at_ms"), bound: refusalsAfterMs },
    { table: "refusals", sql: TOO_MANY_REFUSALS, bound: refusalsMax },
  ];
}

/** Remembered ids that one round looks at, for each that it may remove. */
const LOOKED_AT = 4;
/** If fewer of them than one in this many are over, the rest can wait for the next sweep. */
const OVER_SHARE = 20;
export const NEXT_IDS = `SELECT count(*) AS looked, max(key) AS last FROM
  (SELECT key FROM remembered WHERE key > ?1 ORDER BY key LIMIT ?2)`;
export const IDS_OVER = `DELETE FROM remembered WHERE key IN (SELECT key FROM remembered
  WHERE key > ?1 AND key <= ?2 AND until_at_ms <= ?3 ORDER BY key LIMIT ?4)`;
const FIRST = new Uint8Array();

/**
 * Removes expired rows, at most `max` in all a round: it holds the write lock, and webhooks wait for it.
 * Remembered ids are looked through from end to end, some with each round: they need no index by time, and a
 * table in which every twentieth is over is as good as one in which none is.
 */
export class Expiry {
  readonly #sql: Statements;
  /** The remembered id after which the next round looks on. */
  #after: Uint8Array = FIRST;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** `turns`: how many of the rows were turns. */
  round(past: PastTimes, max: number): Expired & { readonly turns: number } {
    let left = max;
    let turns = 0;
    for (const { table, sql, bound } of deletionsAt(past)) {
      if (left <= 0) break;
      const rows = this.#sql.run(sql, bound, left);
      left -= rows;
      if (table === "turns") turns += rows;
    }
    const ids = left > 0 ? this.#forget(past.nowMs, left) : { rows: 0, isCut: false };
    return { rows: max - left + ids.rows, isCut: ids.isCut || left - ids.rows <= 0, turns };
  }

  #forget(nowMs: number, max: number): Expired {
    const from = this.#after;
    const wanted = LOOKED_AT * max;
    const row = this.#sql.get(NEXT_IDS, from, wanted);
    const looked = Number(row?.looked);
    if (looked === 0 || !(row?.last instanceof Uint8Array)) {
      this.#after = FIRST;
      return { rows: 0, isCut: false };
    }
    const rows = this.#sql.run(IDS_OVER, from, row.last, nowMs, max);
    // What was left over is looked at once more.
    if (rows < max) this.#after = looked < wanted ? FIRST : row.last;
    return { rows, isCut: rows * OVER_SHARE >= looked && looked === wanted };
  }
}
