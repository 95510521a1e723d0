import { ConfigError } from "../../errors.ts";
import type { Turn } from "../../ports/responder.ts";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import { isPlainUrl, plainUrlInWords } from "../../schema/plain-url.ts";
import { environmentSecrets } from "../../secrets/secrets.ts";
import type { OpenAiTools } from "./tools.ts";

/** What goes along with a turn of what was said before it. */
interface PastOptions {
  /** How much of the history goes along; the runtime's own limit where left out, 0 for none. */
  readonly historyMessagesMax?: number;
  /**
   * Conversations that moved in: the response (`resp_…`) or conversation (`conv_…`) at OpenAI that their
   * attributes name is shown to the model, in the first turn or in every one. `LULL_OPENAI_PAST`; else our
   * own record is all that goes along.
   */
  readonly pastAtOpenAi?: "first-turn" | "every-turn";
}

/** What differs between assistants. What one leaves out is as for all. */
export type OpenAiAssistant = Pick<
  OpenAiOptions,
  "model" | "instructions" | "tools" | "maxOutputTokens" | "reasoning" | "toolRoundsMax" | "media" | "body"
>;

/** Keys that records may ask for: by the name that they use, or a list of names of secrets. */
type ApiKeys = readonly string[] | Readonly<Record<string, SecretReference>>;

interface RecordOptions {
  /**
   * Who answers a conversation whose record names an assistant (`assistant_id_replies`, else `assistant_id`,
   * each in `ai_config`, else in the record itself), by that id. One that is not here gets no answer: its
   * messages become a dead letter. Without any, ids are not looked at.
   */
  readonly assistants?: Readonly<Record<string, OpenAiAssistant>>;
  /**
   * Keys that records may ask for (`ai_config.ai_api_key_reference`). Any other is refused in the same way.
   * Without any, `apiKey` is used.
   */
  readonly apiKeys?: ApiKeys;
}

/** Everything has a default; what the environment may say is named beside it. */
export interface OpenAiOptions extends PastOptions, RecordOptions {
  /** `OPENAI_MODEL`, else `gpt-6-luna`. */
  readonly model?: string;
  /**
   * Who the assistant is and what it may do: `LULL_INSTRUCTIONS`. A function may look at the turn and its
   * conversation.
   */
  readonly instructions?: string | ((turn: Turn) => string | Promise<string>);
  /** `{ env: "OPENAI_API_KEY" }`. */
  readonly apiKey?: SecretReference;
  /** `OPENAI_BASE_URL`, else OpenAI's own. */
  readonly baseUrl?: string;
  /** Counts what the model thinks as well as what it says. */
  readonly maxOutputTokens?: number;
  readonly reasoning?: { readonly effort?: string; readonly summary?: string };
  /** What the model may call, by name. */
  readonly tools?: OpenAiTools;
  /** How often the model may call tools before it has to answer. */
  readonly toolRoundsMax?: number;
  /**
   * `mention`: the model is told that there is an image. `link`: it is given the URL, which must be open to
   * OpenAI.
   */
  readonly media?: "mention" | "link";
  /** Further fields of the request, as OpenAI names them: `service_tier`, `text`, `metadata`, ... */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly secrets?: Secrets;
}

interface PastSettings {
  readonly historyMessagesMax: number | undefined;
  readonly pastAtOpenAi: OpenAiOptions["pastAtOpenAi"];
}

export interface OpenAiSettings extends PastSettings {
  readonly endpoint: URL;
  readonly model: string;
  readonly instructions: Exclude<OpenAiOptions["instructions"], undefined>;
  readonly apiKey: SecretReference;
  readonly secrets: Secrets;
  readonly maxOutputTokens: number | undefined;
  readonly reasoning: OpenAiOptions["reasoning"];
  readonly tools: OpenAiTools;
  readonly toolRoundsMax: number;
  readonly media: "mention" | "link";
  readonly body: Readonly<Record<string, unknown>>;
}

/** In place of a key: a model on the user's own machine wants none, but the header has to hold something. */
export const NO_KEY = "none";

const TOOL_ROUNDS_MAX = 8;

/** These would change what is asked or how the answer comes, and the reply would be misread. */
const NOT_IN_BODY = ["input", "stream", "background", "conversation", "previous_response_id"];

/** Fills in the defaults, and fails at start for what would otherwise fail at the first customer. */
export function settingsFrom(
  options: OpenAiOptions,
  env: Readonly<Record<string, string | undefined>>,
): OpenAiSettings {
  for (const field of NOT_IN_BODY) {
    if (field in (options.body ?? {}))
      throw new ConfigError(`openai: body.${field} cannot be set, lull needs it`);
  }
  return {
    // `||`: compose files hand on unset variables as empty ones.
    endpoint: endpointOf(options.baseUrl || env.OPENAI_BASE_URL || "https://api.openai.com/v1"),
    model: options.model || env.OPENAI_MODEL || "gpt-6-luna",
    instructions: options.instructions ?? env.LULL_INSTRUCTIONS ?? "",
    apiKey: options.apiKey ?? { env: "OPENAI_API_KEY" },
    secrets: options.secrets ?? environmentSecrets({ env }),
    historyMessagesMax: count("historyMessagesMax", options.historyMessagesMax),
    pastAtOpenAi: pastIn(options, env.LULL_OPENAI_PAST),
    maxOutputTokens: count("maxOutputTokens", options.maxOutputTokens),
    reasoning: options.reasoning,
    tools: options.tools ?? {},
    toolRoundsMax: count("toolRoundsMax", options.toolRoundsMax) ?? TOOL_ROUNDS_MAX,
    media: options.media ?? "mention",
    body: options.body ?? {},
  };
}

function pastIn({ pastAtOpenAi, historyMessagesMax }: OpenAiOptions, said: string | undefined) {
  const when = pastAtOpenAi ?? (said || undefined);
  if (when === undefined) return undefined;
  if (when !== "first-turn" && when !== "every-turn")
    throw new ConfigError("openai: pastAtOpenAi must be first-turn or every-turn");
  // It could not tell a first turn, and what was said since would be missing.
  if (historyMessagesMax === 0)
    throw new ConfigError("openai: pastAtOpenAi needs our own record beside it: historyMessagesMax is 0");
  return when;
}

const WITH_QUERY = { query: true } as const;

/** Keeps a query, which some compatible services want: `?api-version=...`. */
function endpointOf(baseUrl: string): URL {
  // Not repeated here: a URL that is wrong in this way may hold a password.
  if (!isPlainUrl(baseUrl, WITH_QUERY))
    throw new ConfigError(`openai: baseUrl must be ${plainUrlInWords(WITH_QUERY)}`);
  const endpoint = new URL(baseUrl);
  endpoint.pathname = `${endpoint.pathname.replace(/\/+$/, "")}/responses`;
  return endpoint;
}

function count(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
  throw new ConfigError(`openai: ${name} must be a whole number of at least 0`);
}
