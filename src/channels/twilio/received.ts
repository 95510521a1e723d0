import { LullError } from "../../errors.ts";
import type { InboundMessage, Media } from "../../model/message.ts";
import { bare, prefixed, prefixOf } from "./address.ts";
import { accountPath } from "./api.ts";
import { get, type ListedMessage, listIn, pagesOf } from "./messages.ts";
import { type Account, accountFor, type Session } from "./session.ts";

const PAGE_SIZE = 1_000;
const PAGES_MAX = 50;

/**
 * What Twilio received for us since then, oldest first. What a webhook already brought has the same id and is
 * a duplicate.
 */
export async function* listReceived(
  session: Session,
  sinceAtMs: number,
  signal: AbortSignal,
): AsyncGenerator<InboundMessage> {
  const found: { account: Account; message: ListedMessage }[] = [];
  for (const { account, to } of lists(session)) {
    for await (const message of received(session, account, to, sinceAtMs, signal))
      found.push({ account, message });
  }
  // Twilio's times are whole seconds and its lists newest first: reversed, a burst within one second keeps
  // its order.
  found.reverse().sort((a, b) => a.message.createdAtMs - b.message.createdAtMs);
  for (const { account, message } of found) {
    yield inboundOf(message, await mediaOf(session, account, message, signal));
  }
}

/** One list for each of our numbers; without numbers, everything that the accounts received. */
function lists(session: Session): { account: Account; to: string | undefined }[] {
  const { numbers } = session;
  if (numbers.length === 0)
    return [...session.accounts.values()].map((account) => ({ account, to: undefined }));
  return numbers.flatMap((number) => {
    const account = accountFor(session, number);
    return account === undefined ? [] : [{ account, to: prefixed(number, session.kind.prefix) }];
  });
}

async function* received(
  session: Session,
  account: Account,
  to: string | undefined,
  sinceAtMs: number,
  signal: AbortSignal,
): AsyncGenerator<ListedMessage> {
  // Twilio promises this filter for whole days only. What was received always has a date, so the filter hides
  // nothing.
  const day = new Date(sinceAtMs).toISOString().slice(0, 10);
  const query = { ...(to === undefined ? {} : { To: to }), "DateSent>": day, PageSize: String(PAGE_SIZE) };
  let sawAll = false;
  for await (const page of pagesOf(session, account, query, PAGES_MAX, signal)) {
    sawAll = page.isLast;
    for (const message of page.messages) if (isOurs(message, session, sinceAtMs)) yield message;
  }
  if (sawAll) return;
  const why = `Twilio lists more than ${PAGES_MAX * PAGE_SIZE} messages since then: begin later`;
  throw new LullError(why, { code: "TOO_MANY_MESSAGES", retry: "never" });
}

/** The list of an account mixes SMS and WhatsApp; the prefix tells them apart. */
function isOurs(message: ListedMessage, session: Session, sinceAtMs: number): boolean {
  const isOurKind = prefixOf(message.to) === session.kind.prefix;
  return (
    message.direction === "inbound" &&
    isOurKind &&
    message.createdAtMs >= Math.floor(sinceAtMs / 1_000) * 1_000
  );
}

function inboundOf(message: ListedMessage, media: readonly Media[]): InboundMessage {
  return {
    providerId: message.sid,
    account: message.accountSid,
    address: bare(message.to),
    sender: bare(message.from),
    replyTo: message.from,
    text: message.body,
    media,
    sentAtMs: message.createdAtMs,
  };
}

async function mediaOf(
  session: Session,
  account: Account,
  message: ListedMessage,
  signal: AbortSignal,
): Promise<Media[]> {
  if (message.mediaCount === 0) return [];
  const path = `${accountPath(account)}/Messages/${encodeURIComponent(message.sid)}/Media`;
  const { body } = await get(session, account, `${path}.json`, signal);
  const items = listIn(body, "media_list");
  return items.map(({ sid, content_type }) => ({
    url: `${session.apiUrl}${path}/${encodeURIComponent(String(sid))}`,
    contentType: typeof content_type === "string" ? content_type : "application/octet-stream",
  }));
}
