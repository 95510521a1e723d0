import type { Memories } from "../../core/memory.ts";
import type { Statements } from "./statements.ts";

/** Pairs of numbers; anything else was not written by Lull. None at all: an older version's file. */
export function keptMemories(sql: Statements): Memories | undefined {
  const kept = sql.get("SELECT value FROM meta WHERE key = 'memories'");
  if (!kept) return undefined;
  const pairs = String(kept.value)
    .split(" ")
    .map((pair) => pair.split(":").map(Number));
  return new Map(
    pairs.flatMap(([keptMs, atMs]) =>
      Number.isFinite(keptMs) && Number.isFinite(atMs) ? [[keptMs!, atMs!] as const] : [],
    ),
  );
}

export function keepMemories(sql: Statements, memories: Memories): void {
  const told = [...memories].map((pair) => pair.join(":")).join(" ");
  sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('memories', ?)", told);
}
