import { createHmac } from "node:crypto";
import { ConfigError, LullError } from "../../errors.ts";
import type { Reply } from "../../model/reply.ts";
import type { Responder, Turn } from "../../ports/responder.ts";
import { isPlainUrl, plainUrlInWords } from "../../schema/plain-url.ts";
import { environmentSecrets } from "../../secrets/secrets.ts";
import { unreachable } from "../../wire/connection-failure.ts";
import { callHttp } from "../../wire/http-call.ts";
import { ANSWER_BYTES_MAX, isSuccess, readAnswer } from "./answer.ts";
import { check } from "./check.ts";
import type { HttpOptions, Service } from "./options.ts";

export type { HttpOptions };

/** Posts the turn to a service of the user's own. Its answer is the reply. */
export function http(options: HttpOptions): Responder {
  const service: Service = {
    ...options,
    endpoint: endpointOf(options.url),
    secrets: options.secrets ?? environmentSecrets(),
  };
  const respond = (turn: Turn) => ask(service, turn);
  return Object.assign(respond, {
    readsHistory: service.historyMessagesMax !== 0,
    check: (signal: AbortSignal) => check(service, signal),
  });
}

const WITH_QUERY = { query: true } as const;

function endpointOf(url: string): URL {
  // Not repeated here: a URL that is wrong in this way may hold a password.
  if (!isPlainUrl(url, WITH_QUERY))
    throw new ConfigError(
      `http: url must be ${plainUrlInWords(WITH_QUERY)}; use \`headers\` for credentials`,
    );
  return new URL(url);
}

async function ask(service: Service, turn: Turn): Promise<Reply> {
  const body = JSON.stringify(await payloadOf(service, turn));
  const headers = await headersFor(service, turn, body);
  try {
    const answer = await callHttp(service.endpoint, {
      method: "POST",
      headers: Object.fromEntries(headers),
      body,
      signal: turn.signal,
      answerBytesMax: ANSWER_BYTES_MAX,
      reads: isSuccess,
    });
    return readAnswer(answer, service.endpoint.host);
  } catch (error) {
    // An abort is not the service's fault: the caller that aborted gets its own reason back.
    turn.signal.throwIfAborted();
    throw error instanceof LullError ? error : unreachable(service.endpoint.host, "HTTP_UNREACHABLE", error);
  }
}

async function payloadOf({ historyMessagesMax }: Service, turn: Turn): Promise<Record<string, unknown>> {
  const { id, attempt, channel, text, messages, media, conversation } = turn;
  const history = historyMessagesMax === 0 ? [] : await turn.history(historyMessagesMax);
  return { turn: { id, attempt, channel, text, messages, media }, conversation, history };
}

async function headersFor(service: Service, turn: Turn, body: string): Promise<Headers> {
  const headers = new Headers();
  for (const [name, reference] of Object.entries(service.headers ?? {})) {
    setHeader(headers, name, await service.secrets.get(reference));
  }
  headers.set("content-type", "application/json");
  // The same turn may be asked again after a crash; a service that keeps its answers by this key works only
  // once.
  headers.set("idempotency-key", turn.id);
  if (service.secret !== undefined) {
    const secret = await service.secrets.get(service.secret);
    headers.set("x-lull-signature", `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  }
  return headers;
}

/** The value is probably a secret, and the error of `set` would quote it. */
function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw new ConfigError(`http: the header ${name} cannot be sent (a line break in its value?)`);
  }
}
