import { hash } from "node:crypto";
import type { ConversationKey } from "../model/conversation.ts";
import { ACTIVE, DEFAULT_PROJECT, type ProjectChange, type ProjectRule } from "../model/project.ts";
import type { ChannelSettings, OwnSettings, Settings } from "../model/settings.ts";
import { isObject } from "../schema/is-object.ts";
import { type AddressedChannel, mayBring } from "./own-addresses.ts";
import { flag, listOf, type Shape, text } from "./shape.ts";

type Known = Pick<Settings, "channels" | "projects">;

/** The project that a channel belongs to. Another process may have channels that this one does not know. */
export function projectOf({ channels }: Known, channel: string): string {
  return channels[channel]?.project ?? DEFAULT_PROJECT;
}

/** Those with channels. Without any channel all is in the default one. */
export function projectsInUse(settings: Known): readonly string[] {
  const names = new Set(Object.keys(settings.channels).map((name) => projectOf(settings, name)));
  return names.size === 0 ? [DEFAULT_PROJECT] : [...names];
}

/** Which channel is whose, as one short text: with another configuration it is another one. */
export function arrangementOf(settings: Known): string {
  const channels = Object.keys(settings.channels).sort();
  const pairs = channels.map((name) => [name, projectOf(settings, name)]);
  return hash("sha256", JSON.stringify(pairs), "base64url").slice(0, 22);
}

type Place = Pick<ConversationKey, "channelType" | "address">;

/**
 * The project whose customers write to this address. Where there is only one, it is that one's, also if no
 * channel has the address any more. Of several projects it may be none's.
 */
export function projectAt(settings: Known, at: Place): string | undefined {
  const [first, ...others] = projectsInUse(settings);
  return others.length === 0 ? first : projectWith(settings, at);
}

/**
 * The project whose channels have this address. Undefined if no project's have, or several have. Another
 * system's record need not say its address or its type: then all channels that it could be of count.
 */
export function projectWith(settings: Known, at: Place): string | undefined {
  const { channels } = settings;
  const isOfType = (name: string) => at.channelType === "" || channels[name]!.type === at.channelType;
  const isThere = (name: string) => at.address === "" || mayBring(channels, name, at.address);
  const theirs = Object.keys(channels).filter((name) => isOfType(name) && isThere(name));
  const found = new Set(theirs.map((name) => projectOf(settings, name)));
  return found.size === 1 ? found.values().next().value : undefined;
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

/** What becomes of the parts that a change names: a part that is undefined goes. The others stay. */
export type PartsSet = { readonly [Part in keyof ProjectChange]?: ProjectChange[Part] | undefined };

/**
 * What a change sets. Undefined resets to the configuration, which knows no pause: a pause stays. A project
 * that goes on is like one that was never paused.
 */
export function partsSet(change: ProjectChange | undefined): PartsSet {
  if (change === undefined) return { status: undefined, allowedChannels: undefined };
  return change.paused === false ? { ...change, paused: undefined } : change;
}

/** What is set now, with what was set before. */
export function changedProject(
  before: ProjectChange | undefined,
  change: ProjectChange | undefined,
): ProjectChange | undefined {
  const after = Object.entries({ ...before, ...partsSet(change) });
  const kept = after.filter(([, value]) => value !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Which of the two differ, by name. */
export function changedKeys(before: ProjectChange, after: ProjectChange): string[] {
  const keys = ["status", "allowedChannels", "paused"] as const;
  return keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}

/**
 * What the channel's project sets itself, each value its own or the one for all. Without a channel, or where
 * another process has it, those for all. Asked per message: nothing is made here.
 */
export function settingsFor(settings: Settings, channel: string | undefined): OwnSettings {
  const forAll = settings.own[DEFAULT_PROJECT]!;
  return channel === undefined ? forAll : (settings.own[projectOf(settings, channel)] ?? forAll);
}

export type Times = Pick<OwnSettings, "answerTimeoutMs"> & Pick<Settings, "sendTimeoutMs">;

/** The same with no longer times than these, in every project. */
export function cutTo(settings: Settings, { answerTimeoutMs: mostMs, sendTimeoutMs }: Times): Settings {
  const own = Object.entries(settings.own).map(([project, theirs]): [string, OwnSettings] => [
    project,
    { ...theirs, answerTimeoutMs: Math.min(theirs.answerTimeoutMs, mostMs) },
  ]);
  return {
    ...settings,
    own: Object.fromEntries(own),
    sendTimeoutMs: Math.min(settings.sendTimeoutMs, sendTimeoutMs),
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
  return projects[project] ?? { status: ACTIVE };
}

const TYPES_OR_ALL: Shape = (value) => (value === null ? undefined : listOf(text)(value));
const PROJECT_CHANGE: Readonly<Record<keyof ProjectChange, Shape>> = {
  status: text,
  allowedChannels: TYPES_OR_ALL,
  paused: flag,
};

export interface ReadProjectChange {
  /** Undefined if nothing is set. */
  readonly change: ProjectChange | undefined;
  /** Why a part of it is not ours. */
  readonly foreign?: string;
}

/** A change as a store kept it. Each part counts alone: a foreign list must not start a stopped project. */
export function soundProjectChange(value: unknown): ReadProjectChange {
  if (!isObject(value)) return { change: undefined, foreign: "is no object" };
  const set = Object.entries(PROJECT_CHANGE).filter(([part]) => value[part] !== undefined);
  const read = set.map(([part, shape]) => ({ part, misfit: shape(value[part]) }));
  const sound = read.filter(({ misfit }) => misfit === undefined).map(({ part }) => [part, value[part]]);
  const foreign = read.filter(({ misfit }) => misfit !== undefined).map(({ part, misfit }) => part + misfit);
  return {
    change: sound.length === 0 ? undefined : Object.fromEntries(sound),
    ...(foreign.length > 0 && { foreign: foreign.join(", ") }),
  };
}
