import type { ClockNote } from "../embedded/tables.ts";
import type { Statements } from "./statements.ts";

/** Stands for an absent time. */
const NONE = "-";

/** As any process stored it last. Up to three numbers; anything else was not written by Lull. */
export function keptNote(sql: Statements): ClockNote {
  const kept = String(sql.get("SELECT value FROM meta WHERE key = 'clock_mark'")?.value);
  const [latestAtMs, setBackAtMs = Number.NaN, expiredAtMs = Number.NaN] = kept.split(" ").map(Number);
  return {
    latestAtMs: latestAtMs || 0,
    ...(!Number.isNaN(setBackAtMs) && { setBackAtMs }),
    ...(!Number.isNaN(expiredAtMs) && { expiredAtMs }),
  };
}

export function keepNote(sql: Statements, { latestAtMs, setBackAtMs, expiredAtMs }: ClockNote): void {
  const told = [latestAtMs, setBackAtMs, expiredAtMs].map((atMs) => atMs ?? NONE).join(" ");
  sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('clock_mark', ?)", told);
}
