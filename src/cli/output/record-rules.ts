import type { Conversation } from "../../model/conversation.ts";
import { ACTIVE } from "../../model/project.ts";
import type { Mute } from "../muted-projects.ts";

type Ruled = Pick<Conversation, "projectStatus" | "allowedChannels" | "channelType">;

/** What the conversation's own record says against its messages: its project may be active all the same. */
export function recordRules({ projectStatus, allowedChannels, channelType }: Ruled): string[] {
  const isBarred = channelType !== "" && allowedChannels?.includes(channelType) === false;
  const types = allowedChannels?.join(", ") || "(none)";
  return [
    ...(projectStatus === ACTIVE
      ? []
      : [`its record has project_status ${projectStatus}, so messages are refused (PROJECT_INACTIVE)${SET}`]),
    ...(allowedChannels === undefined ? [] : [`its record has allowed_channels ${types}`]),
    ...(isBarred ? [`  so ${channelType} is refused (CHANNEL_NOT_ALLOWED)${SET}`] : []),
  ];
}

const SET = ": the system that wrote it sets it there";

const CODES: Readonly<Record<Mute["by"], string | undefined>> = {
  status: "PROJECT_INACTIVE",
  channels: "CHANNEL_NOT_ALLOWED",
  pause: undefined,
};

/** What its project says against them. A pause is told with what waits. */
export function projectRules(project: string, mutes: readonly Mute[]): string[] {
  return mutes.flatMap(({ by, words }) =>
    CODES[by] === undefined ? [] : [`project ${project} ${words} (${CODES[by]})`],
  );
}
