import { answerText } from "../../core/answer-text.ts";
import { nameOf } from "../../core/connection-failure.ts";
import type { ReconcileOutcome, ReconcileQuery } from "../../ports/channel.ts";
import { type Fields, firstText, objectIn, readObject, text, timeIn } from "./body.ts";
import { chunkName } from "./chunk-name.ts";
import { wordsOf } from "./send.ts";
import { bearer, type Session } from "./session.ts";

const PAGE_SIZE = 100;
/** WATI allows ten such calls in ten seconds, for all conversations together. */
const PAGES_MAX = 3;
const IDS = ["whatsappMessageId", "localMessageId", "id"];

/** Looks for the chunk in WATI's list of the customer's messages: by our own name for it, else by text and time. */
export async function reconcile(
  session: Session,
  query: ReconcileQuery,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  // Where an item has whole seconds only, the second of the send itself must not look too old.
  const notBeforeAtMs = Math.floor(query.notBeforeAtMs / 1_000) * 1_000;
  const matches: Fields[] = [];
  let sawAll = false;
  try {
    for (let page = 1; page <= PAGES_MAX && !sawAll; page++) {
      const items = await pageOf(session, query.to, page, signal);
      if (items === undefined) return cannotTell("WATI's list of messages could not be read");
      matches.push(...items.filter((item) => isIt(item, query, notBeforeAtMs)));
      sawAll = items.length < PAGE_SIZE || reachesBefore(items, notBeforeAtMs);
    }
  } catch (error) {
    return cannotTell(`WATI could not be asked: ${nameOf(error)}`);
  }
  const [oldest] = matches.toSorted((a, b) => (timeIn(a) ?? 0) - (timeIn(b) ?? 0));
  const providerId = oldest && firstText(oldest, ...IDS);
  if (providerId !== undefined) return { kind: "sent", providerId };
  return sawAll
    ? { kind: "not-sent" }
    : cannotTell(`more than ${PAGES_MAX * PAGE_SIZE} messages to look through`);
}

async function pageOf(
  session: Session,
  to: string,
  page: number,
  signal: AbortSignal,
): Promise<readonly Fields[] | undefined> {
  const url = `${session.apiUrl}/api/v1/getMessages/${encodeURIComponent(to)}?pageSize=${PAGE_SIZE}&pageNumber=${page}`;
  const headers = { authorization: await bearer(session), accept: "application/json" };
  const response = await fetch(url, { headers, redirect: "manual", signal });
  const body = (await answerText(response.body)) ?? "";
  const items = objectIn(readObject(body)?.messages).items;
  return response.status === 200 && Array.isArray(items) ? items.map(objectIn) : undefined;
}

function isIt(item: Fields, query: ReconcileQuery, notBeforeAtMs: number): boolean {
  const atMs = timeIn(item);
  if (item.owner !== true || IDS.some((key) => query.excludeProviderIds.includes(text(item[key]) ?? "")))
    return false;
  if (item.localMessageId === chunkName(query.reference)) return true;
  return (
    atMs !== undefined && atMs >= notBeforeAtMs && plain(text(item.text) ?? "") === plain(wordsOf(query))
  );
}

/** Newest first is what WATI does, not what it promises: believe it only where the page shows it. */
function reachesBefore(items: readonly Fields[], notBeforeAtMs: number): boolean {
  const newest = timeIn(items[0] ?? {});
  const oldest = timeIn(items.at(-1) ?? {});
  return newest !== undefined && oldest !== undefined && newest > oldest && oldest < notBeforeAtMs;
}

function plain(words: string): string {
  return words.replaceAll("\r\n", "\n").trim();
}

function cannotTell(why: string): ReconcileOutcome {
  return { kind: "cannot-tell", why };
}
