import { LullError } from "../../errors.ts";
import type { ReconcileOutcome, ReconcileQuery } from "../../ports/channel.ts";
import { nameOf } from "../../wire/connection-failure.ts";
import { CLOCK_IS_BEHIND, type Since, sinceOnTheirClock } from "../../wire/provider-clock.ts";
import { type ListedMessage, type Page, pagesOf } from "./messages.ts";
import { recipient, senderOf } from "./send.ts";
import { type Session, sendingAccount } from "./session.ts";

const PAGE_SIZE = 100;
const PAGES_MAX = 5;

/** A trial account puts these words before every text. */
const TRIAL_PREFIX = "Sent from your Twilio trial account - ";

/**
 * Looks for the chunk in Twilio's list of messages: the same recipient, the same text, not before the send
 * began by Twilio's clock.
 */
export async function reconcile(
  session: Session,
  query: ReconcileQuery,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  const account = sendingAccount(session, query);
  if ("why" in account) return cannotTell(account.why);
  const candidates: ListedMessage[] = [];
  let isOdd = false;
  let since: Since | undefined;
  let sawAll = false;
  try {
    for await (const page of pagesOf(session, account, filterOf(session, query), PAGES_MAX, signal)) {
      since ??= sinceOnTheirClock(query.notBeforeAtMs, page.date, session.context.nowMs());
      const { possibleAtMs } = since;
      candidates.push(...page.messages.filter((message) => couldBe(message, session, query, possibleAtMs)));
      isOdd ||= page.odd.some(({ body }) => body === "" || isText(body, query));
      sawAll = page.isLast || reachesBefore(page, possibleAtMs);
      if (sawAll) break;
    }
  } catch (error) {
    return cannotTell(
      error instanceof LullError ? error.message : `Twilio could not be asked: ${nameOf(error)}`,
    );
  }
  const certainAtMs = since?.certainAtMs ?? query.notBeforeAtMs;
  const found = decide(candidates, query, { certainAtMs, sawAll }, session.messagingServiceSid !== undefined);
  // It may be the chunk that is looked for, but its date is unknown.
  return found.kind === "not-sent" && isOdd
    ? cannotTell("Twilio's list holds it without SID or date")
    : found;
}

/**
 * No `DateSent` filter: a message that Twilio accepted but did not hand on yet has no such date, and would be
 * missed and sent twice. One customer's list is short enough to be filtered here, by date of creation.
 */
function filterOf(session: Session, query: ReconcileQuery): Record<string, string> {
  const from = senderOf(session, query);
  return {
    To: recipient(session, query),
    ...(from === undefined ? {} : { From: from }),
    PageSize: String(PAGE_SIZE),
  };
}

function couldBe(
  message: ListedMessage,
  session: Session,
  query: ReconcileQuery,
  notBeforeAtMs: number,
): boolean {
  return (
    // `outbound-reply` is TwiML's, which never carries a chunk. A failed message was accepted, so its status
    // does not matter.
    message.direction === "outbound-api" &&
    message.to === recipient(session, query) &&
    message.createdAtMs >= notBeforeAtMs &&
    !query.excludeProviderIds.includes(message.sid)
  );
}

/** Twilio has always listed newest first, but does not promise it: trusted only where the page shows it. */
function reachesBefore({ messages }: Page, notBeforeAtMs: number): boolean {
  const newest = messages[0]?.createdAtMs ?? 0;
  const oldest = messages.at(-1)?.createdAtMs ?? 0;
  return newest > oldest && oldest < notBeforeAtMs;
}

function decide(
  candidates: readonly ListedMessage[],
  query: ReconcileQuery,
  { certainAtMs, sawAll }: { readonly certainAtMs: number; readonly sawAll: boolean },
  textMayChange: boolean,
): ReconcileOutcome {
  const matches = candidates.filter(({ body }) => isText(body, query));
  const certain = matches.filter(({ createdAtMs }) => createdAtMs >= certainAtMs);
  const [oldest] = certain.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  if (oldest !== undefined) return { kind: "sent", providerId: oldest.sid };
  if (matches.length > 0) return cannotTell(CLOCK_IS_BEHIND);
  if (!sawAll) return cannotTell(`more than ${PAGES_MAX * PAGE_SIZE} messages to look through`);
  // A Messaging Service may swap characters for cheaper ones, so with one a different text proves nothing.
  if (textMayChange && candidates.length > 0)
    return cannotTell("a Messaging Service may have changed the text");
  return { kind: "not-sent" };
}

function isText(body: string, { text }: ReconcileQuery): boolean {
  return plain(body) === plain(text) || plain(body) === TRIAL_PREFIX + plain(text);
}

function plain(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}

function cannotTell(why: string): ReconcileOutcome {
  return { kind: "cannot-tell", why };
}
