import { access } from "node:fs/promises";
import { standingOf } from "../../core/standing.ts";
import type { Lull } from "../../index.ts";
import { pausesNow, stoodNow } from "../kept-back.ts";
import { counted } from "../output/counted.ts";
import { type CheckResult, warn } from "./check-result.ts";

/** Conversations that are looked at. */
const LOOKS_MAX = 1_000;

/** Conversations whose turn fails and is tried again: with some errors of a responder for ever. */
export async function checkTurns(lull: Lull, db: string | undefined, nowMs: number): Promise<CheckResult[]> {
  try {
    // A missing database is not created for the check.
    if (db !== undefined) await access(db);
    const engine = await lull.engine();
    const { items } = await engine.inspector.locks({ limit: LOOKS_MAX });
    const pauses = await pausesNow({ lull, engine });
    const failing = items.filter((lock) => lock.failing);
    const standing = standingOf(await stoodNow({ lull, engine }, failing, pauses), pauses, nowMs);
    const count = standing.failing.reduce((sum, { conversations }) => sum + conversations, 0);
    if (count === 0) return [];
    const fail = count === 1 ? "fails" : "fail";
    return [warn("turns", `${counted(count, "conversation")} ${fail}: lull status says why`)];
  } catch {
    // What is wrong with the database, the check of the store tells.
    return [];
  }
}
