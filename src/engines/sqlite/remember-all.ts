import type { DatabaseSync } from "node:sqlite";
import { DELIVERIES_KEPT_MS } from "../../core/defaults.ts";
import { sentKey } from "../../core/sent.ts";
import { hashedId } from "./hashed-id.ts";

/** As long as can be configured. What waits longer is remembered anew by its commit. */
const STAGED_KEPT_MS = 91 * 86_400_000;

/**
 * In 0.1.0 and early builds of 0.2.0 staged messages were known by an index of their ids, and sends by a
 * table of their own.
 */
export function rememberWhatIsThere(database: DatabaseSync): void {
  const salt = database.prepare("SELECT value FROM meta WHERE key = 'salt'").get()?.value;
  const insert = database.prepare("INSERT OR REPLACE INTO remembered (key, until_at_ms) VALUES (?, ?)");
  const remember = (id: string, untilAtMs: number) =>
    insert.run(hashedId(String(salt), id), Math.floor(untilAtMs));
  const staged = database.prepare(
    "SELECT id, CAST(arrived_at_ms AS REAL) AS at FROM staged WHERE typeof(id) = 'text'",
  );
  for (const { id, at } of staged.iterate()) remember(String(id), Number(at) + STAGED_KEPT_MS);
  const deliveries = database.prepare(
    "SELECT channel, provider_id AS id, CAST(at_ms AS REAL) AS at FROM deliveries",
  );
  // A file is changed before any settings are known: a shorter retention is for what is sent from now on.
  for (const { channel, id, at } of deliveries.iterate())
    remember(sentKey({ channel: String(channel), providerId: String(id) }), Number(at) + DELIVERIES_KEPT_MS);
}
