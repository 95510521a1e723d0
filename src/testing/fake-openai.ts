import {
  type FakeBehaviour,
  type FakeDecision,
  type FakeError,
  type FakeReply,
  type FakeRequest,
  type FakeServer,
  fakeServer,
  growth,
  jsonReply,
} from "./fake-server.ts";

/** One time that a model was asked for an answer. */
export interface FakeOpenaiRequest extends Omit<FakeRequest, "body"> {
  /** 1 for the first one. */
  readonly n: number;
  /** What was sent, read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in it
  readonly body: any;
  /** What the user said last. */
  readonly lastUserText: string;
}

/**
 * What the model says. A plain string is a whole answer with that text. An `answer` has fields of the
 * response, over those of a completed one without output: `output`, `status`, `usage`, ... Everything else is
 * as with every fake.
 */
export type FakeOpenaiBehaviour =
  | string
  | {
      readonly kind: "answer";
      readonly afterMs?: number;
      readonly response: Readonly<Record<string, unknown>>;
    }
  | FakeBehaviour;

/** What `fakeOpenai` returns. Its `url` ends in `/v1`, for `OPENAI_BASE_URL`. */
export interface FakeOpenai extends FakeServer<FakeOpenaiRequest, FakeOpenaiBehaviour> {
  /** What the model was asked, oldest first. What is refused is in `requests` alone. */
  readonly asked: readonly FakeOpenaiRequest[];
  /** For `openai({ instructions, ...fake.options() })`. */
  options(): { readonly apiKey: string; readonly baseUrl: string };
  /** The same as variables, for a service that is a process of its own. */
  environment(): Readonly<Record<string, string>>;
  /** Resolves with the n-th question, as soon as it is here. */
  whenAsked(n: number): Promise<FakeOpenaiRequest>;
  /**
   * What OpenAI still has from before: a response (`resp_…`), or a conversation (`conv_…`) with its items,
   * oldest first. Every other id is unknown to it.
   */
  keep(id: string, items?: readonly Readonly<Record<string, unknown>>[]): void;
}

type Items = readonly Readonly<Record<string, unknown>>[];

const KEY = "a-key-of-the-fake";
const ITEMS = /^\/v1\/conversations\/([^/]+)\/items$/;
const MODELS = "/v1/models";
const NOTHING_ASKED = { body: {}, lastUserText: "", n: 0 };
const UNKNOWN_RESPONSE: FakeBehaviour = {
  kind: "error",
  status: 400,
  code: "previous_response_not_found",
  type: "invalid_request_error",
  param: "previous_response_id",
};

/**
 * OpenAI's `POST /v1/responses` and the items of its conversations on the loopback interface. By default it
 * answers `answer to: <last user text>`. Its list of models is empty, and fails where `behave` says that it
 * fails: then with `n` 0. Assistants, threads and runs are gone, as they are at OpenAI: 404.
 */
export function fakeOpenai(): FakeOpenai {
  const asked: FakeOpenaiRequest[] = [];
  const questions = growth();
  const kept = new Map<string, Items>();
  let decide: FakeDecision<FakeOpenaiRequest, FakeOpenaiBehaviour> = answerTo;

  const handle = ({ path, query }: FakeRequest): FakeReply =>
    path === MODELS
      ? jsonReply(200, { object: "list", data: [] })
      : listing(kept.get(ITEMS.exec(path)?.[1] ?? ""), query);
  const server = fakeServer({ handle, refuse });
  server.behave(async (request) => {
    if (request.method === "GET" && ITEMS.test(request.path)) return { kind: "ok" };
    if (request.method === "GET" && request.path === MODELS)
      return modelsOr(met(await decide({ ...request, ...NOTHING_ASKED }, 0), NOTHING_ASKED));
    const body = parsed(request.body);
    const refused = refusalOf(request, body);
    if (refused !== undefined) return { kind: "error", ...refused };
    const question = { ...request, body, lastUserText: lastUserText(body), n: asked.length + 1 };
    asked.push(question);
    questions.grown(asked.length);
    const past = (body as { previous_response_id?: string }).previous_response_id;
    const isLost = past !== undefined && !kept.has(past);
    return met(isLost ? UNKNOWN_RESPONSE : await decide(question, question.n), question);
  });

  const account = () => ({ apiKey: KEY, baseUrl: `${server.url}/v1` });
  const environment = () => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${server.url}/v1` });
  const { requests, start, stop, nextRequest } = server;
  return {
    get url() {
      return `${server.url}/v1`;
    },
    ...{ requests, asked, start, stop, nextRequest, options: account, environment },
    behave(behaviour) {
      decide = typeof behaviour === "function" ? behaviour : () => behaviour;
    },
    async whenAsked(n) {
      await questions.reaches(n, asked.length);
      return asked[n - 1] as FakeOpenaiRequest;
    },
    keep: (id, items = []) => void kept.set(id, items),
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

function answerTo({ lastUserText: text }: Pick<FakeOpenaiRequest, "lastUserText">): string {
  return `answer to: ${text}`;
}

/** What the server does with a question. Every answer names its request, as OpenAI's do. */
function met(
  behaviour: FakeOpenaiBehaviour,
  question: Pick<FakeOpenaiRequest, "n" | "lastUserText">,
): FakeBehaviour {
  if (typeof behaviour === "string") return met(saying(behaviour), question);
  const { n } = question;
  const headers = { "content-type": "application/json", "x-request-id": `req_${n}` };
  switch (behaviour.kind) {
    case "ok":
      return met({ ...behaviour, ...saying(answerTo(question)) }, question);
    case "answer": {
      const { response, ...rest } = behaviour;
      return { ...rest, kind: "status", status: 200, headers, body: completed(n, response) };
    }
    case "error":
    case "status":
      return { ...behaviour, headers: { ...headers, ...behaviour.headers } };
    default:
      return behaviour;
  }
}

function saying(text: string): Extract<FakeOpenaiBehaviour, { kind: "answer" }> {
  return { kind: "answer", response: { output: [fakeMessage(text)] } };
}

/** A page of items, the newest first if that is asked for. */
function listing(items: Items | undefined, query: URLSearchParams): FakeReply {
  if (items === undefined) return refuse({ status: 404, type: "invalid_request_error" });
  const ordered = query.get("order") === "asc" ? items : items.toReversed();
  const data = ordered.slice(0, Number(query.get("limit") ?? 20));
  return jsonReply(200, { object: "list", data, has_more: data.length < items.length });
}

/** Asked for its models it fails as it fails with everything else. */
function modelsOr(behaviour: FakeBehaviour): FakeBehaviour {
  const isWell = behaviour.kind === "ok" || (behaviour.kind === "status" && behaviour.status === 200);
  return isWell ? { kind: "ok" } : behaviour;
}

function refusalOf({ method, path, headers }: FakeRequest, body: unknown): FakeError | undefined {
  if (method !== "POST" || path !== "/v1/responses") return { status: 404, type: "invalid_request_error" };
  if (!headers.authorization?.startsWith("Bearer ")) return { status: 401, code: "invalid_api_key" };
  if (body === undefined) return { status: 400, type: "invalid_request_error" };
  return undefined;
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

function refuse({ status, code, type, message, param }: FakeError): FakeReply {
  const error = {
    message: message ?? `error ${status}`,
    type: type ?? null,
    param: param ?? null,
    code: code ?? null,
  };
  return jsonReply(status, { error });
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
