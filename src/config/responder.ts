import { ConfigError } from "../errors.ts";
import type { Responder } from "../ports/responder.ts";
import type { Secrets } from "../ports/secrets.ts";
import { echo } from "../responders/echo/index.ts";
import { type HttpOptions, http } from "../responders/http/index.ts";
import { type OpenAiOptions, openai } from "../responders/openai/index.ts";
import { NO_KEY } from "../responders/openai/options.ts";
import type { AnsweringConfig } from "../runtime/answering-config.ts";
import { isObject } from "../schema/is-object.ts";
import type { ObjectSchema } from "../schema/schema.ts";
import { didYouMean } from "../schema/suggest.ts";
import { checkOptions } from "./file-keys.ts";
import { missingPackage } from "./missing-package.ts";
import { type ResolvedSettings, referenceIn, type Setting } from "./resolve-settings.ts";
import { RESPONDER_OPTIONS } from "./responder-options.ts";

/** Who answers, and where that was set. */
export interface ConfiguredResponder {
  readonly respond: Responder;
  /** `openai`, `http`, `queue`, `echo`, or `code` for a function of the user's own. */
  readonly kind: string;
  readonly origin: string;
  /** Where it asks, if that is a provider: whose answers also tell the time. */
  readonly asksAt?: string;
}

/** What a responder may need beside its own options. */
export interface Means {
  readonly resolved: ResolvedSettings;
  readonly secrets: Secrets;
  /** For a project: what it says itself counts over the environment, which is for all. */
  readonly isProject?: boolean;
  /** Before the name of an option in an error. */
  readonly where?: string;
}

type Options = Readonly<Record<string, unknown>>;
type File = { readonly name: string; readonly content: Options } | undefined;

/**
 * The file decides who answers; without it a queue, then an OpenAI key; without any of them the echo answers.
 */
export async function responderFrom(file: File, means: Means): Promise<ConfiguredResponder> {
  const own = await responderOf(file, means);
  if (own) return own;
  const { resolved } = means;
  const target = resolved.get("aiQueue");
  if (target !== undefined) return inQueue(target, resolved.get("aiQueueAnswerSeconds"));
  const origin = (resolved.get("openai.apiKey") ?? resolved.get("openai.baseUrl"))?.origin;
  if (origin !== undefined) return byOpenai({}, means, origin);
  return { respond: echo(), kind: "echo", origin: "default" };
}

/** Who answers, as a file or a project in it says. */
export async function responderOf(file: File, means: Means): Promise<ConfiguredResponder | undefined> {
  const { respond, responder } = file?.content ?? {};
  const { where = "" } = means;
  if (respond !== undefined && responder !== undefined)
    throw new ConfigError(
      `${file?.name}: ${where}respond and ${where}responder say the same thing; keep one`,
    );
  const given = respond ?? responder;
  if (given === undefined) return undefined;
  return described(given, respond === undefined ? "responder" : "respond", file, means);
}

