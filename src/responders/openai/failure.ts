import { LullError, type RetryAdvice } from "../../errors.ts";
import type { AnswerHeaders, HttpAnswer } from "../../wire/http-call.ts";
import { passes } from "../../wire/outage.ts";
import { retryAfterIn } from "../../wire/retry-after.ts";

/** What an error body says, as far as it is safe to repeat. */
interface Detail {
  readonly code?: string;
  readonly type?: string;
  readonly param?: string;
}

interface Judgement {
  readonly code: string;
  readonly retry: RetryAdvice;
  readonly outage?: false;
  readonly credentials?: true;
}

const later = (code: string): Judgement => ({ code, retry: "later" });
/** Worth another try, but not for as long as an outage may last: this very message may be the cause. */
const again = (code: string): Judgement => ({ ...later(code), outage: false });
const never = (code: string): Judgement => ({ code, retry: "never" });

/** A 429 that waiting does not heal: the account is out of credit. */
const OUT_OF_CREDIT = /insufficient_|billing|credit/;

/** An answer of OpenAI that is an error. */
export function refusedBy(status: number, headers: AnswerHeaders, body: unknown): LullError {
  const detail = detailOf(body);
  return failure(`OpenAI answered ${status}`, judge(status, detail), headers, detail);
}

function judge(status: number, { code = "", type = "" }: Detail): Judgement {
  if (status === 402) return never("OPENAI_QUOTA");
  if (status === 429) {
    return OUT_OF_CREDIT.test(`${code} ${type}`) ? never("OPENAI_QUOTA") : later("OPENAI_RATE_LIMITED");
  }
  // `conversation_locked` is a 400 by number, but says "try again in a few seconds".
  if (status === 408 || status === 409 || status >= 500 || code === "conversation_locked") {
    return later("OPENAI_UNAVAILABLE");
  }
  // The key is wrong, and an operator changes it. A 403 is about what the key may do, and stays.
  if (status === 401) return { ...later("OPENAI_UNAUTHORIZED"), credentials: true };
  if (status === 403) return never("OPENAI_UNAUTHORIZED");
  if (status === 404) return never("OPENAI_NOT_FOUND");
  return never("OPENAI_REJECTED");
}

/** Codes that speak of the account, and of no request. */
const OF_ALL = ["OPENAI_QUOTA"];

/** Whether OpenAI refuses this very request, rather than all of them for a while. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof LullError) || error.outage || error.credentials) return false;
  return error.code.startsWith("OPENAI_") && !OF_ALL.includes(error.code);
}

/** A 200 whose response says `failed`. */
export function failedResponse(headers: AnswerHeaders, error: unknown): LullError {
  const detail = detailOf({ error });
  const isPassing = /^(server_error|rate_limit_exceeded|vector_store_timeout)$/.test(detail.code ?? "");
  return failure("OpenAI's response failed", (isPassing ? later : never)("OPENAI_FAILED"), headers, detail);
}

/** Not an answer of the API at all: a proxy's page, half a body, a response that was never finished. */
export function notAnAnswer(
  what: string,
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
): LullError {
  return failure(what, (passes(status) ? later : again)("OPENAI_UNAVAILABLE"), headers);
}

/**
 * The model said nothing. A filter or token limit that cut the answer off would do so again, and each try is
 * paid for: a person should look. A finished answer without words is chance: it counts as an attempt, and the
 * next one may work.
 */
export function empty(headers: AnswerHeaders, cutOffBy: string | undefined): LullError {
  const why = word(cutOffBy);
  const message =
    why === undefined ? "OpenAI's answer has no text" : `OpenAI cut the answer off before any text: ${why}`;
  return failure(message, (cutOffBy === undefined ? again : never)("OPENAI_EMPTY"), headers);
}

function failure(what: string, judgement: Judgement, headers: AnswerHeaders, detail: Detail = {}): LullError {
  const requestId = word(headers.get("x-request-id"));
  const facts = [
    detail.code ?? detail.type,
    detail.param && `parameter ${detail.param}`,
    requestId && `request ${requestId}`,
  ].filter((fact) => fact !== undefined);
  const retryAfterMs = judgement.retry === "later" ? retryAfterIn((name) => headers.get(name)) : undefined;
  return new LullError(facts.length === 0 ? what : `${what} (${facts.join(", ")})`, {
    ...judgement,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function detailOf(body: unknown): Detail {
  const error = (body as { error?: Record<string, unknown> | null } | null)?.error;
  const [code, type, param] = [word(error?.code), word(error?.type), word(error?.param)];
  return { ...(code && { code }), ...(type && { type }), ...(param && { param }) };
}

/**
 * Names only. An error's `message` repeats part of the key or of the prompt, and a proxy may put anything
 * anywhere.
 */
function word(value: unknown): string | undefined {
  return /^[\w.[\]-]{1,64}$/.test(String(value ?? "")) ? String(value) : undefined;
}
