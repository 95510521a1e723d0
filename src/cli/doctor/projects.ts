import { access } from "node:fs/promises";
import type { Lull } from "../../index.ts";
import { mutesOf } from "../muted-projects.ts";
import { type CheckResult, warn } from "./check-result.ts";

/** Projects whose customers are not answered, or not over each of their channels. */
export async function checkProjects(
  lull: Pick<Lull, "projects" | "settings">,
  db: string | undefined,
): Promise<CheckResult[]> {
  try {
    // A missing database is not created for the check.
    if (db !== undefined) await access(db);
    return (await lull.projects()).flatMap((project) =>
      mutesOf(project, lull.settings).map(({ words }) => warn(`project ${project.name}`, words)),
    );
  } catch {
    // What is wrong with the database, the check of the store tells.
    return [];
  }
}
