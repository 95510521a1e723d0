import { ConfigError, LullError } from "../../errors.ts";
import { unreachable } from "../../wire/connection-failure.ts";
import { type AnswerHeaders, callHttp, type HttpAnswer, type HttpCall } from "../../wire/http-call.ts";
import type { RequestBody } from "./body.ts";
import { notAnAnswer, refusedBy } from "./failure.ts";
import type { OpenAiSettings } from "./options.ts";

export interface Answer {
  readonly headers: AnswerHeaders;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Far beyond any answer. It keeps a wrong address from filling the memory, as often as turns run at once. */
export const RESPONSE_BYTES_MAX = 4_000_000;

/** One request, one try. The turn tries again: it waits without holding a worker, and survives a crash. */
export function callOpenAi(
  settings: OpenAiSettings,
  body: RequestBody,
  signal: AbortSignal,
): Promise<Answer> {
  return call(settings, settings.endpoint, { method: "POST", body: JSON.stringify(body), signal });
}

/** `path` stands beside `responses`. */
export function readFromOpenAi(
  settings: OpenAiSettings,
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Answer> {
  const url = besideResponses(settings.endpoint, path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return call(settings, url, { method: "GET", signal });
}

/** Beside `responses`, with its query: some compatible services want `?api-version=...`. */
export function besideResponses(endpoint: URL, path: string): URL {
  const url = new URL(endpoint);
  url.pathname = url.pathname.replace(/responses$/, path);
  return url;
}

async function call(
  settings: OpenAiSettings,
  url: URL,
  request: Pick<HttpCall, "method" | "body" | "signal">,
): Promise<Answer> {
  const { signal } = request;
  const headers = { "content-type": "application/json", authorization: await authorization(settings) };
  try {
    const answer = await callHttp(url, { ...request, headers, answerBytesMax: RESPONSE_BYTES_MAX });
    return read(answer);
  } catch (error) {
    // An abort is not OpenAI's fault: the caller that aborted gets its own reason back.
    signal.throwIfAborted();
    throw error instanceof LullError ? error : unreachable("OpenAI", "OPENAI_UNREACHABLE", error);
  }
}

/** Checked here, where it is known whose key it is. */
export async function authorization({
  secrets,
  apiKey,
}: Pick<OpenAiSettings, "secrets" | "apiKey">): Promise<string> {
  const key = await secrets.get(apiKey);
  if (/^[\x21-\x7e]+$/.test(key)) return `Bearer ${key}`;
  throw new ConfigError("openai: the API key holds characters that cannot be sent (a space, a line break?)");
}

function read(answer: HttpAnswer): Answer {
  const { status, headers, text } = answer;
  if (text === undefined) throw notAnAnswer(`OpenAI answered ${status} without end`, answer);
  const json = parsed(text);
  if (status >= 300 && status < 400) throw refusedBy(status, headers, json);
  if (json === undefined) throw notAnAnswer(`OpenAI answered ${status} without JSON`, answer);
  if (status < 200 || status > 299) throw refusedBy(status, headers, json);
  return { headers, json };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
