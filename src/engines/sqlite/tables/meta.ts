import type { MetaTable, WatchedCounts } from "../../embedded/tables.ts";
import { keepNote, keptNote } from "../clock-note.ts";
import { keepMemories, keptMemories } from "../memories.ts";
import type { RowCache } from "../row-cache.ts";
import type { Statements } from "../statements.ts";
import { projectTable } from "./project-changes.ts";

/** Longer than the time between two sweeps. */
const LEAP_MS = 60_000;

const PAUSED = "paused";
export function isPaused(sql: Statements, cache: RowCache): boolean {
  return cache.isPaused.getOr(PAUSED, () => sql.get("SELECT 1 FROM meta WHERE key = 'paused'") !== undefined);
}

export function metaTable(sql: Statements, cache: RowCache): MetaTable {
  return {
    ping: (nowMs) =>
      void sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('pinged_at_ms', ?)", String(nowMs)),
    isPaused: () => isPaused(sql, cache),
    setPaused(paused) {
      cache.isPaused.put(PAUSED, paused);
      sql.run(
        paused
          ? "INSERT OR IGNORE INTO meta (key, value) VALUES ('paused', '1')"
          : "DELETE FROM meta WHERE key = 'paused'",
      );
    },

    ...projectTable(sql, cache),
    noteTime(nowMs) {
      // A leap is stored at once: the process that wrote during it may be dead before the next sweep.
      if (nowMs - cache.latestAtMs >= LEAP_MS && nowMs > keptNote(sql).latestAtMs)
        keepNote(sql, { ...keptNote(sql), latestAtMs: nowMs });
      cache.latestAtMs = Math.max(cache.latestAtMs, nowMs);
    },
    clockNote() {
      const note = keptNote(sql);
      return { ...note, latestAtMs: Math.max(cache.latestAtMs, note.latestAtMs) };
    },
    setClockNote(note) {
      cache.latestAtMs = note.latestAtMs;
      keepNote(sql, note);
    },
    memories: () => keptMemories(sql),
    setMemories: (memories) => keepMemories(sql, memories),
    arrangement: () =>
      sql.get("SELECT value FROM meta WHERE key = 'arrangement'")?.value as string | undefined,
    setArrangement: (arrangement) =>
      void sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('arrangement', ?)", arrangement),
    watched: () => watchedIn(sql),
    counts() {
      const row = sql.get(`SELECT
        (SELECT count(*) FROM conversations) AS conversations,
        (SELECT count(*) FROM states
           WHERE CASE WHEN json_valid(state) THEN json_extract(state, '$.window.id') END IS NOT NULL
         ) AS windows,
        (SELECT count(*) FROM states WHERE holder IS NOT NULL) AS leases,
        (SELECT count(*) FROM turns) AS turns, (SELECT count(*) FROM refusals) AS refusals,
        (SELECT count(*) FROM meta WHERE key = 'paused') AS paused`)!;
      const count = (name: string) => Number(row[name]);
      return {
        ...watchedIn(sql),
        conversations: count("conversations"),
        windows: count("windows"),
        leases: count("leases"),
        turns: count("turns"),
        refusals: count("refusals"),
        paused: count("paused") === 1,
      };
    },
  };
}

function watchedIn(sql: Statements): WatchedCounts {
  const row = sql.get(`SELECT
    (SELECT count(*) FROM staged) AS staged, (SELECT count(*) FROM dead_letters) AS dead,
    (SELECT count(*) FROM unknown_sends) AS unknown, (SELECT count(*) FROM quarantine) AS quarantined`)!;
  const count = (name: keyof WatchedCounts) => Number(row[name]);
  return {
    staged: count("staged"),
    dead: count("dead"),
    unknown: count("unknown"),
    quarantined: count("quarantined"),
  };
}
