import { access } from "node:fs/promises";
import type { Lull } from "../../index.ts";
import { ACTIVE } from "../../model/project.ts";
import type { Project } from "../../runtime/projects.ts";
import { barredChannels } from "../barred-channels.ts";
import { type CheckResult, warn } from "./check-result.ts";

/** Projects whose customers are not answered, or not over each of their channels. */
export async function checkProjects(
  lull: Pick<Lull, "projects" | "settings">,
  db: string | undefined,
): Promise<CheckResult[]> {
  try {
    // A missing database is not created for the check.
    if (db !== undefined) await access(db);
    return (await lull.projects()).flatMap((project) => muted(project, lull.settings));
  } catch {
    // What is wrong with the database, the check of the store tells.
    return [];
  }
}

function muted(project: Project, settings: Lull["settings"]): CheckResult[] {
  const { name, status, allowedChannels, changed = {}, paused } = project;
  // What is configured is not undone by a reset.
  const back = (part: "status" | "allowedChannels") =>
    changed[part] === undefined ? "" : `; lull projects reset ${name}`;
  const barred = barredChannels(project, settings);
  const found = [
    status !== ACTIVE && `is ${status}: messages are refused, and not kept${back("status")}`,
    paused && `is paused: messages are kept, and not answered; lull projects resume ${name}`,
    barred.length > 0 &&
      `allows ${allowedChannels?.join(", ") || "no channel type"}: what comes over ${barred.join(", ")} ` +
        `is refused${back("allowedChannels")}`,
  ];
  return found
    .filter((detail) => typeof detail === "string")
    .map((detail) => warn(`project ${name}`, detail));
}
