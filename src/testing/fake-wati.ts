import { systemClock } from "../runtime/system-clock.ts";
import {
  type FakeReply,
  type FakeRequest,
  type FakeServer,
  fakeServer,
  growth,
  jsonReply,
} from "./fake-server.ts";

export interface FakeWatiMessage {
  readonly id: string;
  readonly whatsappMessageId: string;
  readonly localMessageId?: string;
  readonly waId: string;
  readonly text: string;
  /** True for what the business sent. */
  readonly owner: boolean;
  readonly createdAtMs: number;
  /** How it looks in the list, where that is not as usual. */
  readonly listed?: Readonly<Record<string, unknown>>;
}

/** One who is not there by having written. */
export interface FakeWatiContact {
  readonly wAid?: string;
  readonly bsuid?: string;
  readonly lastUpdated?: string;
}

export interface FakeWatiOptions {
  /** Other tokens get 401. Without it every caller is let in. */
  readonly token?: string;
  readonly nowMs?: () => number;
  /** The most items of a page, whatever is asked for. */
  readonly pageSizeMax?: number;
  /** Lists do not say which page comes next. */
  readonly linkless?: boolean;
}

export interface FakeWati extends FakeServer {
  /** Everything that WATI knows, oldest first. */
  readonly ledger: readonly FakeWatiMessage[];
  /** What was sent to customers, oldest first. */
  readonly sent: readonly FakeWatiMessage[];
  whenSent(count: number): Promise<void>;
  /** Puts a message into the ledger as if it had come or gone without us. */
  add(message: Partial<FakeWatiMessage>): FakeWatiMessage;
  addContact(contact: FakeWatiContact): void;
}

const SEND = /\/api\/v1\/sendSessionMessage\/([^/]+)$/;
const LIST = /\/api\/v1\/getMessages\/([^/]+)$/;

/**
 * WATI's API on loopback, under any tenant: session messages, the list of a customer's messages, answers as
 * told.
 */
export function fakeWati(options: FakeWatiOptions = {}): FakeWati {
  const nowMs = options.nowMs ?? systemClock.nowMs;
  const ledger: FakeWatiMessage[] = [];
  const sent: FakeWatiMessage[] = [];
  const contacts: FakeWatiContact[] = [];
  const sends = growth();

  function add(message: Partial<FakeWatiMessage>): FakeWatiMessage {
    const number = String(ledger.length + 1).padStart(8, "0");
    const ids = { id: `6900000000000000${number}`, whatsappMessageId: `wamid.${number}` };
    const added = { ...ids, waId: "50370000001", text: "", owner: true, createdAtMs: nowMs(), ...message };
    ledger.push(added);
    if (added.owner) sent.push(added);
    sends.grown(sent.length);
    return added;
  }

  function handle(request: FakeRequest): FakeReply {
    if (options.token !== undefined && request.headers.authorization !== `Bearer ${options.token}`) {
      return { status: 401, body: "" };
    }
    const [, to] = SEND.exec(request.path) ?? [];
    if (to !== undefined && request.method === "POST") return create(decodeURIComponent(to), request, add);
    const [, of] = LIST.exec(request.path) ?? [];
    if (of !== undefined) {
      const { items, link } = pageOf(messagesOf(decodeURIComponent(of), ledger), request, options);
      return jsonReply(200, { result: "success", messages: { items }, ...link });
    }
    if (request.path.endsWith("/api/v1/getContacts")) {
      const { items, link } = pageOf([...contactsIn(ledger), ...contacts], request, options);
      return jsonReply(200, { result: "success", contact_list: items, ...link });
    }
    return { status: 404, body: "" };
  }

  const whenSent = (count: number) => sends.reaches(count, sent.length);
  return Object.assign(fakeServer({ handle, refuse, nowMs }), {
    ledger,
    sent,
    add,
    whenSent,
    addContact: (contact: FakeWatiContact) => void contacts.push(contact),
  });
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

/** With a code: the 200 that means no. */
function refuse(status: number, code: number | undefined): FakeReply {
  if (status === 200)
    return jsonReply(200, { result: false, info: `refused by the fake (${code ?? "no code"})` });
  return { status, body: "refused by the fake" };
}
