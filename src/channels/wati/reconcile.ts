import type { ReconcileOutcome, ReconcileQuery } from "../../ports/channel.ts";
import { nameOf } from "../../wire/connection-failure.ts";
import { callHttp } from "../../wire/http-call.ts";
import { type Fields, readObject } from "../../wire/json-object.ts";
import { CLOCK_IS_BEHIND, type Since, sinceOnTheirClock } from "../../wire/provider-clock.ts";
import { firstText, objectIn, text, timeIn } from "./body.ts";
import { chunkName } from "./chunk-name.ts";
import { reachesBefore } from "./received.ts";
import { wordsOf } from "./send.ts";
import { bearer, type Session } from "./session.ts";

const PAGE_SIZE = 100;
/** WATI allows ten such calls in ten seconds, for all conversations together. */
const PAGES_MAX = 3;
const IDS = ["whatsappMessageId", "localMessageId", "id"];

/**
 * Looks for the chunk in WATI's list of the customer's messages: by our own name for it, else by text and
 * WATI's time.
 */
export async function reconcile(
  session: Session,
  query: ReconcileQuery,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  const matches: Fields[] = [];
  let since: Since | undefined;
  let sawAll = false;
  try {
    for (let page = 1; page <= PAGES_MAX && !sawAll; page++) {
      const { items, date } = await pageOf(session, query.to, page, signal);
      if (items === undefined) return cannotTell("WATI's list of messages could not be read");
      since ??= sinceOnTheirClock(query.notBeforeAtMs, date, session.context.nowMs());
      const { possibleAtMs } = since;
      matches.push(...items.filter((item) => couldBe(item, query, possibleAtMs)));
      sawAll = items.length < PAGE_SIZE || reachesBefore(items, possibleAtMs);
    }
  } catch (error) {
    return cannotTell(`WATI could not be asked: ${nameOf(error)}`);
  }
  const certainAtMs = since?.certainAtMs ?? query.notBeforeAtMs;
  const certain = matches.filter((item) => isNamed(item, query) || (timeIn(item) ?? 0) >= certainAtMs);
  const [oldest] = certain.toSorted((a, b) => (timeIn(a) ?? 0) - (timeIn(b) ?? 0));
  const providerId = oldest && firstText(oldest, ...IDS);
  if (providerId !== undefined) return { kind: "sent", providerId };
  if (matches.length > certain.length) return cannotTell(CLOCK_IS_BEHIND);
  return sawAll
    ? { kind: "not-sent" }
    : cannotTell(`more than ${PAGES_MAX * PAGE_SIZE} messages to look through`);
}

async function pageOf(
  session: Session,
  to: string,
  page: number,
  signal: AbortSignal,
): Promise<{ readonly items: readonly Fields[] | undefined; readonly date: string | null }> {
  const path = `/api/v1/getMessages/${encodeURIComponent(to)}`;
  const url = `${session.apiUrl}${path}?pageSize=${PAGE_SIZE}&pageNumber=${page}`;
  const headers = { authorization: await bearer(session), accept: "application/json" };
  const answer = await callHttp(url, { headers, signal });
  const items = objectIn(readObject(answer.text ?? "")?.messages).items;
  return {
    items: answer.status === 200 && Array.isArray(items) ? items.map(objectIn) : undefined,
    date: answer.headers.get("date"),
  };
}

function couldBe(item: Fields, query: ReconcileQuery, notBeforeAtMs: number): boolean {
  const atMs = timeIn(item);
  if (item.owner !== true || IDS.some((key) => query.excludeProviderIds.includes(text(item[key]) ?? "")))
    return false;
  if (isNamed(item, query)) return true;
  return (
    atMs !== undefined && atMs >= notBeforeAtMs && plain(text(item.text) ?? "") === plain(wordsOf(query))
  );
}

function isNamed(item: Fields, { reference }: ReconcileQuery): boolean {
  return item.localMessageId === chunkName(reference);
}

function plain(words: string): string {
  return words.replaceAll("\r\n", "\n").trim();
}

function cannotTell(why: string): ReconcileOutcome {
  return { kind: "cannot-tell", why };
}
