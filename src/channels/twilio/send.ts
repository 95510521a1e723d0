import type { Outgoing, SendOutcome } from "../../ports/channel.ts";
import { brokenSend, notSent, unreadableSecret } from "../../wire/send-failure.ts";
import { prefixed, prefixOf } from "./address.ts";
import { accountPath, authorization, call } from "./api.ts";
import { outcomeOf } from "./outcome.ts";
import { type Session, sendingAccount } from "./session.ts";

export async function send(session: Session, outgoing: Outgoing, signal: AbortSignal): Promise<SendOutcome> {
  if (outgoing.text.trim() === "" && !outgoing.media?.length)
    return notSent("never", "there is nothing to send");
  const account = sendingAccount(session, outgoing);
  if ("why" in account) return notSent("never", account.why);
  let credentials: string;
  try {
    credentials = await authorization(session, account);
  } catch (error) {
    return unreadableSecret(error);
  }
  if (signal.aborted) return notSent("later", "there was no time left to send it");

  const url = `${session.apiUrl}${accountPath(account)}/Messages.json`;
  try {
    const response = await call(url, credentials, {
      method: "POST",
      form: formOf(session, outgoing),
      signal,
    });
    const { status, headers, text = "" } = response;
    return outcomeOf(status, headers.get("retry-after"), text, session.context.nowMs());
  } catch (error) {
    return brokenSend("Twilio", error);
  }
}

/**
 * The customer's address, with the channel's prefix even where an operator created the conversation without
 * it.
 */
export function recipient(session: Session, outgoing: Outgoing): string {
  return prefixed(outgoing.to, session.kind.prefix);
}

/**
 * Our address. Undefined where a Messaging Service chooses it; the service keeps to the number that a
 * customer knows.
 */
export function senderOf(session: Session, outgoing: Outgoing): string | undefined {
  if (session.messagingServiceSid !== undefined) return undefined;
  const from = outgoing.from || session.from[0];
  return from === undefined ? undefined : prefixed(from, prefixOf(recipient(session, outgoing)));
}

function formOf(session: Session, outgoing: Outgoing): URLSearchParams {
  const form = new URLSearchParams({ To: recipient(session, outgoing) });
  const from = senderOf(session, outgoing);
  if (from !== undefined) form.set("From", from);
  if (session.messagingServiceSid !== undefined) form.set("MessagingServiceSid", session.messagingServiceSid);
  if (outgoing.text !== "") form.set("Body", outgoing.text);
  for (const { url } of outgoing.media ?? []) form.append("MediaUrl", url);
  const callback = callbackUrl(session.context.statusUrl, outgoing);
  if (callback !== undefined) form.set("StatusCallback", callback);
  return form;
}

/**
 * Every status callback names its chunk, so it reveals a message's SID even where the answer to the send was
 * lost.
 */
function callbackUrl(statusUrl: string | undefined, { reference }: Outgoing): string | undefined {
  if (statusUrl === undefined) return undefined;
  const separator = statusUrl.includes("?") ? "&" : "?";
  return `${statusUrl}${separator}n=${encodeURIComponent(reference.turnId)}.${reference.chunk}`;
}
