import type { Outgoing, SendOutcome } from "../../ports/channel.ts";
import { callHttp } from "../../wire/http-call.ts";
import { brokenSend, notSent, unreadableSecret } from "../../wire/send-failure.ts";
import { chunkName } from "./chunk-name.ts";
import { outcomeOf } from "./outcome.ts";
import { bearer, type Session } from "./session.ts";

/**
 * Many servers cut URLs at 8 KB, and 4096 characters of Arabic or emoji take more than 20 KB once they are
 * escaped.
 */
const QUERY_BYTES_MAX = 6_000;
const FORM = "application/x-www-form-urlencoded;charset=UTF-8";

export async function send(session: Session, outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
  if (wordsOf(outgoing).trim() === "") return notSent("never", "there is nothing to send");
  let authorization: string;
  try {
    authorization = await bearer(session);
  } catch (error) {
    return unreadableSecret(error);
  }
  if (signal.aborted) return notSent("later", "there was no time left to send it");
  const { url, form } = requestFor(session, outgoing);
  try {
    const headers = { authorization, accept: "application/json", ...(form && { "content-type": FORM }) };
    const answer = await callHttp(url, { method: "POST", headers, ...(form && { body: form }), signal });
    const retryAfter = answer.headers.get("retry-after");
    const { status, text: body = "" } = answer;
    return outcomeOf({ status, retryAfter, body }, outgoing, session.context.nowMs());
  } catch (error) {
    return brokenSend("WATI", error);
  }
}

/**
 * Session messages are text. Media goes along as links, which WhatsApp shows with a preview, instead of being
 * dropped.
 */
export function wordsOf({ text, media }: Outgoing): string {
  return [text, ...(media ?? []).map(({ url }) => url)].filter((line) => line !== "").join("\n");
}

/** WATI takes the parameters in the query or as a form. */
function requestFor(session: Session, outgoing: Outgoing): { url: string; form?: string } {
  const url = `${session.apiUrl}/api/v1/sendSessionMessage/${encodeURIComponent(outgoing.to)}`;
  const parameters = new URLSearchParams({
    messageText: wordsOf(outgoing),
    localMessageId: chunkName(outgoing.reference),
    // Digits are a number of ours; anything else is a name that `parse` invented for a tenant with one
    // number.
    ...(/^\d{6,15}$/.test(outgoing.from) ? { channelPhoneNumber: outgoing.from } : {}),
  });
  const query = parameters.toString();
  return query.length > QUERY_BYTES_MAX ? { url, form: query } : { url: `${url}?${query}` };
}
