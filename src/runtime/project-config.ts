import { ConfigError } from "../errors.ts";
import { publicName } from "../model/limits.ts";
import { ACTIVE, DEFAULT_PROJECT, type ProjectRule } from "../model/project.ts";
import { type GivenSettings, type OwnSettings, PROJECT_CHOICES, PROJECT_LIMITS } from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";
import type { SecretReference } from "../ports/secrets.ts";
import { limitsFrom } from "../schema/limits.ts";
import type { LimitsConfig } from "../schema/limits-config.ts";
import type { AnsweringConfig } from "./answering-config.ts";
import { channelTypeProblem } from "./channel-types.ts";
import { choicesIn } from "./choices.ts";

/** What a project has of its own. What it leaves out is as for all. */
export interface ProjectConfig extends AnsweringConfig, Partial<ProjectRule> {
  /** Those that are about its customers alone. */
  readonly limits?: Pick<LimitsConfig, "answerTimeoutSeconds" | "failureTextAfterSeconds" | OwnLimit>;
  /** Bearer tokens for `/api` that reach this project alone. */
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

interface Given {
  readonly project?: Partial<ProjectRule>;
  readonly projects?: Readonly<Record<string, ProjectConfig>>;
}

export function tokensIn({ projects = {} }: Given): Record<string, ProjectTokens> {
  return Object.fromEntries(
    Object.entries(projects).flatMap(([name, { tokens }]) => (tokens ? [[name, tokens]] : [])),
  );
}

/** What would be taken for a pause, and would refuse every message. */
const PAUSES = ["pause", "paused"];

/** `Active` would refuse every message, and is never meant. */
export function statusProblem(status: string, project: string): string | undefined {
  const word = status.trim().toLowerCase();
  if (word === "") return "must not be empty";
  if (PAUSES.includes(word))
    return `${word} would refuse messages, and not keep them; to keep them: lull projects pause ${project}`;
  const isMeant = word === ACTIVE && status !== ACTIVE;
  return isMeant ? `is written ${ACTIVE}, in small letters and without spaces` : undefined;
}

/** How a list says that it is none. */
export function isAll(channelTypes: readonly string[]): boolean {
  return channelTypes.length === 1 && channelTypes[0] === "all";
}

const at = (project: string) => `projects.${project}`;

/** What counts for each project; channels that are under none are in the default one. */
export function projectSettings(
  { project, projects = {} }: Given,
  channels: Readonly<Record<string, Channel>>,
): GivenSettings["projects"] {
  const each = Object.entries(projects).map(([name, given]) => {
    const own = ownSettings(name, given);
    return [
      name,
      { ...ruleFrom(given, name, channels), ...(Object.keys(own).length > 0 && { own }) },
    ] as const;
  });
  return { [DEFAULT_PROJECT]: ruleFrom(project, undefined, channels), ...Object.fromEntries(each) };
}

function ruleFrom(
  given: Partial<ProjectRule> = {},
  project: string | undefined,
  channels: Readonly<Record<string, Channel>>,
): ProjectRule {
  const { status = ACTIVE, allowedChannels } = given;
  const where = project === undefined ? "project" : at(project);
  const why = statusProblem(status, project ?? DEFAULT_PROJECT);
  if (why !== undefined) throw new ConfigError(`${where}.status ${why}`);
  if (allowedChannels === undefined || isAll(allowedChannels)) return { status };
  const problem = channelTypeProblem(allowedChannels, channels);
  if (problem !== undefined) throw new ConfigError(`${where}.allowedChannels: ${problem}`);
  return { status, allowedChannels };
}

function ownSettings(project: string, given: ProjectConfig): Partial<OwnSettings> {
  const { limits = {}, busyText, failureText } = given;
  const names = PROJECT_LIMITS.map(publicName);
  const foreign = Object.keys(limits).find((name) => !(names as string[]).includes(name));
  if (foreign !== undefined)
    throw new ConfigError(`${at(project)}.limits.${foreign} is for all: a project has ${names.join(", ")}`);
  const found = limitsFrom(limits);
  if (typeof found === "string") throw new ConfigError(`${at(project)}.${found}`);
  const choices = choicesIn(given, PROJECT_CHOICES, `${at(project)}.`);
  return {
    ...found,
    ...choices,
    ...(busyText !== undefined && { busyText }),
    ...(failureText !== undefined && { failureText }),
  };
}
