import { LullError } from "../../errors.ts";
import type { HttpAnswer } from "../../wire/http-call.ts";
import { retryAfterIn } from "../../wire/retry-after.ts";

/** Four of the 4xx say "not now" rather than "not like this". */
const NOT_NOW = new Set([408, 409, 425, 429]);

/** The service said no. Its host is named, never its path or query: tokens live there. */
export function refusedBy(host: string, { status, headers }: HttpAnswer): LullError {
  if (status < 500 && !NOT_NOW.has(status)) {
    return new LullError(`${host} answered ${status}`, { code: "HTTP_REJECTED", retry: "never" });
  }
  const told = retryAfterIn((name) => headers.get(name));
  return new LullError(`${host} answered ${status}`, {
    code: "HTTP_UNAVAILABLE",
    retry: "later",
    ...(told !== undefined && { retryAfterMs: told }),
  });
}

/** A reply that cannot be read. Its service's author has to look: asking again would bring the same. */
export function unreadable(what: string): LullError {
  return new LullError(`the service's answer: ${what}`, { code: "HTTP_BAD_ANSWER", retry: "never" });
}

/**
 * Probably not from the service: a proxy's page, or half a body. Or a bug that only this message triggers, so
 * it is no outage.
 */
export function notAnAnswer(what: string): LullError {
  return new LullError(`the service's answer: ${what}`, {
    code: "HTTP_BAD_ANSWER",
    retry: "later",
    outage: false,
  });
}
