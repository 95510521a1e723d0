import { ACTIVE, DEFAULT_PROJECT, type ProjectChange, type ProjectRule } from "../model/project.ts";
import type { ChannelSettings, ProjectSettings, Settings } from "../model/settings.ts";
import { type AddressedChannel, mayBring } from "./own-addresses.ts";
import { fields, listOf, optional, type Shape, type Sound, soundAs, text } from "./shape.ts";

type Known = Pick<Settings, "channels" | "projects">;

/** The project that a channel belongs to. Another process may have channels that this one does not know. */
export function projectOf({ channels }: Known, channel: string): string {
  return channels[channel]?.project ?? DEFAULT_PROJECT;
}

/** The project whose customers write to this address. Undefined if no project has it, or several have. */
export function projectAt(
  settings: Known,
  at: { readonly channelType: string; readonly address: string },
): string | undefined {
  const names = Object.keys(settings.projects);
  if (names.length <= 1) return names[0] ?? DEFAULT_PROJECT;
  const { channels } = settings;
  const theirs = Object.keys(channels).filter(
    (name) => channels[name]!.type === at.channelType && mayBring(channels, name, at.address),
  );
  const found = new Set(theirs.map((name) => projectOf(settings, name)));
  return found.size === 1 ? found.values().next().value : undefined;
}

/** Whether all channels, or all of this type, are of one project: only then are they one to a record. */
export function isOfOneProject(settings: Known, channelType?: string): boolean {
  const { channels } = settings;
  const names = Object.keys(channels).filter(
    (name) => channelType === undefined || channels[name]!.type === channelType,
  );
  return new Set(names.map((name) => projectOf(settings, name))).size <= 1;
}

/** What counts now: what an operator set while the service ran, else what is configured. */
export function ruleInForce(
  settings: Known,
  project: string,
  changed: ProjectChange | undefined,
): ProjectRule {
  const configured = configuredFor(settings, project);
  if (changed === undefined) return configured;
  const { status = configured.status, allowedChannels = configured.allowedChannels } = changed;
  return { status, ...(allowedChannels && { allowedChannels }) };
}

/** What is set now, with what was set before. */
export function changedProject(
  before: ProjectChange | undefined,
  change: ProjectChange | undefined,
): ProjectChange | undefined {
  return change && { ...before, ...change };
}

/** The settings of the channel's project: its own where it has some, else those for all. */
export function settingsFor(settings: Settings, channel: string | undefined): Settings {
  if (channel === undefined) return settings;
  const own = settings.projects[projectOf(settings, channel)]?.own;
  return own === undefined ? settings : { ...settings, ...own };
}

type Times = Pick<Settings, "answerTimeoutMs" | "sendTimeoutMs">;

/** The same with no longer times than these, also where a project has its own. */
export function cutTo(settings: Settings, { answerTimeoutMs: mostMs, sendTimeoutMs }: Times): Settings {
  const projects = Object.entries(settings.projects).map(([name, project]): [string, ProjectSettings] => {
    const ownMs = project.own?.answerTimeoutMs;
    if (ownMs === undefined) return [name, project];
    return [name, { ...project, own: { ...project.own, answerTimeoutMs: Math.min(ownMs, mostMs) } }];
  });
  return {
    ...settings,
    answerTimeoutMs: Math.min(settings.answerTimeoutMs, mostMs),
    sendTimeoutMs: Math.min(settings.sendTimeoutMs, sendTimeoutMs),
    projects: Object.fromEntries(projects),
  };
}

/** What each channel calls its own, once it is open. */
export function withAddresses(
  settings: Settings,
  channels: Readonly<Record<string, AddressedChannel>>,
): Settings {
  const each = Object.entries(settings.channels).map(([name, channel]): [string, ChannelSettings] => {
    const addresses = channels[name]?.addresses ?? [];
    return [name, addresses.length === 0 ? channel : { ...channel, addresses }];
  });
  return { ...settings, channels: Object.fromEntries(each) };
}

function configuredFor({ projects }: Known, project: string): ProjectRule {
  const { status, allowedChannels }: ProjectSettings = projects[project] ?? { status: ACTIVE };
  return { status, ...(allowedChannels && { allowedChannels }) };
}

const TYPES_OR_ALL: Shape = (value) => (value === null ? undefined : listOf(text)(value));
const PROJECT_CHANGE = fields<ProjectChange>({
  status: optional(text),
  allowedChannels: optional(TYPES_OR_ALL),
});

/** A change as a store kept it. */
export function soundProjectChange(value: unknown): Sound<ProjectChange> {
  return soundAs<ProjectChange>(PROJECT_CHANGE, value);
}
