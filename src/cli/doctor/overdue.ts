import { access } from "node:fs/promises";
import type { Lull } from "../../index.ts";
import type { LockRecord } from "../../ports/inspector.ts";
import { pausesNow, stoodNow } from "../kept-back.ts";
import { type CheckResult, warn } from "./check-result.ts";

/** A service that runs may be late by seconds. */
const LATE_MS = 60_000;
/** Conversations that are looked at. */
const LOOKS_MAX = 1_000;

/** What should have been answered, where no service answers that could do it. */
export async function checkOverdue(
  lull: Pick<Lull, "engine" | "projects" | "settings">,
  { port, db }: { readonly port: number; readonly db?: string | undefined },
  nowMs: number,
): Promise<CheckResult[]> {
  // On AWS functions answer, and no port tells of them.
  if (port === 0 || db === undefined) return [];
  try {
    await access(db);
    const engine = await lull.engine();
    const { inspector } = engine;
    const { items } = await inspector.locks({ limit: LOOKS_MAX });
    const late = items.filter((lock) => isOverdue(lock, nowMs));
    const stood = await stoodNow({ lull, engine }, late, await pausesNow({ lull, engine }));
    const overdue = stood.filter(({ keptBack }) => keptBack === undefined).length;
    if (overdue === 0) return [];
    const many = overdue === LOOKS_MAX ? `${overdue} or more` : overdue;
    const waits = `conversations that should have been answered by now: ${many}`;
    return [warn("service", `none answers on port ${port}; ${waits}`)];
  } catch {
    // What is wrong with the database, the check of the store tells.
    return [];
  }
}

function isOverdue({ window, lease }: LockRecord, nowMs: number): boolean {
  const dueAtMs = lease?.untilAtMs ?? window?.dueAtMs;
  return dueAtMs !== undefined && dueAtMs < nowMs - LATE_MS;
}
