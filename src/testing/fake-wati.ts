import { systemClock } from "../runtime/system-clock.ts";
import {
  type FakeError,
  type FakeReply,
  type FakeRequest,
  type FakeServer,
  type FakeWebhook,
  fakeServer,
  growth,
  jsonReply,
} from "./fake-server.ts";

/** A message as WATI keeps it. */
export interface FakeWatiMessage {
  /** WATI's own id. */
  readonly id: string;
  /** WhatsApp's id. */
  readonly whatsappMessageId: string;
  /** The id that its sender gave it. */
  readonly localMessageId?: string;
  /** The customer's number, without `+`. */
  readonly waId: string;
  /** What was said. */
  readonly text: string;
  /** True for what the business sent. */
  readonly owner: boolean;
  /** When it came or went. */
  readonly createdAtMs: number;
  /** How it looks in the list, where that is not as usual. */
  readonly listed?: Readonly<Record<string, unknown>>;
}

/** One who is not there by having written. */
export interface FakeWatiContact {
  /** The number, without `+`. */
  readonly wAid?: string;
  /** The business-scoped user id, of one who hides the number. */
  readonly bsuid?: string;
  /** An ISO time. */
  readonly lastUpdated?: string;
}

/** What `fakeWati` takes. */
export interface FakeWatiOptions {
  /** Other tokens get 401. Without it every caller is let in. */
  readonly token?: string;
  /** What its webhooks carry as proof. */
  readonly webhookSecret?: string;
  /** Its clock; the machine's own where left out. */
  readonly nowMs?: () => number;
  /** The most items of a page, whatever is asked for. */
  readonly pageSizeMax?: number;
  /** Lists do not say which page comes next. */
  readonly linkless?: boolean;
}

