import { AT_MS_MAX } from "../../../core/instant.ts";
import { lockRecord } from "../../../core/lock-record.ts";
import { type ConversationState, wakeAtMs } from "../../../core/state.ts";
import type { StateTable } from "../../embedded/tables.ts";
import { placeOf, type Quarantine } from "../quarantine.ts";
import { isLossy, type Row, type Statements } from "../statements.ts";
import type { TablesOptions } from "../tables-options.ts";
import { isPaused } from "./meta.ts";

const WAKEABLE = `SELECT rowid AS number, conversation_id AS id FROM states WHERE wake_at_ms <= ?
  ORDER BY wake_at_ms LIMIT ?`;
const WAKEABLE_WHILE_PAUSED = `SELECT rowid AS number, conversation_id AS id FROM states WHERE wake_at_ms <= ?
  AND conversation_id IN (SELECT conversation_id FROM staged WHERE kind = 'outbound')
  ORDER BY wake_at_ms LIMIT ?`;

/** By the index of wake-ups, which is written anyway: an index of their own would be a page more per turn. */
export const HELD_BY = `SELECT rowid AS number, conversation_id AS id FROM states INDEXED BY states_by_wake
  WHERE holder = ?`;
export const HOLDERS = `SELECT DISTINCT holder FROM states INDEXED BY states_by_wake
  WHERE typeof(holder) = 'text'`;
/**
 * Only what lies ahead is read, by the index of wake-ups. The state says the same as the column: the next
 * write of it must not put the look off again.
 */
const WAKE_HELD_FOR = `UPDATE states SET wake_at_ms = ?1, state = json_set(state, '$.window.wakeAtMs', ?1)
  WHERE wake_at_ms > ?1 AND holder IS NULL
    AND CASE WHEN json_valid(state)
      THEN json_extract(state, '$.heldFor') = coalesce(?2, json_extract(state, '$.heldFor'))
        AND json_extract(state, '$.window.id') IS NOT NULL END`;
const STATE = "SELECT rowid AS number, state FROM states WHERE conversation_id = ?";
const NO_TEXT = "conversation_id is no text";

/**
 * The next conversations in which something waits, and whether a wake-up is set. It leaps from one
 * conversation to the next: reading all of 200,000 staged messages took 350 ms in which no process could
 * write.
 */
export const WAITING = `WITH RECURSIVE waiting (id, nth) AS (
    SELECT (SELECT min(conversation_id) FROM staged WHERE conversation_id > ?1), 1
    UNION ALL SELECT (SELECT min(conversation_id) FROM staged WHERE conversation_id > waiting.id), nth + 1
      FROM waiting WHERE id IS NOT NULL AND nth < ?2)
  SELECT id, EXISTS (SELECT 1 FROM states WHERE conversation_id = id AND wake_at_ms <= ?3) AS is_looked_after,
     hex(id) AS bytes FROM waiting WHERE id IS NOT NULL`;

