import type { ConversationKey } from "../model/conversation.ts";
import { DEFAULT_PROJECT } from "../model/project.ts";
import type { Settings } from "../model/settings.ts";
import { projectAt, projectOf, projectsInUse } from "./projects.ts";

/** Whether what a channel brought is a trace of the erased person. */
export type IsErasedOn = (channel: string) => boolean;

/**
 * A refusal names a person and a channel, no address of ours. One number writes to several tenants: where
 * there are several, only what the erased conversation's own refused goes. Undefined: all of it does.
 */
export function erasedOn(
  settings: Pick<Settings, "channels" | "projects">,
  keys: readonly Pick<ConversationKey, "channelType" | "address">[],
): IsErasedOn | undefined {
  if (projectsInUse(settings).length === 1) return undefined;
  // A channel that is configured no more counts as the default project's, and so does an address.
  const projects = new Set(keys.map((key) => projectAt(settings, key) ?? DEFAULT_PROJECT));
  return (channel) => projects.has(projectOf(settings, channel));
}
