import { ConfigError } from "../../errors.ts";
import type { Log } from "../../model/log.ts";
import type { Engine } from "../../ports/engine.ts";

/**
 * Checks before the first webhook does: a missing table or a wrong key should stop the start, not a
 * customer's message.
 */
export async function requireStore(engine: Engine, log: Log): Promise<void> {
  if (engine.checks === undefined) return;
  const findings = await engine.checks();
  for (const { check, verdict, detail } of findings)
    if (verdict === "warn" || verdict === "skip") log("warn", "store.check", { check, detail });
  const wrong = findings.filter(({ verdict }) => verdict === "fail");
  if (wrong.length > 0)
    throw new ConfigError(wrong.map(({ check, detail }) => `${check}: ${detail}`).join("; "));
  await engine.ping();
}
