import type { Settings } from "../model/settings.ts";
import type { Project } from "../runtime/projects.ts";

/** The project's channels whose type it does not allow. */
export function barredChannels(
  { channels, allowedChannels }: Project,
  { channels: known }: Pick<Settings, "channels">,
): string[] {
  return channels.filter((name) => allowedChannels?.includes(known[name]!.type) === false);
}
