import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface FakeOpenAiRequest {
  /** 1 for the first request that arrived. */
  readonly n: number;
  /** Wall time, comparable with that of other processes. */
  readonly atMs: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in it
  readonly body: any;
  /** What the user said last. */
  readonly lastUserText: string;
  /** Resolves when the caller's connection is closed or its answer is out. */
  readonly over: Promise<void>;
}

export interface FakeOpenAiError {
  readonly status: number;
  readonly code?: string;
  readonly type?: string;
  readonly message?: string;
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the fake does with a request. A plain string is a completed answer with that text. */
export type FakeOpenAiAnswer =
  | string
  /**
   * Fields of the response, over those of a completed one without output: `output`, `status`, `usage`, ...
   */
  | { readonly response: Readonly<Record<string, unknown>> }
  | { readonly error: FakeOpenAiError }
  | { readonly raw: string; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  /** Never answers; the connection stays open until the caller or `stop` ends it. */
  | { readonly hang: true }
  /** Closes the connection without an answer. */
  | { readonly drop: true }
  | { readonly after: Promise<unknown>; readonly answer: FakeOpenAiAnswer };

export type FakeOpenAiBehaviour = (
  request: FakeOpenAiRequest,
  n: number,
) => FakeOpenAiAnswer | Promise<FakeOpenAiAnswer>;

export interface FakeOpenAi {
  /** Listens on a free port of the loopback interface. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** For `OPENAI_BASE_URL`: ends in `/v1`. */
  readonly url: string;
  /** In order of arrival. */
  readonly requests: readonly FakeOpenAiRequest[];
  behave(behaviour: FakeOpenAiBehaviour): void;
  /**
   * What OpenAI still has from before: a response (`resp_…`), or a conversation (`conv_…`) with its items,
   * oldest first. Every other id is unknown to it.
   */
  keep(id: string, items?: readonly Readonly<Record<string, unknown>>[]): void;
  /** Paths and queries of what was read, in order. */
  readonly reads: readonly string[];
  /** Resolves as soon as the n-th request has arrived. */
  arrival(n: number): Promise<FakeOpenAiRequest>;
}

/**
 * OpenAI's `POST /v1/responses` and the items of its conversations on the loopback interface. By default it
 * answers `answer to: <last user text>`. Assistants, threads and runs are gone, as they are at OpenAI: 404.
 */
export function fakeOpenAi(): FakeOpenAi {
  const requests: FakeOpenAiRequest[] = [];
  const waiting: { n: number; arrived: (request: FakeOpenAiRequest) => void }[] = [];
  let behaviour: FakeOpenAiBehaviour = (request) => `answer to: ${request.lastUserText}`;
  const kept = new Map<string, readonly Readonly<Record<string, unknown>>[]>();
  const reads: string[] = [];
  let port: number | undefined;

  const server = createServer(async (incoming, outgoing) => {
    const body = parsed(await text(incoming).catch(() => ""));
    const listed = ITEMS.exec(incoming.url ?? "")?.groups;
    if (incoming.method === "GET" && listed) {
      reads.push(incoming.url ?? "");
      return void carryOut(listing(kept.get(listed.id ?? ""), listed.query), 0, outgoing);
    }
    const refusal = refuse(incoming, body);
    if (refusal !== undefined) return void carryOut({ error: refusal }, 0, outgoing);
    const request = { ...recorded(incoming, outgoing, body), n: requests.length + 1 };
    requests.push(request);
    for (const { arrived } of waiting.filter(({ n }) => n === request.n)) arrived(request);
    const past = (body as { previous_response_id?: string }).previous_response_id;
    if (past !== undefined && !kept.has(past)) return void carryOut(UNKNOWN_RESPONSE, request.n, outgoing);
    await carryOut(await behaviour(request, request.n), request.n, outgoing);
  });

  return {
    async start() {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(0, "127.0.0.1", resolve);
      });
      port = (server.address() as AddressInfo).port;
    },
    async stop() {
      const closed = new Promise<unknown>((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
    get url() {
      if (port === undefined) throw new Error("start the fake first");
      return `http://127.0.0.1:${port}/v1`;
    },
    requests,
    reads,
    keep(id, items = []) {
      kept.set(id, items);
    },
    behave(next) {
      behaviour = next;
    },
    arrival(n) {
      const there = requests[n - 1];
      return there ? Promise.resolve(there) : new Promise((arrived) => waiting.push({ n, arrived }));
    },
  };
}

/** An assistant message, as it stands in a response's `output`. */
export function fakeMessage(...parts: readonly (string | Readonly<Record<string, unknown>>)[]) {
  const content = parts.map((part) =>
    typeof part === "string" ? { type: "output_text", text: part, annotations: [] } : part,
  );
  return { id: "msg_1", type: "message", role: "assistant", status: "completed", content };
}

/** Something said, as it stands among a conversation's items. */
export function fakeItem(role: "user" | "assistant", said: string) {
  const type = role === "user" ? "input_text" : "output_text";
  return { type: "message", role, status: "completed", content: [{ type, text: said }] };
}

/** A call of a tool, as it stands in a response's `output`. */
export function fakeToolCall(name: string, args: unknown, callId = "call_1") {
  const json = typeof args === "string" ? args : JSON.stringify(args);
  return {
    id: `fc_${callId}`,
    type: "function_call",
    status: "completed",
    call_id: callId,
    name,
    arguments: json,
  };
}

const ITEMS = /^\/v1\/conversations\/(?<id>[^/?]+)\/items\?(?<query>.*)$/;

const UNKNOWN_RESPONSE: FakeOpenAiAnswer = {
  error: {
    status: 400,
    code: "previous_response_not_found",
    type: "invalid_request_error",
    param: "previous_response_id",
  },
};

/** A page of items, the newest first if that is asked for. */
function listing(
  items: readonly Readonly<Record<string, unknown>>[] | undefined,
  asked: string | undefined,
): FakeOpenAiAnswer {
  if (items === undefined) return { error: { status: 404, type: "invalid_request_error" } };
  const query = new URLSearchParams(asked);
  const ordered = query.get("order") === "asc" ? items : items.toReversed();
  const data = ordered.slice(0, Number(query.get("limit") ?? 20));
  return { raw: JSON.stringify({ object: "list", data, has_more: data.length < items.length }) };
}

function refuse({ method, url, headers }: IncomingMessage, body: unknown): FakeOpenAiError | undefined {
  if (method !== "POST" || url !== "/v1/responses") return { status: 404, type: "invalid_request_error" };
  if (!headers.authorization?.startsWith("Bearer ")) return { status: 401, code: "invalid_api_key" };
  if (body === undefined) return { status: 400, type: "invalid_request_error" };
  return undefined;
}

function recorded(incoming: IncomingMessage, outgoing: ServerResponse, body: unknown) {
  return {
    atMs: performance.timeOrigin + performance.now(),
    headers: incoming.headers,
    body,
    lastUserText: lastUserText(body),
    over: new Promise<void>((resolve) => outgoing.once("close", resolve)),
  };
}

async function carryOut(answer: FakeOpenAiAnswer, n: number, outgoing: ServerResponse): Promise<void> {
  if (typeof answer === "string")
    return reply(outgoing, n, 200, completed(n, { output: [fakeMessage(answer)] }));
  if ("response" in answer) return reply(outgoing, n, 200, completed(n, answer.response));
  if ("error" in answer)
    return reply(outgoing, n, answer.error.status, errorBody(answer.error), answer.error.headers);
  if ("raw" in answer) return reply(outgoing, n, answer.status ?? 200, answer.raw, answer.headers);
  if ("drop" in answer) return void outgoing.destroy();
  if ("hang" in answer) return;
  await answer.after;
  return carryOut(answer.answer, n, outgoing);
}

function reply(
  outgoing: ServerResponse,
  n: number,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(status, { "content-type": "application/json", "x-request-id": `req_${n}`, ...headers });
  outgoing.end(body);
}

function completed(n: number, fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({
    id: `resp_${n}`,
    object: "response",
    created_at: 1_794_718_800,
    status: "completed",
    model: "gpt-6-luna",
    error: null,
    incomplete_details: null,
    output: [],
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 13,
    },
    ...fields,
  });
}

function errorBody({ status, code, type, message, param }: FakeOpenAiError): string {
  const error = {
    message: message ?? `error ${status}`,
    type: type ?? null,
    param: param ?? null,
    code: code ?? null,
  };
  return JSON.stringify({ error });
}

function lastUserText(body: unknown): string {
  const { input } = body as { input?: unknown };
  if (typeof input === "string") return input;
  const items = (Array.isArray(input) ? input : []).filter((item) => item?.role === "user");
  const content = items.at(-1)?.content ?? "";
  if (typeof content === "string") return content;
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
