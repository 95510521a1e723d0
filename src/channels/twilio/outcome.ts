import type { SendOutcome } from "../../ports/channel.ts";
import { retryAfterMs } from "../../wire/retry-after.ts";

/** Too many requests at the same moment. A 429 means that Twilio took nothing only with this code. */
const TOO_MANY_REQUESTS = 20429;
/** The token or key is wrong: an operator changes it. The message itself was never looked at. */
const UNAUTHORIZED = 20003;

/**
 * What Twilio's answer to a send means. There is no idempotency key, so a doubtful answer must never become a
 * second message: what is not certainly sent and not certainly refused is unknown.
 */
export function outcomeOf(
  status: number,
  retryAfter: string | null,
  body: string,
  nowMs: number,
): SendOutcome {
  const { sid, code } = answerIn(body);
  if (status >= 200 && status < 300) {
    return sid === undefined
      ? unknown(`Twilio answered ${status} without a message SID`)
      : { kind: "sent", providerId: sid };
  }
  if (status < 400 || status >= 500 || code === undefined) return unknown(`Twilio answered ${status}`);
  const why = `Twilio answered ${status}, error ${code}: https://www.twilio.com/docs/errors/${code}`;
  if (status === 401 && code === UNAUTHORIZED)
    return { kind: "not-sent", retry: "later", credentials: true, why };
  if (status !== 429) return { kind: "not-sent", retry: "never", why };
  if (code !== TOO_MANY_REQUESTS) return unknown(why);
  const waitMs = retryAfterMs(retryAfter, nowMs);
  return { kind: "not-sent", retry: "later", why, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
}

/** Only the id and the number are kept: Twilio's error messages quote the customer's address. */
function answerIn(body: string): { readonly sid?: string; readonly code?: number } {
  try {
    const { sid, code } = Object(JSON.parse(body)) as { sid?: unknown; code?: unknown };
    return {
      ...(typeof sid === "string" && sid !== "" ? { sid } : {}),
      ...(typeof code === "number" ? { code } : {}),
    };
  } catch {
    return {};
  }
}

function unknown(why: string): SendOutcome {
  return { kind: "unknown", why };
}
