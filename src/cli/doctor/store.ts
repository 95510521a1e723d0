import { access } from "node:fs/promises";
import { placeProblem } from "../../engines/sqlite/place.ts";
import type { Lull } from "../../index.ts";
import { counted } from "../output/counted.ts";
import { type CheckResult, fail, ok, skip, warn } from "./check-result.ts";

/**
 * Whether the database opens and takes a write, and what in it waits for a person. A missing one is not
 * created for the check.
 */
export async function checkStore(
  lull: Lull,
  db: string | undefined,
  nowMs: number,
  /** Whether the engine has the tables of the system that ran before. */
  hasSeedTables = false,
): Promise<readonly CheckResult[]> {
  if (db !== undefined && !(await isThere(db)))
    return [
      skip("store", placeProblem(db) === undefined ? NOT_YET : "there is no database, nor a place for one"),
    ];
  try {
    const engine = await lull.engine();
    const checks = (await engine.checks?.()) ?? [];
    if (checks.some(({ verdict }) => verdict === "fail")) return checks;
    const wrong = (await engine.examine?.()) ?? [];
    if (wrong.length > 0) return [...checks, ...wrong];
    await engine.ping();
    const { dead, unknown, quarantined, paused, conversations } = await engine.inspector.counts();
    const [latest] = (await engine.inspector.conversations({ limit: 1 })).items;
    const future = latest !== undefined && latest.updatedAtMs > nowMs + 60_000;
    return [
      ...checks,
      ok("store", `it opens and takes writes; ${counted(conversations, "conversation")}`),
      ...(future ? [fail("clock", "the database holds times in the future: the clock was set back")] : []),
      ...(dead > 0 ? [warn("dead letters", `${dead}: look at them with \`lull dead\``)] : []),
      ...(unknown > 0 ? [warn("unknown sends", `${unknown}: look at them with \`lull unknown\``)] : []),
      ...(quarantined > 0
        ? [warn("quarantine", `${notOurs(quarantined)}: ${LOOK}${hasSeedTables ? MOVE : ""}`)]
        : []),
      ...(paused ? [warn("paused", "answering is paused; go on with `lull resume`")] : []),
    ];
  } catch (error) {
    return [fail("store", (error as Error).message)];
  }
}

const NOT_YET = "there is no database yet: it is made by the first start, and not by this";
const LOOK = "look at them with `lull quarantine`";
const MOVE = "; messages of another system: `lull migrate seed-aws`";

function notOurs(rows: number): string {
  return `${counted(rows, "row")} ${rows === 1 ? "was" : "were"} not ours`;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
