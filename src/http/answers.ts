import type { EdgeAnswer } from "./edge-request.ts";

/** Answers hold what people wrote: no proxy or cache may keep them, and no browser may guess another type. */
const JSON_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

export function json(status: number, body: unknown, headers?: Readonly<Record<string, string>>): EdgeAnswer {
  return {
    status,
    headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS,
    body: JSON.stringify(body),
  };
}

/** Every error of ours has this form: a code for programs, a message for people. */
export function failure(
  status: number,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): EdgeAnswer {
  return json(status, { error: { code, message } }, headers);
}

export function notFound(message = "there is nothing here"): EdgeAnswer {
  return failure(404, "NOT_FOUND", message);
}

export function methodNotAllowed(allowed: readonly string[]): EdgeAnswer {
  const allow = allowed.join(", ");
  return failure(405, "METHOD_NOT_ALLOWED", `allowed here: ${allow}`, { allow });
}

/** Nothing was acknowledged: the caller is asked to come back. */
export function tryAgain(code = "UNAVAILABLE", seconds = 1): EdgeAnswer {
  return failure(503, code, "not available now, try again", { "retry-after": String(seconds) });
}

/** The log says what an operator has to repair; the caller may have proven nothing and is not told. */
export function notNow(): EdgeAnswer {
  return failure(503, "UNAVAILABLE", "not available now; the log says why", { "retry-after": "60" });
}

/** HEAD is answered like GET; the edge leaves the body out. */
export function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}
