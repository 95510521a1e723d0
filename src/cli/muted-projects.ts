import { ACTIVE } from "../model/project.ts";
import type { Settings } from "../model/settings.ts";
import type { Project } from "../runtime/projects.ts";

/** Why customers of a project are not answered, or not over each of its channels. */
export interface Mute {
  readonly by: "status" | "pause" | "channels";
  /** What follows the project's name, with the way back. */
  readonly words: string;
}

/** The project's channels whose type it does not allow. */
export function barredChannels(
  { channels, allowedChannels }: Project,
  { channels: known }: Pick<Settings, "channels">,
): string[] {
  return channels.filter((name) => allowedChannels?.includes(known[name]!.type) === false);
}

export function mutesOf(project: Project, settings: Pick<Settings, "channels">): Mute[] {
  const { name, status, allowedChannels, changed = {}, paused } = project;
  // What is configured is not undone by a reset.
  const back = (part: "status" | "allowedChannels") =>
    changed[part] === undefined ? "" : `; lull projects reset ${name}`;
  const barred = barredChannels(project, settings);
  const types = allowedChannels?.join(", ") || "no channel type";
  const found: (Mute | false | undefined)[] = [
    status !== ACTIVE && {
      by: "status",
      words: `is ${status}: messages are refused, and not kept${back("status")}`,
    },
    paused && {
      by: "pause",
      words: `is paused: messages are kept, and not answered; lull projects resume ${name}`,
    },
    barred.length > 0 && {
      by: "channels",
      words: `allows ${types}: what comes over ${barred.join(", ")} is refused${back("allowedChannels")}`,
    },
  ];
  return found.filter((mute) => typeof mute === "object");
}
