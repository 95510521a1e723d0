import type { ClockMark } from "../embedded/tables.ts";
import type { Statements } from "./statements.ts";

/** What stands for a time that there is none of. */
const NONE = "-";

/** As it was written down last, by whichever process. Up to three numbers; what is none was not written by us. */
export function keptMark(sql: Statements): ClockMark {
  const kept = String(sql.get("SELECT value FROM meta WHERE key = 'clock_mark'")?.value);
  const [latestAtMs, setBackAtMs = Number.NaN, expiredAtMs = Number.NaN] = kept.split(" ").map(Number);
  return {
    latestAtMs: latestAtMs || 0,
    ...(!Number.isNaN(setBackAtMs) && { setBackAtMs }),
    ...(!Number.isNaN(expiredAtMs) && { expiredAtMs }),
  };
}

export function keepMark(sql: Statements, { latestAtMs, setBackAtMs, expiredAtMs }: ClockMark): void {
  const told = [latestAtMs, setBackAtMs, expiredAtMs].map((atMs) => atMs ?? NONE).join(" ");
  sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('clock_mark', ?)", told);
}
