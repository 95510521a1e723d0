import type { InboundMessage } from "../../model/message.ts";
import type { Listed } from "../../ports/channel.ts";
import type { Fields } from "../../wire/json-object.ts";
import { type Ask, asking, unlisted } from "./ask.ts";
import { firstText, objectIn, text, timeIn } from "./body.ts";
import { pagesOf } from "./pages.ts";
import { inboundOf } from "./parse.ts";
import type { Session } from "./session.ts";

const CONTACT_PAGES_MAX = 200;
/** Each is a question of its own, more than a second long. */
const CONTACTS_MAX = 5_000;
const MESSAGE_PAGES_MAX = 50;
const EVENTS = new Set(["message", "message_bsuid"]);

/**
 * What WATI received since then, customer by customer, each one's oldest first. WATI lists messages by
 * contact only, so every contact is asked for: those that changed last before the others. Whether a contact
 * changes when it writes is not promised, so none is left out for that.
 */
export async function* listReceived(
  session: Session,
  sinceAtMs: number,
  signal: AbortSignal,
): AsyncGenerator<Listed> {
  const ask = asking(session, signal);
  const contacts = new Map<string, number>();
  for await (const page of contactPages(ask)) {
    for (const contact of page) contacts.set(targetOf(contact), changedAtMs(contact));
    yield "asking";
  }
  const latestFirst = [...contacts].sort(([, a], [, b]) => b - a).map(([target]) => target);
  for (const target of latestFirst.slice(0, CONTACTS_MAX)) {
    yield* await receivedFrom(session, ask, target, sinceAtMs);
    yield "asking";
  }
  if (latestFirst.length > CONTACTS_MAX)
    throw unlisted(`WATI has more than ${CONTACTS_MAX} contacts: the others were not asked for`, "never");
}

function contactPages(ask: Ask): AsyncGenerator<readonly Fields[]> {
  return pagesOf(ask, {
    path: "/api/v1/getContacts",
    pagesMax: CONTACT_PAGES_MAX,
    what: "contacts",
    items: ({ contact_list }) => contact_list,
  });
}

/** How WATI is asked for a contact: by number, or by user id where it tells none. */
function targetOf(contact: Fields): string {
  const target = firstText(contact, "wAid", "wAId", "waId", "phone", "bsuid");
  if (target === undefined) throw unlisted("WATI lists a contact without number and user id", "never");
  return target.replace(/^\+/, "");
}

/** Without a time it may have changed just now. */
function changedAtMs({ lastUpdated }: Fields): number {
  const atMs = Date.parse(text(lastUpdated) ?? "");
  return Number.isNaN(atMs) ? Number.MAX_SAFE_INTEGER : atMs;
}

async function receivedFrom(
  session: Session,
  ask: Ask,
  target: string,
  sinceAtMs: number,
): Promise<InboundMessage[]> {
  const found: Fields[] = [];
  const pages = pagesOf(ask, {
    path: `/api/v1/getMessages/${encodeURIComponent(target)}`,
    pagesMax: MESSAGE_PAGES_MAX,
    what: "messages of a customer",
    items: ({ messages }) => objectIn(messages).items,
  });
  for await (const items of pages) {
    found.push(...items.filter((item) => isReceived(item) && receivedAtMs(item) >= sinceAtMs));
    if (reachesBefore(items, sinceAtMs)) break;
  }
  // WATI lists newest first: reversed, what came at the same time keeps its order.
  found.reverse().sort((a, b) => receivedAtMs(a) - receivedAtMs(b));
  return [...new Map(found.map((item) => [idOf(item), item])).values()].map((item) =>
    messageOf(session, target, item),
  );
}

/** The list also has tickets, notes, broadcasts and what we sent. */
function isReceived(item: Fields): boolean {
  const event = text(item.eventType);
  if (event !== undefined && !EVENTS.has(event)) return false;
  if (typeof item.owner === "boolean") return !item.owner;
  if (event === undefined) return false;
  throw unlisted("WATI's list does not say who wrote a message (owner)", "never");
}

function receivedAtMs(item: Fields): number {
  const atMs = timeIn(item);
  if (atMs === undefined) throw unlisted("WATI's list does not say when a message was written", "never");
  return atMs;
}

/**
 * The id that webhooks bring. Under WATI's own (`id`) a message that a webhook brought would not be known,
 * and would be answered again.
 */
function idOf(item: Fields): string {
  const id = text(item.whatsappMessageId);
  if (id === undefined)
    throw unlisted(
      "WATI's list lacks the id by which webhooks know a message (whatsappMessageId): " +
        "what is answered already cannot be told from what is not",
      "never",
    );
  return id;
}

function messageOf({ account, numbers }: Session, target: string, item: Fields): InboundMessage {
  const isNumber = /^\d+$/.test(target);
  const customer = isNumber ? { waId: target } : { bsuid: target };
  const address = firstText(item, "channelPhoneNumber", "channelId") ?? onlyOf(numbers);
  const message = inboundOf({ ...customer, ...present(item) }, { account, address, id: idOf(item) });
  if (message === undefined) throw unlisted("WATI's list does not say who wrote a message", "never");
  return message;
}

/** What is null in the list is not said there. */
function present(item: Fields): Fields {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null && value !== ""));
}

/** Guessed wrong, the message would begin another conversation. */
function onlyOf(numbers: readonly string[]): string {
  const [number, ...others] = numbers;
  if (number !== undefined && others.length === 0) return number;
  throw unlisted(
    "WATI's list does not say which of your numbers was written to: it can be caught up with " +
      "where `numbers` (WATI_NUMBERS) is one number",
    "never",
  );
}

/** WATI lists newest first, but does not promise it: trusted only where the page shows it. */
export function reachesBefore(items: readonly Fields[], atMs: number): boolean {
  const newest = timeIn(items[0] ?? {});
  const oldest = timeIn(items.at(-1) ?? {});
  return newest !== undefined && oldest !== undefined && newest > oldest && oldest < atMs;
}
