import { soundProjectChange } from "../../../core/projects.ts";
import { parsed } from "../../../core/shape.ts";
import type { ProjectChange } from "../../../model/project.ts";
import type { MetaTable } from "../../embedded/tables.ts";
import type { RowCache } from "../row-cache.ts";
import type { Statements } from "../statements.ts";

/** Before a project's name. */
const PROJECT = "project:";
const KEEP = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)";

/** A part that is not ours counts as none: what is configured applies. */
function keptChange(sql: Statements, project: string): ProjectChange | undefined {
  const value = sql.get("SELECT value FROM meta WHERE key = ?", PROJECT + project)?.value;
  const read = value === undefined ? undefined : parsed(value);
  return read?.kind === "sound" ? soundProjectChange(read.value).change : undefined;
}

export function projectChanges(
  sql: Statements,
  cache: RowCache,
): Pick<MetaTable, "projectChange" | "setProjectChange"> {
  return {
    projectChange: (project) => cache.projects.getOr(project, () => keptChange(sql, project)),
    setProjectChange(project, change) {
      cache.projects.put(project, change);
      if (change) sql.run(KEEP, PROJECT + project, JSON.stringify(change));
      else sql.run("DELETE FROM meta WHERE key = ?", PROJECT + project);
    },
  };
}
