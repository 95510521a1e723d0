import { DEFAULTS, MEMORY_MARGIN_MS, MIRROR_MESSAGES_MAX, settingsWith } from "../core/defaults.ts";
import { ConfigError } from "../errors.ts";
import type { LimitSettings } from "../model/limits.ts";
import type { Log } from "../model/log.ts";
import type { ProjectRule } from "../model/project.ts";
import {
  CHOICES,
  type ChannelSettings,
  type Choices,
  type GivenSettings,
  type Settings,
} from "../model/settings.ts";
import type { WindowPolicy } from "../model/window.ts";
import type { Clock } from "../ports/clock.ts";
import type { EngineProvider } from "../ports/engine.ts";
import type { Responder } from "../ports/responder.ts";
import type { SecretReference, Secrets } from "../ports/secrets.ts";
import { ALIASES, type Aliases } from "../schema/aliases.ts";
import { limitsFrom } from "../schema/limits.ts";
import type { LimitsConfig } from "../schema/limits-config.ts";
import { isPlainUrl, PUBLIC_URL_RULE, plainUrlInWords } from "../schema/plain-url.ts";
import { problemsIn, TO_PEOPLE } from "../schema/problems.ts";
import { flag, options, whole } from "../schema/schema.ts";
import { didYouMean } from "../schema/suggest.ts";
import { isSameQueue } from "../wire/queue-url.ts";
import type { AnsweringConfig } from "./answering-config.ts";
import { type Arranged, channelsOf, type Said } from "./arranged.ts";
import { choicesIn } from "./choices.ts";
import { type ProjectConfig, projectSettings } from "./project-config.ts";
import type { PartOf } from "./service-metrics.ts";
import { type WindowConfig, windowPolicy } from "./window-config.ts";

export type { LimitsConfig, WindowConfig };

/** What `createLull` takes. */
export interface LullConfig extends AnsweringConfig, Partial<Choices>, ServiceConfig, ProcessConfig {
  /** Where everything durable is: `sqlite({ file })`, `aws()`, `memory()` or one of your own. */
  readonly engine: EngineProvider;
}

/** What is of the whole service, whatever channels it has. */
interface ServiceConfig {
  /**
   * A conversation whose record says that another system processes it is left to that system, until it is
   * done or `limits.honourStatusSeconds` have passed.
   */
  readonly honourStatus?: boolean;
  /** On AWS: how many of the newest messages are also kept in the conversation's row, for others to read. */
  readonly mirrorMessages?: number;
  /** Counts for every conversation: a status other than `active` refuses, as do other channel types. */
  readonly project?: Partial<ProjectRule>;
  /** Several projects (tenants), by name: each with its channels, and with what differs for it. */
  readonly projects?: Readonly<Record<string, ProjectConfig>>;
  /** Numbers, each with a default. */
  readonly limits?: LimitsConfig;
  /** Base of the URL that providers call, for signatures and status callbacks. */
  readonly publicUrl?: string;
  /**
   * Other paths of webhooks, each with its channel: `{ "/webhook": "wati" }` serves `POST /webhook` like
   * `POST /webhooks/wati`, for a provider that calls the path of the system before.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /**
   * Bearer token for `/api`, 16 characters or more. Without one `/api` answers on loopback only, and with a
   * `publicUrl` not at all.
   */
  readonly apiToken?: SecretReference;
  /** Another token, for responders that answer later: it may answer turns and do nothing else. */
  readonly turnToken?: SecretReference;
}

/** What a process brings along. */
interface ProcessConfig {
  /** Who resolves `{ env }`, `{ file }` and `{ name }`. Default: `environmentSecrets()`. */
  readonly secrets?: Secrets;
  /** Where log lines go. Default: `warn` and `error` to stderr, one JSON object a line. */
  readonly log?: Log;
  /** The machine's own where left out. Handed in by tests. */
  readonly clock?: Clock;
  /** Who this process is to the store; made up where it is left out. */
  readonly workerId?: string;
  /** Set where several processes are one service, as the workers of `lull start` are. */
  readonly partOf?: PartOf;
  /** 0 up to 1, for the jitter of backoffs. Handed in by tests. */
  readonly random?: () => number;
}

/** Paths are appended to it. Not repeated where it is wrong: it may hold a password. */
export function publicUrlIn({ publicUrl }: LullConfig): string | undefined {
  if (publicUrl === undefined) return undefined;
  if (!isPlainUrl(publicUrl, PUBLIC_URL_RULE))
    throw new ConfigError(`publicUrl must be ${plainUrlInWords(PUBLIC_URL_RULE)}`);
  return publicUrl.replace(/\/+$/, "");
}