/** Other responders for some channels. One for a channel that does not exist would never be asked. */
export async function respondersFrom(
  file: File,
  means: Means,
  channels: readonly string[],
): Promise<Record<string, ConfiguredResponder>> {
  const given = file?.content.responders;
  if (given === undefined) return {};
  if (!isObject(given))
    throw new ConfigError(
      `${file?.name}: ${means.where ?? ""}responders must be an object: channels and who answers there`,
    );
  const unknownChannel = Object.keys(given).find((name) => !channels.includes(name));
  if (unknownChannel !== undefined)
    throw new ConfigError(
      `${file?.name}: ${means.where ?? ""}responders.${unknownChannel}: there is no channel ` +
        `${unknownChannel}${didYouMean(unknownChannel, channels)}`,
    );
  const entries = Object.entries(given).map(
    async ([name, each]) => [name, await described(each, `responders.${name}`, file, means)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** As `createLull` takes them. */
export function answering(
  responders: Readonly<Record<string, ConfiguredResponder>>,
  handOff: ConfiguredResponder | undefined,
): Pick<AnsweringConfig, "responders" | "handOffTo"> {
  const own = Object.entries(responders).map(([name, { respond }]) => [name, respond] as const);
  return {
    ...(own.length > 0 && { responders: Object.fromEntries(own) }),
    ...(handOff && { handOffTo: handOff.respond }),
  };
}

/** Who gets the turns of a conversation that a human has taken over. */
export async function handOffFrom(file: File, means: Means): Promise<ConfiguredResponder | undefined> {
  const given = file?.content.handOffTo;
  if (given !== undefined) return described(given, "handOffTo", file, means);
  const target = means.isProject ? undefined : means.resolved.get("handOffQueue");
  return target && inQueue(target);
}

async function inQueue({ value, origin }: Setting, within?: Setting): Promise<ConfiguredResponder> {
  const options = { url: value, ...(within && { answerWithinSeconds: within.value }) };
  return { respond: await makeQueue(options), kind: "queue", origin };
}

/** Loaded on demand: not every installation has its package. */
async function makeQueue(options: Options): Promise<Responder> {
  try {
    const { queue } = await import("../responders/queue/index.ts");
    return queue(options as unknown as Parameters<typeof queue>[0]);
  } catch (error) {
    const missing = missingPackage(error, true);
    throw missing === undefined ? error : new ConfigError(`responder queue: ${missing}`, error);
  }
}

async function described(
  given: unknown,
  key: string,
  file: File,
  means: Means,
): Promise<ConfiguredResponder> {
  const origin = file?.name ?? "";
  const where = `${means.where ?? ""}${key}`;
  if (typeof given === "function") return { respond: given as Responder, kind: "code", origin };
  const [kind, options] = kindOf(given, `${origin}: ${where}`);
  checkOptions(options, RESPONDER_OPTIONS[kind] as ObjectSchema, origin, `${where}.${kind}`);
  try {
    if (kind === "openai") return byOpenai(options, means, origin);
    return { respond: await make(kind, options, means), kind, origin };
  } catch (error) {
    // What a responder finds wrong itself: it does not know where its options stand.
    if (error instanceof ConfigError) throw new ConfigError(`${origin}: ${where}: ${error.message}`, error);
    throw error;
  }
}

function byOpenai(given: Options, means: Means, origin: string): ConfiguredResponder {
  const options = openaiOptions(given, means);
  const asksAt = options.baseUrl ?? "https://api.openai.com/v1";
  return { respond: openai(options), kind: "openai", origin, asksAt };
}

function kindOf(given: unknown, where: string): [kind: string, options: Options] {
  const [kind, options, ...more] =
    typeof given === "string" ? [given, {}] : isObject(given) ? Object.entries(given).flat() : [];
  if (typeof kind !== "string" || more.length > 0) throw new ConfigError(`${where} must be ${EXAMPLE}`);
  if (!Object.hasOwn(RESPONDER_OPTIONS, kind)) {
    const meant = didYouMean(kind, Object.keys(RESPONDER_OPTIONS));
    // Unless it is nearly one it is not repeated: people put the key to their model here.
    throw new ConfigError(
      meant ? `${where}: ${kind} is not a responder${meant}` : `${where} must be ${EXAMPLE}`,
    );
  }
  return [kind, isObject(options) ? options : {}];
}

const EXAMPLE =
  'a function, "echo", { "openai": { ... } }, { "http": { "url": "https://..." } } ' +
  'or { "queue": { "url": "https://..." } }';

function make(kind: string, options: Options, means: Means): Responder | Promise<Responder> {
  const { secrets } = means;
  if (kind === "http") return http({ ...options, secrets } as unknown as HttpOptions);
  return kind === "queue" ? makeQueue(options) : echo();
}

/** The variables that stand for options. */
const BY_VARIABLE = {
  model: "openai.model",
  instructions: "openai.instructions",
  baseUrl: "openai.baseUrl",
  pastAtOpenAi: "openai.past",
} as const;

function openaiOptions(options: Options, { resolved, secrets, isProject }: Means): OpenAiOptions {
  const set = Object.fromEntries(
    Object.entries(BY_VARIABLE).flatMap(([option, key]) => {
      const value = resolved.get(key)?.value;
      return value === undefined ? [] : [[option, value]];
    }),
  );
  const merged = isProject ? { ...set, ...options } : { ...options, ...set };
  const apiKey = apiKeyOf(merged, resolved, isProject === true);
  return { ...merged, apiKey, secrets } as OpenAiOptions;
}

function apiKeyOf({ apiKey, baseUrl }: Options, resolved: ResolvedSettings, ownFirst: boolean): unknown {
  const key = resolved.get("openai.apiKey");
  if (ownFirst && apiKey !== undefined) return apiKey;
  if (key !== undefined) return referenceIn(key);
  return apiKey ?? (baseUrl !== undefined ? NO_KEY : { env: "OPENAI_API_KEY" });
}
