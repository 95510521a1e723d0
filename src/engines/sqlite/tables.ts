import { hash } from "node:crypto";
import { RECENT_TURNS } from "../../core/defaults.ts";
import { providerIdsOf } from "../../core/draft.ts";
import { wakeAtMs } from "../../core/state.ts";
import type { Fate, Tables } from "../embedded/tables.ts";
import { keepMark, keptMark } from "./clock-mark.ts";
import { CONVERSATION_COLUMNS, conversationRows } from "./conversation-rows.ts";
import { erasing } from "./erasing.ts";
import { expire } from "./expiry.ts";
import { latestRows, listings, type ReadRows } from "./listings.ts";
import { nameRows } from "./name-rows.ts";
import type { TableName } from "./sound-rows.ts";
import { STAGED_ROW, stagedRows } from "./staged-rows.ts";
import { isLossy, type Row } from "./statements.ts";
import type { TablesOptions } from "./tables-options.ts";

/** More than lies between two sweeps. */
const LEAP_MS = 60_000;

/** As far as a calendar goes. In SQLite every text is more than any number: a wake-up "soon" would never come. */
const LATEST_AT_MS = 8.64e15;

const STAGED_AS = `${STAGED_ROW} WHERE id = ?`;

const WAKEABLE =
  "SELECT rowid AS number, conversation_id AS id FROM states WHERE wake_at_ms <= ? ORDER BY wake_at_ms LIMIT ?";
const WAKEABLE_WHILE_PAUSED = `SELECT rowid AS number, conversation_id AS id FROM states WHERE wake_at_ms <= ?
  AND conversation_id IN (SELECT conversation_id FROM staged WHERE kind = 'outbound') ORDER BY wake_at_ms LIMIT ?`;

/**
 * The next conversations in which something waits, and whether somebody will look. It leaps from one to the next: reading all that is
 * staged, 200,000 messages, took 350 ms in which nobody could write.
 */
export const WAITING = `WITH RECURSIVE waiting (id, nth) AS (
    SELECT (SELECT min(conversation_id) FROM staged WHERE conversation_id > ?1), 1
    UNION ALL SELECT (SELECT min(conversation_id) FROM staged WHERE conversation_id > waiting.id), nth + 1
      FROM waiting WHERE id IS NOT NULL AND nth < ?2)
  SELECT id, EXISTS (SELECT 1 FROM states WHERE conversation_id = id AND wake_at_ms <= ?3) AS is_looked_after,
     (SELECT min(sequence) FROM staged WHERE conversation_id = waiting.id) AS number
    FROM waiting WHERE id IS NOT NULL`;

