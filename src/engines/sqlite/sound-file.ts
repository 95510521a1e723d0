import type { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "./schema.ts";

/** Lull's files have none of their own: any other program's number tells that a file is not ours. */
const NO_APPLICATION = 0;
/** What every version of ours has had. */
const TABLES = ["conversations", "meta", "refusals", "staged", "states", "turns"];

/** Why this file is no database of ours that this version can run on, in words. Undefined if it is. */
export function whyNotOurs(database: DatabaseSync): string | undefined {
  const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  const [found] = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {});
  if (found !== "ok") return `it is damaged (${found})`;
  const version = Number(pragma("user_version"));
  const typed = "CASE WHEN sql LIKE 'CREATE VIRTUAL%' THEN 'virtual table' ELSE type END AS type";
  const rows = database.prepare(`SELECT ${typed}, name FROM sqlite_schema`).all();
  // No version of ours had one: it would run with the service's own statements.
  const foreign = rows.find(({ type }) => type !== "table" && type !== "index");
  if (foreign) return `it has a ${foreign.type} (${foreign.name}), which lull never makes`;
  const names = new Set(rows.flatMap(({ type, name }) => (type === "table" ? [String(name)] : [])));
  const missing = TABLES.filter((table) => !names.has(table));
  if (Number(pragma("application_id")) !== NO_APPLICATION || version < 1 || missing.length > 0)
    return "it is another program's database";
  if (version > MIGRATIONS.length)
    return (
      `it was written by a newer version of lull (schema ${version}, this one knows ` +
      `${MIGRATIONS.length}): install that version first`
    );
  return undefined;
}
