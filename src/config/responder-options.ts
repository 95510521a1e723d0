import type { HttpOptions } from "../responders/http/index.ts";
import type { OpenAiAssistant, OpenAiOptions } from "../responders/openai/index.ts";
import { SECONDS } from "../schema/limits.ts";
import { anything, either, list, type ObjectSchema, oneOf, options, record } from "../schema/schema.ts";
import { COUNT_OR_NONE, ENDPOINT_URL, FUNCTION, type SchemaOf, SECRET, TEXT, URL_KIND } from "./kinds.ts";

/** The type alone: what runs is loaded on demand. */
type QueueOptions = import("../responders/queue/index.ts").QueueOptions;

/** One assistant of several; tools are code. */
const ASSISTANT = options({
  model: TEXT,
  instructions: either(TEXT, FUNCTION),
  maxOutputTokens: COUNT_OR_NONE,
  reasoning: anything(),
  toolRoundsMax: COUNT_OR_NONE,
  media: oneOf("mention", "link"),
  body: anything(),
} satisfies SchemaOf<Omit<OpenAiAssistant, "tools">>);

/** What a file may say of who answers, by kind. */
export const RESPONDER_OPTIONS: Readonly<Record<string, ObjectSchema>> = {
  openai: options({
    model: TEXT,
    instructions: either(TEXT, FUNCTION),
    apiKey: SECRET,
    baseUrl: ENDPOINT_URL,
    historyMessagesMax: COUNT_OR_NONE,
    pastAtOpenAi: oneOf("first-turn", "every-turn"),
    maxOutputTokens: COUNT_OR_NONE,
    reasoning: anything(),
    toolRoundsMax: COUNT_OR_NONE,
    media: oneOf("mention", "link"),
    body: anything(),
    assistants: record(ASSISTANT),
    apiKeys: either(list(TEXT), record(SECRET)),
  } satisfies SchemaOf<Omit<OpenAiOptions, "tools" | "secrets">>),
  http: options({
    url: ENDPOINT_URL,
    secret: SECRET,
    headers: record(SECRET),
    historyMessagesMax: COUNT_OR_NONE,
  } satisfies SchemaOf<Omit<HttpOptions, "secrets">>),
  queue: options({
    url: URL_KIND,
    answerWithinSeconds: SECONDS,
    historyMessagesMax: COUNT_OR_NONE,
    region: TEXT,
    endpoint: URL_KIND,
  } satisfies SchemaOf<Omit<QueueOptions, "client">>),
  echo: options({}),
};