/** The tables in a SQLite file. Every call runs inside the transaction of its step. */
export function sqliteTables(options: TablesOptions): Tables {
  const { sql, quarantine, salt } = options;
  const conversations = conversationRows(options);
  const readRows: ReadRows = (table, rows) =>
    rows.flatMap(
      (row) => (table === "conversations" ? conversations.read(row) : quarantine.read(table, row)) ?? [],
    ) as never;
  /** The conversation that a row is about. What cannot be looked up by it is not ours: nobody could ever write over it. */
  const idsIn = (table: TableName, rows: readonly Row[]) =>
    rows.flatMap((row) => {
      if (typeof row.id === "string" && !isLossy(row.id)) return [row.id];
      quarantine.remove(table, Number(row.number), "conversation_id is no text");
      return [];
    });
  const isPaused = () => sql.get("SELECT 1 FROM meta WHERE key = 'paused'") !== undefined;
  const hashed = (id: string) => hash("sha256", salt + id, "buffer").subarray(0, 16);

  /** Of this process: written down with every sweep, not with every request. */
  let latestAtMs = 0;

  return {
    ...listings(sql, quarantine, readRows),
    ...erasing(sql, readRows),
    conversation: (id) =>
      conversations.read(sql.get(`SELECT ${CONVERSATION_COLUMNS} FROM conversations WHERE id = ?`, id)),
    activeConversations({ channelType, address }, [first, second = first, third = first]) {
      // A union, because an OR over two columns reads every conversation of the address.
      const rows = sql.all(
        `SELECT ${CONVERSATION_COLUMNS} FROM conversations WHERE number IN (
           SELECT number FROM conversations
             WHERE channel_type = ?1 AND address = ?2 AND sender IN (?3, ?4, ?5) AND task_complete = 0
           UNION ALL SELECT number FROM conversations
             WHERE channel_type = ?1 AND address = ?2 AND sender_alias IN (?3, ?4, ?5) AND task_complete = 0)
         ORDER BY number DESC`,
        channelType,
        address,
        first ?? null,
        second ?? null,
        third ?? null,
      );
      return readRows("conversations", rows);
    },
    latestConversationId: ({ channelType, address, sender }) =>
      sql.get(
        "SELECT id FROM conversations WHERE channel_type = ? AND address = ? AND sender = ? ORDER BY number DESC LIMIT 1",
        channelType,
        address,
        sender,
      )?.id as string | undefined,
    putConversation: conversations.put,
    ...nameRows(sql, readRows),

    ...stagedRows(sql, readRows),
    seenBefore(id) {
      // Both in one call: every message asks, and the way into SQLite costs more than the look.
      const row = sql.get(
        `SELECT (SELECT fate FROM remembered WHERE key = ?) AS fate,
                (SELECT conversation_id FROM staged WHERE id = ?) AS staged_in`,
        hashed(id),
        id,
      );
      const fate = row?.fate as Fate | null;
      if (fate !== null) return { fate };
      if (row?.staged_in === null) return {};
      // A row that is not ours is set aside by this look: then the provider has just brought a good copy.
      const staged = quarantine.read("staged", sql.get(STAGED_AS, id));
      return staged ? { stagedIn: staged.conversationId } : {};
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

    // A state that cannot be read may have held a draft: whoever wrote it may have sent it. What is staged is answered all the
    // same, and perhaps for the second time: nothing is lost, and the row is there for a person to see.
    state: (id) =>
      quarantine.read(
        "states",
        sql.get("SELECT rowid AS number, state FROM states WHERE conversation_id = ?", id),
      ),
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
    restless: () => idsIn("states", sql.all("SELECT rowid AS number, conversation_id AS id FROM states")),
    noteTime(nowMs) {
      // A leap is written down at once: who wrote during it may be dead before the next sweep, and what it wrote is far off.
      if (nowMs - latestAtMs >= LEAP_MS && nowMs > keptMark(sql).latestAtMs)
        keepMark(sql, { ...keptMark(sql), latestAtMs: nowMs });
      latestAtMs = Math.max(latestAtMs, nowMs);
    },
    clockMark() {
      const mark = keptMark(sql);
      return { ...mark, latestAtMs: Math.max(latestAtMs, mark.latestAtMs) };
    },
    setClockMark(mark) {
      latestAtMs = mark.latestAtMs;
      keepMark(sql, mark);
    },
    wakeable: (nowMs, max) =>
      idsIn("states", sql.all(isPaused() ? WAKEABLE_WHILE_PAUSED : WAKEABLE, nowMs, max)),
    putOff: (id, untilAtMs) =>
      void sql.run("UPDATE states SET wake_at_ms = ? WHERE conversation_id = ?", untilAtMs, id),
    nextWakeAtMs() {
      const at = sql.get("SELECT min(wake_at_ms) AS at FROM states WHERE wake_at_ms <= ?", LATEST_AT_MS)?.at;
      return at === null || at === undefined ? undefined : Number(at);
    },
    heldBy: (holder) =>
      idsIn(
        "states",
        sql.all("SELECT rowid AS number, conversation_id AS id FROM states WHERE holder = ?", holder),
      ),
    holders: () =>
      sql
        .all("SELECT DISTINCT holder FROM states WHERE typeof(holder) = 'text'")
        .map((row) => String(row.holder)),
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
    history: (id, max, bytesMax) =>
      readRows("messages", latestRows(sql, "messages", id, max, bytesMax)).reverse(),
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
    recentProviderIds(id) {
      const turns = readRows("turns", latestRows(sql, "turns", id, RECENT_TURNS));
      const letters = readRows("dead_letters", latestRows(sql, "dead_letters", id, RECENT_TURNS));
      return [
        ...turns.flatMap(({ providerIds }) => providerIds),
        ...letters.flatMap(({ draft }) => (draft ? providerIdsOf(draft) : [])),
      ];
    },
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
    dead: (id) => quarantine.read("dead_letters", sql.get("SELECT * FROM dead_letters WHERE id = ?", id)),
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
    unknown: (id) =>
      quarantine.read("unknown_sends", sql.get("SELECT * FROM unknown_sends WHERE id = ?", id)),
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

    orphans(cursor, max, latestAtMs) {
      const rows = sql.all(WAITING, cursor, max, latestAtMs);
      const ids = idsIn(
        "staged",
        rows.filter((row) => row.is_looked_after === 0),
      );
      const last = rows.at(-1)?.id;
      return { ids, next: rows.length === max && typeof last === "string" ? last : "" };
    },
    setAside(strays) {
      for (const { table, number } of strays) {
        const row = quarantine.rowAt(table as TableName, number);
        if (row) readRows(table as TableName, [row]);
      }
    },
    discardQuarantined: (id) => sql.run("DELETE FROM quarantine WHERE number = ?", Number(id)) > 0,
    expire: (past, max) => expire(sql, past, max),
  };
}