/** Paths that stand for `/webhooks/<channel>`, checked. */
export function aliasesIn({ aliases = {} }: LullConfig, channels: Arranged): Aliases {
  const [problem] = problemsIn(aliases, ALIASES, "aliases", TO_PEOPLE);
  if (problem !== undefined) throw new ConfigError(problem);
  for (const [path, name] of Object.entries(aliases)) {
    if (!channels.has(name))
      throw new ConfigError(
        `aliases: the channel that ${path} is for does not exist${didYouMean(name, channels.keys())}`,
      );
  }
  return aliases;
}

/** Checks the configuration and turns it into settings: seconds into ms, names into policies. */
export function settingsFrom(config: LullConfig, channels: Arranged): Settings {
  checkTargets(config, channels);
  const window = config.window === undefined ? DEFAULTS.window : windowPolicy(config.window, "window");
  const settings = settingsWith({
    ...config.engine.defaults,
    ...limitSettings(config),
    ...choicesIn(config, Object.keys(CHOICES) as (keyof Choices)[]),
    window,
    channels: channelSettings(channels, window),
    bringsHistory: respondersIn(config, channels).some(({ value }) => value.readsHistory),
    ...besideOthers(config),
    ...(config.busyText !== undefined && { busyText: config.busyText }),
    ...(config.failureText !== undefined && { failureText: config.failureText }),
    projects: projectSettings(config, channelsOf(channels)),
  });
  return { ...settings, dedupeMs: settings.dedupeMs + MEMORY_MARGIN_MS };
}

function limitSettings({ limits = {} }: LullConfig): Partial<LimitSettings> {
  const found = limitsFrom(limits);
  if (typeof found === "string") throw new ConfigError(found);
  return found;
}

/** What matters while another system works on the same conversations. */
function besideOthers({ honourStatus, mirrorMessages, engine }: LullConfig): Partial<GivenSettings> {
  const given = { honourStatus, mirrorMessages };
  const [problem] = problemsIn(given, BESIDE_OTHERS, "", TO_PEOPLE);
  if (problem !== undefined) throw new ConfigError(problem);
  if (mirrorMessages && !engine.hasSharedRows)
    throw new ConfigError(
      `mirrorMessages: ${engine.name} keeps no row that other systems read; only AWS does. Leave it out`,
    );
  return {
    ...(honourStatus !== undefined && { honourStatus }),
    ...(mirrorMessages !== undefined && { mirrorMessages }),
  };
}

const BESIDE_OTHERS = options({
  honourStatus: flag(),
  mirrorMessages: whole({ minimum: 0, maximum: MIRROR_MESSAGES_MAX }),
});

/** A turn in a trigger queue would be read as poison, or would wake a conversation without messages. */
function checkTargets(config: LullConfig, channels: Arranged): void {
  const { engine, handOffTo } = config;
  const handOffs = [...channels.values()].flatMap(({ handOff }) => handOff ?? []);
  const targets = [...respondersIn(config, channels), ...said(handOffTo, "handOffTo"), ...handOffs];
  const triggers = engine.triggerQueues?.() ?? [];
  for (const { where, value } of targets) {
    const url = value.handsTo;
    if (url !== undefined && triggers.some((trigger) => isSameQueue(trigger, url)))
      throw new ConfigError(`${where}: ${url} is one of the queues that wake us; hand turns to another one`);
  }
}

/** Without `handOffTo`: its turns are a human's, and rare, and it asks for the history by itself. */
function respondersIn({ respond }: LullConfig, channels: Arranged): Said<Responder>[] {
  const own = [...channels.values()].flatMap(({ responder }) => responder ?? []);
  return [...said(respond, "the responder"), ...own];
}

function said(value: Responder | undefined, where: string): Said<Responder>[] {
  return value ? [{ value, where }] : [];
}

/** A lost send has settled long before this; a longer wait gains nothing. */
const SETTLE_MS_MAX = 24 * 3_600_000;

function channelSettings(channels: Arranged, forAll: WindowPolicy): Record<string, ChannelSettings> {
  const each = [...channels].map(([name, arranged]): [string, ChannelSettings] => {
    const { channel, where, project, window: own } = arranged;
    const { type, settleMs } = channel;
    if (settleMs !== undefined && !(settleMs >= 0 && settleMs <= SETTLE_MS_MAX))
      throw new ConfigError(`${where}: settleMs is ${settleMs}, and must be from 0 to ${SETTLE_MS_MAX}`);
    const window = own ? windowPolicy(own.value, own.where) : forAll;
    const optional = { ...(settleMs !== undefined && { settleMs }), ...(project && { project }) };
    return [name, { type, window, ...optional }];
  });
  return Object.fromEntries(each);
}
