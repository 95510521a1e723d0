import { hash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { type ConversationState, wakeAtMs } from "../../core/state.ts";
import type { Conversation, HistoryMessage } from "../../ports/conversations.ts";
import type { TurnRecord, UnknownSend } from "../../ports/inspector.ts";
import type { ClockMark, Fate, StagedRow, StoredDeadLetter, Tables } from "../embedded/tables.ts";
import { listings } from "./listings.ts";
import { parse, type Row, Statements } from "./statements.ts";

const RECENT_TURNS = 5;
const REFUSALS_KEPT_MS = 30 * 24 * 3_600_000;

const WAKEABLE = "SELECT conversation_id AS id FROM states WHERE wake_at_ms <= ? ORDER BY wake_at_ms LIMIT ?";
const WAKEABLE_WHILE_PAUSED = `SELECT conversation_id AS id FROM states WHERE wake_at_ms <= ?
  AND conversation_id IN (SELECT conversation_id FROM staged WHERE kind = 'outbound') ORDER BY wake_at_ms LIMIT ?`;

/** The tables in a SQLite file. Every call runs inside the transaction of its step. */
export function sqliteTables(database: DatabaseSync): Tables {
  const sql = new Statements(database);
  const salt = String(sql.get("SELECT value FROM meta WHERE key = 'salt'")?.value);
  const isPaused = () => sql.get("SELECT 1 FROM meta WHERE key = 'paused'") !== undefined;
  const hashed = (id: string) => hash("sha256", salt + id, "buffer").subarray(0, 16);

  /** Of this process: written down with every sweep, not with every request. */
  let latestAtMs = 0;

  return {
    ...listings(sql),
    conversation: (id) => parse<Conversation>(sql.get("SELECT record FROM conversations WHERE id = ?", id)),
    activeConversation(key, alias = key.sender) {
      const { channelType, address, sender } = key;
      // A union, because an OR over two columns reads every conversation of the address.
      const row = sql.get(
        `SELECT record FROM conversations WHERE number = (SELECT max(number) FROM (
           SELECT number FROM conversations
             WHERE channel_type = ?1 AND address = ?2 AND sender IN (?3, ?4) AND task_complete = 0
           UNION ALL SELECT number FROM conversations
             WHERE channel_type = ?1 AND address = ?2 AND sender_alias IN (?3, ?4) AND task_complete = 0))`,
        channelType,
        address,
        sender,
        alias,
      );
      return parse<Conversation>(row);
    },
    latestConversationId: ({ channelType, address, sender }) =>
      sql.get(
        "SELECT id FROM conversations WHERE channel_type = ? AND address = ? AND sender = ? ORDER BY number DESC LIMIT 1",
        channelType,
        address,
        sender,
      )?.id as string | undefined,
    putConversation(conversation) {
      const { id, channelType, address, sender, senderAlias, taskComplete } = conversation;
      sql.run(
        `INSERT INTO conversations (id, channel_type, address, sender, sender_alias, task_complete, record)
           VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET sender_alias = excluded.sender_alias, task_complete = excluded.task_complete,
           record = excluded.record`,
        id,
        channelType,
        address,
        sender,
        senderAlias ?? null,
        taskComplete ? 1 : 0,
        JSON.stringify(conversation),
      );
    },
    eraseConversation(id) {
      sql.run(
        `DELETE FROM deliveries WHERE turn_id IN (SELECT turn_id FROM turns WHERE conversation_id = ?1
           UNION ALL SELECT turn_id FROM states WHERE conversation_id = ?1)`,
        id,
      );
      for (const table of [
        "staged",
        "states",
        "messages",
        "turns",
        "dead_letters",
        "unknown_sends",
        "refusals",
      ]) {
        sql.run(`DELETE FROM ${table} WHERE conversation_id = ?`, id);
      }
      sql.run("DELETE FROM conversations WHERE id = ?", id);
    },

    stage(row) {
      const item = JSON.stringify(row.kind === "message" ? row.message : row.outbound);
      const changes = sql.run(
        "INSERT INTO staged (id, conversation_id, kind, bytes, item) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        row.id,
        row.conversationId,
        row.kind,
        row.bytes,
        item,
      );
      return changes === 1;
    },
    staged: (id) =>
      sql.all("SELECT * FROM staged WHERE conversation_id = ? ORDER BY sequence", id).map(stagedRow),
    stagedCount: (id) => Number(sql.get("SELECT count(*) AS n FROM staged WHERE conversation_id = ?", id)?.n),
    unstage(_id, ids) {
      for (const each of ids) sql.run("DELETE FROM staged WHERE id = ?", each);
    },
    seenBefore(id) {
      // Both in one call: every message asks, and the way into SQLite costs more than the look.
      const row = sql.get(
        `SELECT (SELECT fate FROM remembered WHERE key = ?) AS fate,
                (SELECT conversation_id FROM staged WHERE id = ?) AS staged_in`,
        hashed(id),
        id,
      );
      const fate = row?.fate as Fate | null;
      const stagedIn = row?.staged_in as string | null;
      return { ...(fate !== null && { fate }), ...(stagedIn !== null && { stagedIn }) };
    },
    remember(ids, fate, untilAtMs) {
      for (const id of ids) {
        sql.run(
          "INSERT OR REPLACE INTO remembered (key, fate, until_at_ms) VALUES (?, ?, ?)",
          hashed(id),
          fate,
          untilAtMs,
        );
      }
    },
    forget(ids) {
      for (const id of ids) sql.run("DELETE FROM remembered WHERE key = ?", hashed(id));
    },

    state: (id) =>
      parse<ConversationState>(sql.get("SELECT state FROM states WHERE conversation_id = ?", id), "state"),
    putState(id, state) {
      if (!state) {
        sql.run("DELETE FROM states WHERE conversation_id = ?", id);
        return;
      }
      sql.run(
        `INSERT INTO states (conversation_id, wake_at_ms, holder, turn_id, state) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (conversation_id) DO UPDATE SET wake_at_ms = excluded.wake_at_ms, holder = excluded.holder,
           turn_id = excluded.turn_id, state = excluded.state`,
        id,
        wakeAtMs(state) ?? null,
        state.lease?.holder ?? null,
        state.draft?.turnId ?? state.lease?.turnId ?? null,
        JSON.stringify(state),
      );
    },
    restless: () => sql.all("SELECT conversation_id AS id FROM states").map((row) => row.id as string),
    noteTime(nowMs) {
      latestAtMs = Math.max(latestAtMs, nowMs);
    },
    clockMark() {
      const swept = parse<ClockMark>(sql.get("SELECT value FROM meta WHERE key = 'clock_mark'"), "value");
      return {
        wasSetBack: swept?.wasSetBack ?? false,
        latestAtMs: Math.max(latestAtMs, swept?.latestAtMs ?? 0),
      };
    },
    setClockMark(mark) {
      latestAtMs = mark.latestAtMs;
      sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('clock_mark', ?)", JSON.stringify(mark));
    },
    wakeable: (nowMs, max) =>
      sql.all(isPaused() ? WAKEABLE_WHILE_PAUSED : WAKEABLE, nowMs, max).map((row) => row.id as string),
    nextWakeAtMs() {
      const at = sql.get("SELECT min(wake_at_ms) AS at FROM states WHERE wake_at_ms IS NOT NULL")?.at;
      return at === null || at === undefined ? undefined : Number(at);
    },
    heldBy: (holder) =>
      sql
        .all("SELECT conversation_id AS id FROM states WHERE holder = ?", holder)
        .map((row) => row.id as string),
    holders: () =>
      sql
        .all("SELECT DISTINCT holder FROM states WHERE holder IS NOT NULL")
        .map((row) => row.holder as string),
    conversationOfTurn: (turnId) =>
      sql.get("SELECT conversation_id AS id FROM states WHERE turn_id = ?", turnId)?.id as string | undefined,

    appendMessages(id, messages) {
      for (const message of messages) {
        sql.run(
          "INSERT INTO messages (conversation_id, at_ms, record) VALUES (?, ?, ?)",
          id,
          message.atMs,
          JSON.stringify(message),
        );
      }
    },
    history: (id, max) =>
      sql
        .all("SELECT record FROM messages WHERE conversation_id = ? ORDER BY number DESC LIMIT ?", id, max)
        .map((row) => parse<HistoryMessage>(row)!)
        .reverse(),
    appendTurn(turn) {
      sql.run(
        "INSERT INTO turns (turn_id, conversation_id, committed_at_ms, record) VALUES (?, ?, ?, ?)",
        turn.turnId,
        turn.conversationId,
        turn.committedAtMs,
        JSON.stringify(turn),
      );
      for (const id of turn.providerIds) {
        sql.run(
          `INSERT INTO deliveries (channel, provider_id, turn_id, status, at_ms) VALUES (?, ?, ?, 'sent', ?)
           ON CONFLICT (channel, provider_id) DO UPDATE SET turn_id = excluded.turn_id`,
          turn.channel,
          id,
          turn.turnId,
          turn.committedAtMs,
        );
      }
    },
    recentProviderIds: (id) =>
      sql
        .all(
          "SELECT record FROM turns WHERE conversation_id = ? ORDER BY number DESC LIMIT ?",
          id,
          RECENT_TURNS,
        )
        .flatMap((row) => parse<TurnRecord>(row)!.providerIds),
    putDelivery(channel, status, turnId, atMs) {
      const { providerId, errorCode } = status;
      const known = "SELECT 1 FROM deliveries WHERE channel = ? AND provider_id = ?";
      if (turnId === undefined && !sql.get(known, channel, providerId)) return false;
      sql.run(
        `INSERT INTO deliveries (channel, provider_id, turn_id, status, error_code, at_ms) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (channel, provider_id) DO UPDATE SET status = excluded.status, error_code = excluded.error_code,
           turn_id = coalesce(excluded.turn_id, turn_id), at_ms = excluded.at_ms`,
        channel,
        providerId,
        turnId ?? null,
        status.status,
        errorCode ?? null,
        atMs,
      );
      return true;
    },
    putRefusal(refusal) {
      const { conversationId, atMs } = refusal;
      sql.run(
        "INSERT INTO refusals (conversation_id, at_ms, record) VALUES (?, ?, ?)",
        conversationId ?? null,
        atMs,
        JSON.stringify(refusal),
      );
    },
    putDead(letter) {
      const { id, conversationId } = letter;
      sql.run(
        "INSERT INTO dead_letters (id, conversation_id, record) VALUES (?, ?, ?)",
        id,
        conversationId,
        JSON.stringify(letter),
      );
    },
    dead: (id) => parse<StoredDeadLetter>(sql.get("SELECT record FROM dead_letters WHERE id = ?", id)),
    deleteDead: (id) => void sql.run("DELETE FROM dead_letters WHERE id = ?", id),
    putUnknown(unknown) {
      const { id, conversationId } = unknown;
      sql.run(
        "INSERT OR REPLACE INTO unknown_sends (id, conversation_id, record) VALUES (?, ?, ?)",
        id,
        conversationId,
        JSON.stringify(unknown),
      );
    },
    unknown: (id) => parse<UnknownSend>(sql.get("SELECT record FROM unknown_sends WHERE id = ?", id)),
    deleteUnknown: (id) => void sql.run("DELETE FROM unknown_sends WHERE id = ?", id),
    ping: (nowMs) =>
      void sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('pinged_at_ms', ?)", String(nowMs)),
    isPaused,
    setPaused(paused) {
      sql.run(
        paused
          ? "INSERT OR IGNORE INTO meta (key, value) VALUES ('paused', '1')"
          : "DELETE FROM meta WHERE key = 'paused'",
      );
    },

    orphans(cursor, max) {
      const ids = sql
        .all(
          `SELECT DISTINCT conversation_id AS id FROM staged WHERE conversation_id > ? AND NOT EXISTS
             (SELECT 1 FROM states WHERE states.conversation_id = staged.conversation_id AND wake_at_ms IS NOT NULL)
           ORDER BY conversation_id LIMIT ?`,
          cursor,
          max,
        )
        .map((row) => row.id as string);
      return { ids, next: ids.length < max ? "" : ids.at(-1)! };
    },
    expire(nowMs, keepAfterMs, max) {
      const forgotten = sql.run(
        "DELETE FROM remembered WHERE key IN (SELECT key FROM remembered WHERE until_at_ms <= ? ORDER BY until_at_ms LIMIT ?)",
        nowMs,
        max,
      );
      sql.run(
        `DELETE FROM deliveries WHERE turn_id IN
           (SELECT turn_id FROM (SELECT turn_id, committed_at_ms AS at FROM turns ORDER BY number LIMIT ?) WHERE at < ?)`,
        max,
        keepAfterMs,
      );
      return (
        forgotten +
        old(sql, "messages", "at_ms", keepAfterMs, max) +
        old(sql, "turns", "committed_at_ms", keepAfterMs, max) +
        old(sql, "refusals", "at_ms", nowMs - REFUSALS_KEPT_MS, max)
      );
    },
  };
}

/** Oldest first: rows are numbered in the order of their times, so the look stops at the first that stays. */
function old(sql: Statements, table: string, column: string, beforeMs: number, max: number): number {
  return sql.run(
    `DELETE FROM ${table} WHERE number IN
       (SELECT number FROM (SELECT number, ${column} AS at FROM ${table} ORDER BY number LIMIT ?) WHERE at < ?)`,
    max,
    beforeMs,
  );
}

export function stagedRow(row: Row): StagedRow {
  const item = JSON.parse(row.item as string);
  const sequence = Number(row.sequence);
  const base = {
    id: row.id as string,
    conversationId: row.conversation_id as string,
    bytes: Number(row.bytes),
  };
  return row.kind === "message"
    ? { kind: "message", ...base, message: { ...item, sequence } }
    : { kind: "outbound", ...base, outbound: item, sequence };
}
