import { ConfigError } from "../errors.ts";
import { type LimitsConfig, publicName } from "../model/limits.ts";
import { ACTIVE, DEFAULT_PROJECT, type ProjectRule } from "../model/project.ts";
import {
  type Choices,
  type GivenSettings,
  type OwnSettings,
  PROJECT_CHOICES,
  PROJECT_LIMITS,
} from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";
import type { Responder } from "../ports/responder.ts";
import type { SecretReference } from "../ports/secrets.ts";
import { limitsFrom } from "../schema/limits.ts";
import { didYouMean } from "../schema/suggest.ts";
import { byName } from "./by-name.ts";
import { choicesIn } from "./choices.ts";
import type { WindowConfig } from "./window-config.ts";

type OwnChoices = Partial<Pick<Choices, "admission" | "whileBusy" | "onUnknown">>;

/** What a project has of its own. What it leaves out is as for all. */
export interface ProjectConfig extends Partial<ProjectRule>, OwnChoices {
  /** By name, as in the webhook's path. No two channels have one name, in whatever project. */
  readonly channels: Readonly<Record<string, Channel>>;
  readonly window?: WindowConfig;
  /** Other windows for some of its channels, by channel name. */
  readonly windows?: Readonly<Record<string, WindowConfig>>;
  readonly respond?: Responder;
  /** Other responders for some of its channels, by channel name. */
  readonly responders?: Readonly<Record<string, Responder>>;
  readonly handOffTo?: Responder;
  readonly busyText?: string;
  /** Those that are about its customers alone. */
  readonly limits?: Pick<LimitsConfig, "answerTimeoutSeconds" | OwnLimit>;
  readonly tokens?: ProjectTokens;
}

type OwnLimit = Extract<(typeof PROJECT_LIMITS)[number], keyof LimitsConfig>;

/** Bearer tokens for `/api` that reach nothing of another project, 16 characters or more. */
export interface ProjectTokens {
  /** May do with the project's conversations what `apiToken` may do with all. */
  readonly api?: SecretReference;
  /** May answer the project's turns, and do nothing else. */
  readonly turn?: SecretReference;
}

interface Gathered {
  readonly channels: Readonly<Record<string, Channel>>;
  readonly windows?: Readonly<Record<string, WindowConfig>>;
  readonly responders?: Readonly<Record<string, Responder>>;
  readonly project?: Partial<ProjectRule>;
  readonly projects?: Readonly<Record<string, ProjectConfig>>;
}

/** Who gets the turns of conversations that a human has, by channel. */
export type HandOffs = Readonly<Record<string, Responder>>;

export interface Arranged extends Required<Omit<Gathered, "project" | "projects">> {
  readonly handOffs: HandOffs;
  /** The project of each channel that is listed under one. */
  readonly projectOf: Readonly<Record<string, string>>;
}

export function tokensIn({ projects = {} }: Gathered): Record<string, ProjectTokens> {
  return Object.fromEntries(
    Object.entries(projects).flatMap(([name, { tokens }]) => (tokens ? [[name, tokens]] : [])),
  );
}

/** `Active` would refuse every message, and is never meant. */
export function statusProblem(status: string): string | undefined {
  if (status.trim() === "") return "must not be empty";
  const isMeant = status.trim().toLowerCase() === ACTIVE && status !== ACTIVE;
  return isMeant ? `is written ${ACTIVE}, in small letters and without spaces` : undefined;
}

/** How a list says that it is none. */
export function isAll(channelTypes: readonly string[]): boolean {
  return channelTypes.length === 1 && channelTypes[0] === "all";
}

