import type { SendOutcome } from "../../ports/channel.ts";

/** Too many requests at the same moment. Only with this code is a 429 Twilio's own word that nothing was taken. */
const TOO_MANY_REQUESTS = 20429;

/**
 * What Twilio's answer to a send means. There is no idempotency key, so a doubtful answer must never become a second message:
 * what is not certainly sent and not certainly refused is unknown.
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
  if (status !== 429) return { kind: "not-sent", retry: "never", why };
  if (code !== TOO_MANY_REQUESTS) return unknown(why);
  const retryAfterMs = waitIn(retryAfter, nowMs);
  return { kind: "not-sent", retry: "later", why, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
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

/** Longer waits are asked about again: a broken proxy must not silence a conversation for a day. */
const RETRY_AFTER_MS_MAX = 3_600_000;

/** `Retry-After` is a number of seconds or a date. */
function waitIn(retryAfter: string | null, nowMs: number): number | undefined {
  if (retryAfter === null || retryAfter.trim() === "") return undefined;
  const seconds = Number(retryAfter);
  const waitMs = Number.isNaN(seconds) ? Date.parse(retryAfter) - nowMs : seconds * 1_000;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, Math.ceil(waitMs)), RETRY_AFTER_MS_MAX);
}

function unknown(why: string): SendOutcome {
  return { kind: "unknown", why };
}
