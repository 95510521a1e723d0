import { soundProjectChange } from "../../../core/projects.ts";
import { parsed } from "../../../core/shape.ts";
import type { ProjectChange, ProjectChanges } from "../../../model/project.ts";
import type { ProjectTable } from "../../embedded/tables.ts";
import type { RowCache } from "../row-cache.ts";
import type { Row, Statements } from "../statements.ts";

/** Before a project's name. */
const PROJECT = "project:";
/** After all such keys: a semicolon comes next after a colon. */
const AFTER_ALL = "project;";
const KEEP = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)";

/** A part that is not ours counts as none: what is configured applies. */
function changeIn(row: Row | undefined): ProjectChange | undefined {
  const read = row === undefined ? undefined : parsed(row.value);
  return read?.kind === "sound" ? soundProjectChange(read.value).change : undefined;
}

function keptChange(sql: Statements, project: string): ProjectChange | undefined {
  return changeIn(sql.get("SELECT value FROM meta WHERE key = ?", PROJECT + project));
}

function keptChanges(sql: Statements): ProjectChanges {
  const rows = sql.all("SELECT key, value FROM meta WHERE key >= ? AND key < ?", PROJECT, AFTER_ALL);
  const changes = new Map<string, ProjectChange>();
  for (const row of rows) {
    const change = changeIn(row);
    if (change) changes.set(String(row.key).slice(PROJECT.length), change);
  }
  return changes;
}

export function projectTable(sql: Statements, cache: RowCache): ProjectTable {
  return {
    projectChange: (project) => cache.projects.getOr(project, () => keptChange(sql, project)),
    projectChanges: () => keptChanges(sql),
    setProjectChange(project, change) {
      cache.projects.put(project, change);
      if (change) sql.run(KEEP, PROJECT + project, JSON.stringify(change));
      else sql.run("DELETE FROM meta WHERE key = ?", PROJECT + project);
    },
  };
}
