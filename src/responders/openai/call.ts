import { ConfigError, LullError } from "../../errors.ts";
import { answerText } from "../../wire/answer-text.ts";
import { notAnAnswer, refusedBy, unreachable } from "./failure.ts";
import type { OpenAiSettings } from "./options.ts";
import type { RequestBody } from "./request.ts";

export interface Answer {
  readonly headers: Headers;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Far beyond any answer. It keeps a wrong address from filling the memory, as often as turns run at once. */
export const RESPONSE_BYTES_MAX = 4_000_000;

/** One request, one try. The turn tries again: it waits without holding a worker, and survives a crash. */
export async function callOpenAi(
  settings: OpenAiSettings,
  body: RequestBody,
  signal: AbortSignal,
): Promise<Answer> {
  const headers = { "content-type": "application/json", authorization: await authorization(settings) };
  try {
    const response = await fetch(settings.endpoint, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      // A redirected POST arrives as a GET, and whatever that returns is not our answer.
      redirect: "manual",
      signal,
    });
    return await read(response);
  } catch (error) {
    // An abort is not OpenAI's fault: the caller that aborted gets its own reason back.
    signal.throwIfAborted();
    throw error instanceof LullError ? error : unreachable(error);
  }
}

/** Checked here because `fetch` quotes the header, with the key in it, when it refuses one. */
async function authorization({ secrets, apiKey }: OpenAiSettings): Promise<string> {
  const key = await secrets.get(apiKey);
  if (/^[\x21-\x7e]+$/.test(key)) return `Bearer ${key}`;
  throw new ConfigError("openai: the API key holds characters that cannot be sent (a space, a line break?)");
}

async function read(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const json = parsed(await textOf(response));
  if (status >= 300 && status < 400) throw refusedBy(status, headers, json);
  if (json === undefined) throw notAnAnswer(`OpenAI answered ${status} without JSON`, response);
  if (!response.ok) throw refusedBy(status, headers, json);
  return { headers, json };
}

async function textOf(response: Response): Promise<string> {
  const text = await answerText(response.body, RESPONSE_BYTES_MAX);
  if (text !== undefined) return text;
  throw notAnAnswer(`OpenAI answered ${response.status} without end`, response);
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
