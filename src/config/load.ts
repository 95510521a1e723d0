import { ConfigError } from "../errors.ts";
import type { Log, LogFormat, LogLevel } from "../model/log.ts";
import type { SecretReference, Secrets } from "../ports/secrets.ts";
import type { LimitsConfig, LullConfig } from "../runtime/config.ts";
import { environmentSecrets } from "../secrets/secrets.ts";
import { type AskedResponder, askedBy } from "./asked-responders.ts";
import { type ConfiguredChannel, channelsFrom } from "./channels.ts";
import { type EngineLoaders, engineFrom, withEngineDefaults } from "./engine.ts";
import { type ConfigFile, loadFile } from "./file.ts";
import { misspeltVariables } from "./misspelt-variables.ts";
import { SUFFIX, textIn } from "./named-secret.ts";
import { projectsFrom } from "./projects.ts";
import {
  CONFIG_VARIABLE,
  LAYER,
  type ResolvedSettings,
  referenceIn,
  resolveSettings,
} from "./resolve-settings.ts";
import {
  answering,
  type ConfiguredResponder,
  handOffFrom,
  responderFrom,
  respondersFrom,
} from "./responder.ts";
import { type Said, saidIn } from "./said.ts";
import { windowFrom } from "./window.ts";

/**
 * What the configuration is wanted for: `dev` has the phone page, `start` needs a channel, `look` takes what
 * there is.
 */
export type Purpose = "dev" | "start" | "look";

export interface LoadRequest {
  readonly file: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly purpose: Purpose;
  /** The engines that this caller can run with. */
  readonly engines: EngineLoaders;
  /** Loads the store of named secrets, when the first one is asked for. */
  readonly namedSecrets?: () => Promise<Secrets>;
}

/** Everything that is in force. */
export interface Loaded {
  readonly file: ConfigFile | undefined;
  readonly resolved: ResolvedSettings;
  /** What the file says beside them. */
  readonly said: readonly Said[];
  /** Variables that change nothing, in sentences. */
  readonly misspelt: readonly string[];
  readonly channels: readonly ConfiguredChannel[];
  readonly responder: ConfiguredResponder;
  /** All responders that messages may reach, each by the name that a person knows it under. */
  readonly asked: readonly AskedResponder[];
  readonly server: ServerSettings;
  readonly secrets: Secrets;
  /** What `createLull` takes. */
  config(log: Log): LullConfig;
}

export interface ServerSettings {
  readonly port: number;
  readonly host: string;
  /** The database file in full; undefined when the configuration brings an engine that is not SQLite. */
  readonly db: string | undefined;
  readonly workers: number;
  readonly stopGraceMs: number;
  /** 0: the event loop is not watched. */
  readonly hungMs: number;
  readonly logLevel: LogLevel;
  /** Undefined: as fits where it goes. */
  readonly logFormat: LogFormat | undefined;
}

/**
 * Merges defaults, file, environment and flags. Throws a `ConfigError` that names what is wrong, and where it
 * was said.
 */
export async function load(request: LoadRequest): Promise<Loaded> {
  const file = await loadFile(request.file, request.cwd, request.env[CONFIG_VARIABLE]);
  const resolved = resolveSettings({ ...(file && { file }), env: request.env, flags: request.flags });
  const secrets = (file?.content.secrets as Secrets | undefined) ?? secretsFrom(request);
  const means = { resolved, secrets };
  const { projects, channels: ofProjects, asked: byProjects } = await projectsFrom(file, means);
  const withWeb = wantsWeb(request.purpose, resolved);
  const ownChannels = channelsFrom(file, resolved, { withWeb, ofProjects });
  const channels = [...ownChannels, ...ofProjects];
  if (request.purpose === "start" && channels.length === 0) throw new ConfigError(NO_CHANNEL);
  const responder = await responderFrom(file, means);
  // The phone page exists in `dev` only, but the file may also name its responder for `start`.
  const responders = await respondersFrom(file, means, [...ownChannels.map(({ name }) => name), "web"]);
  const handOff = await handOffFrom(file, means);
  const engine = await engineFrom(file, resolved, request.cwd, request.engines);
  const plain = {
    ...objectsIn(file),
    ...valuesOf(resolved),
    respond: responder.respond,
    ...answering(responders, handOff),
    engine: engine.provider,
    channels: Object.fromEntries(ownChannels.map(({ name, channel }) => [name, channel])),
    ...(ofProjects.length > 0 && { projects }),
    secrets,
  };
  return {
    file,
    resolved: withEngineDefaults(resolved, engine),
    said: saidIn(file),
    misspelt: misspeltVariables(request.env, file?.content),
    channels,
    responder,
    asked: askedBy({ responder, responders, handOff, channels, byProjects }),
    server: serverSettings(resolved, engine.db),
    secrets,
    config: (log) => ({ ...plain, log: (file?.content.log as Log | undefined) ?? log }),
  };
}