/** Window, lease, draft and attempts of every conversation that is not at rest. */
export function stateTable(options: TablesOptions): StateTable {
  const { sql, quarantine, cache, nowMs } = options;
  /** A row that cannot be looked up by its conversation is foreign: no worker could ever overwrite it. */
  const idsIn = (rows: readonly Row[], setAside: (row: Row) => void = ofState) =>
    rows.flatMap((row) => {
      if (typeof row.id === "string" && !isLossy(row.id)) return [row.id];
      setAside(row);
      return [];
    });
  const ofState = (row: Row) => quarantine.remove(placeOf("states", row), NO_TEXT);
  const ofPile = (row: Row) => quarantine.removePile(String(row.bytes), NO_TEXT);
  return {
    // A state that cannot be read may have held a draft that was already sent. What is staged is answered all
    // the same, perhaps for the second time: nothing is lost, and an operator can see the row.
    get(id) {
      if (cache.states.has(id)) return cache.states.get(id);
      const row = sql.get(STATE, id);
      const state = quarantine.read("states", row);
      cache.states.keep(id, state, String(row?.state).length);
      return state;
    },
    put(id, state) {
      // Of an unknown one the statement itself finds out.
      const mayRun = !cache.states.has(id) || cache.states.get(id)?.lease !== undefined;
      cache.states.keep(id, state, mayRun ? putRunning(sql, nowMs(), id, state) : putState(sql, id, state));
    },
    restless: () => idsIn(sql.all("SELECT rowid AS number, conversation_id AS id FROM states")),
    wakeable: (nowMs, max) =>
      idsIn(sql.all(isPaused(sql, cache) ? WAKEABLE_WHILE_PAUSED : WAKEABLE, nowMs, max)),
    putOff: (id, untilAtMs) =>
      void sql.run("UPDATE states SET wake_at_ms = ? WHERE conversation_id = ?", untilAtMs, id),
    wakeHeldFor(project, nowMs) {
      const woken = sql.run(WAKE_HELD_FOR, nowMs, project ?? null);
      cache.states.clear();
      return woken;
    },
    nextWakeAtMs() {
      // In SQLite every text is more than any number: a wake-up "soon" never comes.
      const at = sql.get("SELECT min(wake_at_ms) AS at FROM states WHERE wake_at_ms <= ?", AT_MS_MAX)?.at;
      return at === null || at === undefined ? undefined : Number(at);
    },
    heldBy: (holder) => idsIn(sql.all(HELD_BY, holder)),
    holders: () => sql.all(HOLDERS).map((row) => String(row.holder)),
    ofTurn: (turnId) =>
      sql.get(
        "SELECT conversation_id AS id FROM states WHERE turn_id = ? AND instr(turn_id, '.') = 0",
        turnId,
      )?.id as string | undefined,
    orphans(cursor, max, latestAtMs) {
      const rows = sql.all(WAITING, cursor, max, latestAtMs);
      const ids = idsIn(
        rows.filter((row) => row.is_looked_after === 0),
        ofPile,
      );
      const last = rows.at(-1)?.id;
      return { ids, next: rows.length === max && typeof last === "string" ? last : "" };
    },
    locks: (page) => locksIn(sql, quarantine, page),
  };
}

const PUT = `INSERT INTO states (conversation_id, wake_at_ms, holder, turn_id, state) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (conversation_id) DO UPDATE SET wake_at_ms = excluded.wake_at_ms, holder = excluded.holder,
    turn_id = excluded.turn_id, state = excluded.state`;

/**
 * Each write of a running turn puts the end of its lease off. The wake-up stays where it was, since moving it
 * is one more page to write: the worker that comes then finds the turn running, and moves it.
 */
const PUT_RUNNING = `UPDATE states SET turn_id = ?, state = ?
  WHERE conversation_id = ? AND holder = ? AND wake_at_ms > ? AND wake_at_ms <= ?`;

/** Tells how many characters the row has. */
function putRunning(sql: Statements, nowMs: number, ...[id, state]: Parameters<StateTable["put"]>): number {
  const lease = state?.lease;
  if (!lease) return putState(sql, id, state);
  const text = JSON.stringify(state);
  const turnId = turnIdOf(state);
  const isRunning = sql.run(PUT_RUNNING, turnId, text, id, lease.holder, nowMs, lease.untilAtMs) === 1;
  return isRunning ? text.length : putState(sql, id, state);
}

function putState(sql: Statements, ...[id, state]: Parameters<StateTable["put"]>): number {
  if (!state) {
    sql.run("DELETE FROM states WHERE conversation_id = ?", id);
    return 0;
  }
  const text = JSON.stringify(state);
  sql.run(PUT, id, wakeAtMs(state) ?? null, state.lease?.holder ?? null, turnIdOf(state), text);
  return text.length;
}

function turnIdOf({ draft, lease }: ConversationState): string | null {
  return draft?.turnId ?? lease?.turnId ?? null;
}

function locksIn(
  sql: Statements,
  quarantine: Quarantine,
  { limit, cursor }: Parameters<StateTable["locks"]>[0],
): ReturnType<StateTable["locks"]> {
  const rows = sql.all(
    `SELECT rowid AS number, conversation_id, state,
         (SELECT count(*) FROM staged s WHERE s.conversation_id = states.conversation_id) AS staged
       FROM states WHERE conversation_id > ? ORDER BY conversation_id LIMIT ?`,
    cursor ?? "",
    limit,
  );
  const items = rows.flatMap((row) => {
    const state = quarantine.read("states", row);
    return state ? [{ ...lockRecord(String(row.conversation_id), state), staged: Number(row.staged) }] : [];
  });
  const last = rows.at(-1)?.conversation_id;
  return { items, ...(rows.length === limit && { next: String(last) }) };
}