/** What a customer writes, for `FakeWati.webhook`. */
export interface FakeWatiInbound {
  /** The customer's number, without `+`. */
  readonly from: string;
  /** What is said. */
  readonly text: string;
  /** Your number, without `+`. */
  readonly to?: string;
  /** Fields of the webhook, over those of a text. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** What `fakeWati` returns. */
export interface FakeWati extends FakeServer {
  /** Everything that WATI knows, oldest first. */
  readonly ledger: readonly FakeWatiMessage[];
  /** What was sent to customers, oldest first. */
  readonly sent: readonly FakeWatiMessage[];
  /** For `wati(fake.options())`. */
  options(): { readonly apiUrl: string; readonly token: string; readonly webhookSecret: string };
  /** The same as variables, for a service that is a process of its own. */
  environment(): Readonly<Record<string, string>>;
  /** Resolves when so many messages were sent. */
  whenSent(count: number): Promise<void>;
  /**
   * A customer writes: the message is in the ledger, and `fetch(url, fake.webhook(...))` brings it to the
   * service.
   */
  webhook(inbound: FakeWatiInbound): FakeWebhook;
  /** Puts a message into the ledger as if it had come or gone without us. */
  add(message: Partial<FakeWatiMessage>): FakeWatiMessage;
  /** Adds to the list of contacts. */
  addContact(contact: FakeWatiContact): void;
}

const DEFAULT_TOKEN = "a-token-of-the-fake";
const DEFAULT_SECRET = "a-webhook-secret-of-the-fake";
const SEND = /\/api\/v1\/sendSessionMessage\/([^/]+)$/;
const LIST = /\/api\/v1\/getMessages\/([^/]+)$/;

/**
 * WATI's API on the loopback interface, under any tenant: session messages, the list of a customer's
 * messages, answers as told.
 */
export function fakeWati(options: FakeWatiOptions = {}): FakeWati {
  const nowMs = options.nowMs ?? systemClock.nowMs;
  const { token = DEFAULT_TOKEN, webhookSecret = DEFAULT_SECRET } = options;
  const contacts: FakeWatiContact[] = [];
  const kept = keeping(nowMs);
  const handle = (request: FakeRequest) => answered(request, options, kept, contacts);
  const server = fakeServer({ handle, refuse, nowMs });
  const account = () => ({ apiUrl: server.url, token, webhookSecret });
  return Object.assign(server, {
    ...kept,
    options: account,
    environment: () => asVariables(account()),
    addContact: (contact: FakeWatiContact) => void contacts.push(contact),
    webhook(inbound: FakeWatiInbound): FakeWebhook {
      const { from: waId, text } = inbound;
      const body = webhookBody(kept.add({ waId, text, owner: false }), inbound);
      const headers = { "content-type": "application/json", "x-wati-secret": webhookSecret };
      return { method: "POST", headers, body: JSON.stringify(body) };
    },
  });
}

/** The messages of a tenant. */
function keeping(nowMs: () => number) {
  const ledger: FakeWatiMessage[] = [];
  const sent: FakeWatiMessage[] = [];
  const sends = growth();
  return {
    ledger,
    sent,
    whenSent: (count: number) => sends.reaches(count, sent.length),
    add(message: Partial<FakeWatiMessage>): FakeWatiMessage {
      const number = String(ledger.length + 1).padStart(8, "0");
      const ids = { id: `6900000000000000${number}`, whatsappMessageId: `wamid.${number}` };
      const added = { ...ids, waId: "50370000001", text: "", owner: true, createdAtMs: nowMs(), ...message };
      ledger.push(added);
      if (added.owner) sent.push(added);
      sends.grown(sent.length);
      return added;
    },
  };
}

function answered(
  request: FakeRequest,
  options: FakeWatiOptions,
  { ledger, add }: ReturnType<typeof keeping>,
  contacts: readonly FakeWatiContact[],
): FakeReply {
  if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`)
    return { status: 401, body: "" };
  const [, to] = SEND.exec(request.path) ?? [];
  if (to !== undefined && request.method === "POST") return create(decodeURIComponent(to), request, add);
  const [, of] = LIST.exec(request.path) ?? [];
  if (of !== undefined) {
    const { items, link } = pageOf(messagesOf(decodeURIComponent(of), ledger), request, options);
    return jsonReply(200, { result: "success", messages: { items }, ...link });
  }
  if (!request.path.endsWith("/api/v1/getContacts")) return { status: 404, body: "" };
  const { items, link } = pageOf([...contactsIn(ledger), ...contacts], request, options);
  return jsonReply(200, { result: "success", contact_list: items, ...link });
}

function asVariables({ apiUrl, token, webhookSecret }: ReturnType<FakeWati["options"]>) {
  return { WATI_API_URL: apiUrl, WATI_TOKEN: token, WATI_WEBHOOK_SECRET: webhookSecret };
}

/** As WATI posts a text. */
function webhookBody(message: FakeWatiMessage, { to, fields }: FakeWatiInbound): Record<string, unknown> {
  return {
    ...itemOf(message),
    waId: message.waId,
    senderName: "Ana",
    channelPhoneNumber: to ?? null,
    ...fields,
  };
}

/** The parameters may come in the query or as a form. */
function create(
  waId: string,
  request: FakeRequest,
  add: (message: Partial<FakeWatiMessage>) => FakeWatiMessage,
): FakeReply {
  const form = new URLSearchParams(request.body);
  const parameter = (name: string) => request.query.get(name) ?? form.get(name) ?? undefined;
  const text = parameter("messageText");
  if (text === undefined || text === "")
    return jsonReply(200, { result: false, info: "messageText is required" });
  const localMessageId = parameter("localMessageId");
  const message = add({ waId, text, ...(localMessageId === undefined ? {} : { localMessageId }) });
  return jsonReply(200, { ok: true, result: "success", message: itemOf(message) });
}

/** Pages are counted from one. */
function pageOf(
  all: readonly unknown[],
  { query, path }: FakeRequest,
  { pageSizeMax = Number.POSITIVE_INFINITY, linkless }: FakeWatiOptions,
): { items: readonly unknown[]; link: object } {
  const pageSize = Math.min(Number(query.get("pageSize") ?? 10), pageSizeMax);
  const pageNumber = Number(query.get("pageNumber") ?? 1);
  const end = pageNumber * pageSize;
  const items = all.slice(end - pageSize, end);
  const at = (page: number) => `${path}?pageSize=${pageSize}&pageNumber=${page}`;
  const nextPage = end < all.length ? at(pageNumber + 1) : null;
  const prevPage = pageNumber > 1 ? at(pageNumber - 1) : null;
  const link = { prevPage, nextPage, pageNumber, pageSize, total: all.length };
  return { items, link: linkless ? {} : { link } };
}

/** Newest first. */
function messagesOf(waId: string, ledger: readonly FakeWatiMessage[]): Record<string, unknown>[] {
  return ledger
    .filter((message) => message.waId === waId)
    .toReversed()
    .map(itemOf);
}

/** Everyone who has written or was written to is a contact. */
function contactsIn(ledger: readonly FakeWatiMessage[]): FakeWatiContact[] {
  const changed = new Map(ledger.map(({ waId, createdAtMs }) => [waId, createdAtMs]));
  return [...changed].map(([wAid, atMs]) => ({
    id: `68${wAid}`,
    wAid,
    phone: wAid,
    firstName: "Ana",
    fullName: "Ana",
    contactStatus: "VALID",
    lastUpdated: new Date(atMs).toISOString(),
  }));
}

function itemOf(message: FakeWatiMessage): Record<string, unknown> {
  const { id, whatsappMessageId, localMessageId = null, text, owner, createdAtMs } = message;
  const created = new Date(createdAtMs).toISOString();
  const timestamp = String(Math.floor(createdAtMs / 1_000));
  return {
    id,
    whatsappMessageId,
    localMessageId,
    text,
    type: "text",
    owner,
    created,
    timestamp,
    eventType: "message",
    statusString: "SENT",
    ...message.listed,
  };
}

/** With 200: the answer that means no. */
function refuse({ status, code, message }: FakeError): FakeReply {
  if (status === 200)
    return jsonReply(200, { result: false, info: message ?? `refused by the fake (${code ?? "no code"})` });
  return { status, body: message ?? "refused by the fake" };
}