const NO_CHANNEL =
  "no channel is configured. Set TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_WHATSAPP_FROM " +
  "(or TWILIO_SMS_FROM), or WATI_API_URL, WATI_TOKEN and WATI_WEBHOOK_SECRET, " +
  "or LULL_WEB=1 for the phone page, or write a lull.config.ts. To try it without any: lull dev";

function wantsWeb(purpose: Purpose, resolved: ResolvedSettings): boolean {
  const said = resolved.get("web")?.value;
  // A command that only looks may look at what `lull dev` left behind.
  return said === undefined ? purpose !== "start" : said === true;
}

/** Most people name none, and need neither the packages nor the time that a store of named secrets costs. */
function secretsFrom({ env, namedSecrets }: LoadRequest): Secrets {
  const own = environmentSecrets({ env });
  if (namedSecrets === undefined) return own;
  let named: Promise<Secrets> | undefined;
  return {
    async get(reference) {
      const name = nameIn(reference, env);
      if (name === undefined) return own.get(reference);
      named ??= namedSecrets();
      return (await named).get({ name });
    },
    nameOf: (reference) => nameIn(reference, env),
  };
}

/** `{ env: "ACME_KEY" }` is also what `ACME_KEY_SECRET` names, as with our own variables. */
function nameIn(reference: SecretReference, env: LoadRequest["env"]): string | undefined {
  if (typeof reference === "string") return undefined;
  if ("name" in reference) return reference.name;
  if (!("env" in reference) || textIn(env, reference.env) !== undefined) return undefined;
  return textIn(env, `${reference.env}${SUFFIX}`);
}

function serverSettings(resolved: ResolvedSettings, db: string | undefined): ServerSettings {
  const value = <T>(key: string) => resolved.get(key)?.value as T;
  return {
    port: value("port"),
    host: value("host"),
    db,
    workers: value("workers"),
    stopGraceMs: value<number>("stopGraceSeconds") * 1_000,
    hungMs: value<number>("hungSeconds") * 1_000,
    logLevel: value("logLevel"),
    logFormat: value("logFormat"),
  };
}

/** Code in a configuration module is passed on as it is. */
function objectsIn(file: ConfigFile | undefined): Partial<LullConfig> {
  const { windows, project, clock, random } = (file?.content ?? {}) as Partial<LullConfig>;
  return {
    ...(windows && { windows }),
    ...(project && { project }),
    ...(clock && { clock }),
    ...(random && { random }),
  };
}

/** Defaults are left out: the core has them, and some are derived from others. */
function valuesOf(resolved: ResolvedSettings): Partial<LullConfig> {
  const said = [...resolved.values()].filter(({ layer, knob }) => layer > LAYER.default && !knob.notInFile);
  const limits = said.filter(({ knob }) => knob.key.startsWith("limits."));
  const plain = said.filter(({ knob }) => PLAIN.has(knob.key));
  const tokens = (["apiToken", "turnToken"] as const).flatMap((key) => {
    const token = resolved.get(key);
    return token ? [[key, referenceIn(token)]] : [];
  });
  return {
    window: windowFrom(resolved),
    limits: Object.fromEntries(
      limits.map(({ knob, value }) => [knob.key.slice("limits.".length), value]),
    ) as LimitsConfig,
    ...Object.fromEntries(plain.map(({ knob, value }) => [knob.key, value])),
    ...Object.fromEntries(tokens),
  };
}

const PLAIN = new Set([
  ...["whileBusy", "busyText", "failureText", "admission", "validation", "onUnknown", "publicUrl", "aliases"],
  ...["honourStatus", "mirrorMessages"],
]);
