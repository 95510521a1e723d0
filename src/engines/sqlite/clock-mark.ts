import type { ClockMark } from "../embedded/tables.ts";
import type { Statements } from "./statements.ts";

/** As it was written down last, by whichever process. Two numbers; what is none was not written by us. */
export function keptMark(sql: Statements): ClockMark {
  const kept = String(sql.get("SELECT value FROM meta WHERE key = 'clock_mark'")?.value);
  const [latestAtMs, setBackAtMs = Number.NaN] = kept.split(" ").map(Number);
  return { latestAtMs: latestAtMs || 0, ...(!Number.isNaN(setBackAtMs) && { setBackAtMs }) };
}

export function keepMark(sql: Statements, { latestAtMs, setBackAtMs }: ClockMark): void {
  const told = [latestAtMs, setBackAtMs].filter((atMs) => atMs !== undefined).join(" ");
  sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('clock_mark', ?)", told);
}
