import { ConfigError } from "../errors.ts";
import type { Responder } from "../ports/responder.ts";
import type { Secrets } from "../ports/secrets.ts";
import { echo } from "../responders/echo/index.ts";
import { http } from "../responders/http/index.ts";
import { openai } from "../responders/openai/index.ts";
import { checkOptions } from "./file-keys.ts";
import { COUNT_OR_NONE, choice, type Kind, SECRET, TEXT, URL_KIND } from "./knob.ts";
import { isRecord, referenceIn, type Settled } from "./settle.ts";
import { didYouMean } from "./suggest.ts";

/** Who answers, and who said so. */
export interface ConfiguredResponder {
  readonly respond: Responder;
  /** `openai`, `http`, `echo`, or `code` for a function of the user's own. */
  readonly kind: string;
  readonly origin: string;
}

/** What a responder may need beside its own options. */
export interface Means {
  readonly settled: Settled;
  readonly secrets: Secrets;
}

type Options = Readonly<Record<string, unknown>>;
type File = { readonly name: string; readonly content: Options } | undefined;

const KINDS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  openai: {
    model: TEXT,
    instructions: { type: "either", of: [TEXT, { type: "function" }] },
    apiKey: SECRET,
    baseUrl: URL_KIND,
    historyMessagesMax: COUNT_OR_NONE,
    maxOutputTokens: COUNT_OR_NONE,
    reasoning: { type: "object" },
    toolRoundsMax: COUNT_OR_NONE,
    media: choice("mention", "link"),
    body: { type: "object" },
  },
  http: {
    url: URL_KIND,
    secret: SECRET,
    headers: { type: "object", values: SECRET },
    historyMessagesMax: COUNT_OR_NONE,
  },
  echo: {},
};

/** The file decides who answers; without it an OpenAI key does; without either the echo answers. */
export function responderFrom(file: File, means: Means): ConfiguredResponder {
  const { respond, responder } = file?.content ?? {};
  if (respond !== undefined && responder !== undefined) {
    throw new ConfigError(`${file?.name}: respond and responder say the same thing; keep one`);
  }
  const given = respond ?? responder;
  if (given !== undefined)
    return described(given, respond === undefined ? "responder" : "respond", file, means);
  const { settled } = means;
  const origin = (settled.get("openai.apiKey") ?? settled.get("openai.baseUrl"))?.origin;
  if (origin !== undefined) return { respond: openai(openaiOptions({}, means)), kind: "openai", origin };
  return { respond: echo(), kind: "echo", origin: "default" };
}

/** Other responders for some channels. One for a channel that is not there would never be asked. */
export function respondersFrom(
  file: File,
  means: Means,
  channels: readonly string[],
): Record<string, Responder> | undefined {
  const given = file?.content.responders;
  if (given === undefined) return undefined;
  if (!isRecord(given))
    throw new ConfigError(`${file?.name}: responders must be an object: channels and who answers there`);
  const stranger = Object.keys(given).find((name) => !channels.includes(name));
  if (stranger !== undefined)
    throw new ConfigError(
      `${file?.name}: responders.${stranger}: there is no channel ${stranger}${didYouMean(stranger, channels)}`,
    );
  return Object.fromEntries(
    Object.entries(given).map(([name, each]) => [
      name,
      described(each, `responders.${name}`, file, means).respond,
    ]),
  );
}

function described(given: unknown, where: string, file: File, means: Means): ConfiguredResponder {
  const origin = file?.name ?? "";
  if (typeof given === "function") return { respond: given as Responder, kind: "code", origin };
  const [kind, options] = kindOf(given, `${origin}: ${where}`);
  checkOptions(options, KINDS[kind] ?? {}, origin, `${where}.${kind}.`);
  return { respond: make(kind, options, means), kind, origin };
}

function kindOf(given: unknown, where: string): [kind: string, options: Options] {
  const [kind, options, ...more] =
    typeof given === "string" ? [given, {}] : isRecord(given) ? Object.entries(given).flat() : [];
  if (typeof kind !== "string" || more.length > 0) throw new ConfigError(`${where} must be ${EXAMPLE}`);
  if (!Object.hasOwn(KINDS, kind)) {
    throw new ConfigError(
      `${where}: ${kind} is not a responder${didYouMean(kind, Object.keys(KINDS)) || `; ${EXAMPLE}`}`,
    );
  }
  return [kind, isRecord(options) ? options : {}];
}

const EXAMPLE = 'a function, "echo", { "openai": { ... } } or { "http": { "url": "https://..." } }';

function make(kind: string, options: Options, means: Means): Responder {
  if (kind === "openai") return openai(openaiOptions(options, means));
  const { secrets } = means;
  if (kind === "http") return http({ ...options, secrets } as unknown as Parameters<typeof http>[0]);
  return echo();
}

function openaiOptions(options: Options, { settled, secrets }: Means): Parameters<typeof openai>[0] {
  const model = settled.get("openai.model")?.value ?? options.model;
  const instructions = settled.get("openai.instructions")?.value ?? options.instructions;
  const baseUrl = settled.get("openai.baseUrl")?.value ?? options.baseUrl;
  return {
    ...options,
    ...(model !== undefined && { model }),
    ...(instructions !== undefined && { instructions }),
    ...(baseUrl !== undefined && { baseUrl }),
    apiKey: apiKeyOf(options, settled, baseUrl !== undefined),
    secrets,
  } as Parameters<typeof openai>[0];
}

function apiKeyOf(options: Options, settled: Settled, ownService: boolean): unknown {
  const key = settled.get("openai.apiKey");
  if (key !== undefined) return referenceIn(key);
  // A model on one's own machine wants no key, but the header has to hold something.
  return options.apiKey ?? (ownService ? "none" : { env: "OPENAI_API_KEY" });
}
