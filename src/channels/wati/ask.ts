import { LullError } from "../../errors.ts";
import { callHttp, type HttpAnswer } from "../../wire/http-call.ts";
import { type Fields, readObject } from "../../wire/json-object.ts";
import { retryAfterIn } from "../../wire/retry-after.ts";
import { text } from "./body.ts";
import { bearer, type Session } from "./session.ts";

/** WATI allows ten in ten seconds. Two of them are left to turns that look for a lost send. */
const PACE_MS = 1_250;
/** After "too many requests", where WATI does not say how long: the time in which it counts. */
const PAUSE_MS = 10_000;
/** Within the time that a list may be silent. */
const PAUSE_MS_MAX = 60_000;
const TRIES_MAX = 5;

/** Asks one question after the other, as fast as WATI allows. */
export type Ask = (path: string) => Promise<Fields>;

/**
 * For lists, which take many questions. What WATI does not answer with a list is an error: half a list must
 * not look like a whole one.
 */
export function asking(session: Session, signal: AbortSignal): Ask {
  const { nowMs, sleep = async () => {} } = session.context;
  let nextAtMs = nowMs();
  return async (path) => {
    for (let tries = 1; ; tries++) {
      const waitMs = nextAtMs - nowMs();
      if (waitMs > 0) await sleep(waitMs, signal);
      signal.throwIfAborted();
      const headers = { authorization: await bearer(session), accept: "application/json" };
      const answer = await callHttp(`${session.apiUrl}${path}`, { headers, signal });
      nextAtMs = nowMs() + PACE_MS;
      if (!isBusy(answer) || tries === TRIES_MAX) return listIn(answer);
      nextAtMs = nowMs() + pauseMs(answer, nowMs());
    }
  };
}

function isBusy({ status }: HttpAnswer): boolean {
  return status === 429 || status >= 500;
}

function pauseMs({ headers }: HttpAnswer, nowMs: number): number {
  return retryAfterIn((name) => headers.get(name), { nowMs, maxMs: PAUSE_MS_MAX }) ?? PAUSE_MS;
}

function listIn(answer: HttpAnswer): Fields {
  const { status, text: body } = answer;
  if (status === 401 || status === 403)
    throw unlisted(`WATI answered ${status}: it does not accept the token (WATI_TOKEN)`, "never");
  if (status !== 200) throw unlisted(`WATI answered ${status}`, isBusy(answer) ? "later" : "never");
  const fields = readObject(body ?? "");
  if (fields === undefined) throw unlisted("WATI answered without JSON, or with too much of it", "never");
  // WATI says "no" with a 200, and its words may name a customer.
  if (fields.result === false || text(fields.result)?.toLowerCase() === "error")
    throw unlisted("WATI answered that it does not list it (result: false)", "never");
  return fields;
}

export function unlisted(why: string, retry: "later" | "never"): LullError {
  const code = retry === "later" ? "PROVIDER_UNAVAILABLE" : "INCOMPLETE_LIST";
  return new LullError(`${why}; what was listed before that is in`, { code, retry });
}