const PROJECT_NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** The channels of all projects beside each other, each with what its project says of it. */
export function arranged(config: Gathered): Arranged {
  const { channels: own, windows: given = {}, responders: others = {} } = config;
  if (config.projects === undefined)
    return { channels: own, windows: given, responders: others, handOffs: {}, projectOf: {} };
  const channels: Record<string, Channel> = { ...own };
  const windows: Record<string, WindowConfig> = { ...given };
  const responders: Record<string, Responder> = { ...others };
  const handOffs: Record<string, Responder> = {};
  const projectOf: Record<string, string> = {};
  for (const [project, theirs] of Object.entries(config.projects)) {
    check(project, theirs);
    for (const [name, channel] of Object.entries(theirs.channels)) {
      if (!CHANNEL_NAME.test(name))
        throw new ConfigError(`${at(project)}.channels.${name}: ${CHANNEL_NAME_IN_WORDS}`);
      if (byName(channels, name)) throw new ConfigError(`${at(project)}.channels.${name}: ${TWICE}`);
      channels[name] = channel;
      projectOf[name] = project;
      const window = byName(theirs.windows ?? {}, name) ?? theirs.window;
      const responder = byName(theirs.responders ?? {}, name) ?? theirs.respond;
      if (window) windows[name] = window;
      if (responder) responders[name] = responder;
      if (theirs.handOffTo) handOffs[name] = theirs.handOffTo;
    }
  }
  return { channels, windows, responders, handOffs, projectOf };
}

export const CHANNEL_NAME = /^[a-z][a-z0-9-]{0,39}$/;
export const CHANNEL_NAME_IN_WORDS = "a channel's name is lower-case letters, digits and dashes";

const TWICE = "another channel has this name; webhooks are told apart by it";

const at = (project: string) => `projects.${project}`;

function check(project: string, { channels, windows, responders }: ProjectConfig): void {
  if (project === DEFAULT_PROJECT)
    throw new ConfigError(`${at(project)}: this is the project of the channels that are under none`);
  if (!PROJECT_NAME.test(project))
    throw new ConfigError(`${at(project)}: a project's name is lower-case letters, digits and dashes`);
  if (Object.keys(channels ?? {}).length === 0) throw new ConfigError(`${at(project)} has no channels`);
  for (const [key, given] of Object.entries({ windows, responders })) {
    const unknown = Object.keys(given ?? {}).find((name) => byName(channels, name) === undefined);
    if (unknown !== undefined)
      throw new ConfigError(
        `${at(project)}.${key}.${unknown}: it has no channel of that name` +
          didYouMean(unknown, Object.keys(channels)),
      );
  }
}

/** What counts for each project; channels that are under none are in the default one. */
export function projectSettings({ project, projects = {} }: Gathered): GivenSettings["projects"] {
  const each = Object.entries(projects).map(([name, given]) => {
    const own = ownSettings(name, given);
    return [name, { ...ruleFrom(given, at(name)), ...(Object.keys(own).length > 0 && { own }) }] as const;
  });
  return { [DEFAULT_PROJECT]: ruleFrom(project), ...Object.fromEntries(each) };
}

function ruleFrom(given: Partial<ProjectRule> = {}, where = "project"): ProjectRule {
  const { status = ACTIVE, allowedChannels } = given;
  const why = statusProblem(status);
  if (why !== undefined) throw new ConfigError(`${where}.status ${why}`);
  const isLimited = allowedChannels !== undefined && !isAll(allowedChannels);
  return { status, ...(isLimited && { allowedChannels }) };
}

function ownSettings(project: string, given: ProjectConfig): Partial<OwnSettings> {
  const { limits = {}, busyText } = given;
  const names = PROJECT_LIMITS.map(publicName);
  const foreign = Object.keys(limits).find((name) => !(names as string[]).includes(name));
  if (foreign !== undefined)
    throw new ConfigError(`${at(project)}.limits.${foreign} is for all: a project has ${names.join(", ")}`);
  const found = limitsFrom(limits);
  if (typeof found === "string") throw new ConfigError(`${at(project)}.${found}`);
  const choices = choicesIn(given, PROJECT_CHOICES, `${at(project)}.`);
  return { ...found, ...choices, ...(busyText !== undefined && { busyText }) };
}
