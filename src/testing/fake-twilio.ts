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
import type { FakeTwilioInbound, FakeTwilioMessage } from "./fake-twilio-message.ts";
import { type FakeTwilioSettings, settingsReply } from "./fake-twilio-settings.ts";
import { inboundParams, postStatus, signedWebhook } from "./fake-twilio-webhook.ts";

/** What `fakeTwilio` takes. */
export interface FakeTwilioOptions {
  /** With both, other credentials get Twilio's 401; without, every caller is let in. */
  readonly accountSid?: string;
  /** It also signs the webhooks. */
  readonly authToken?: string;
  /** Tokens of further accounts, by SID. */
  readonly others?: Readonly<Record<string, string>>;
  /** Its clock; the machine's own where left out. */
  readonly nowMs?: () => number;
}

/** What `fakeTwilio` returns. */
export interface FakeTwilio extends FakeServer {
  /** Everything that Twilio knows, oldest first. */
  readonly ledger: readonly FakeTwilioMessage[];
  /** What was sent to customers, oldest first. */
  readonly sent: readonly FakeTwilioMessage[];
  /** Ids of the messages that "typing" was shown for. */
  readonly typed: readonly string[];
  /** For `twilio.whatsapp({ from, ...fake.options() })`. */
  options(): { readonly accountSid: string; readonly authToken: string; readonly apiUrl: string };
  /** The same as variables, for a service that is a process of its own. */
  environment(): Readonly<Record<string, string>>;
  /** Resolves when so many messages were sent. */
  whenSent(count: number): Promise<void>;
  /**
   * A customer writes: the message is in the ledger, and `fetch(url, fake.webhook(...))` brings it to the
   * service, signed.
   */
  webhook(inbound: FakeTwilioInbound): FakeWebhook;
  /** What the account has from now on: numbers, senders, services, and what is called for them. */
  configure(settings: FakeTwilioSettings): void;
  /** From now on a message shows in the list only this long after it was taken. */
  listAfter(ms: number): void;
  /** Puts a message into the ledger as if it had come or gone without us. */
  add(message: Partial<FakeTwilioMessage>): FakeTwilioMessage;
  /** Posts a signed delivery status to the message's own callback URL. */
  postStatus(sid: string, status: string, errorCode?: number): Promise<Response>;
}

const DEFAULT_ACCOUNT = "AC00000000000000000000000000000001";
const DEFAULT_TOKEN = "auth-token-of-the-fake";
/** What a message is where nothing else is said. */
const MESSAGE = {
  direction: "outbound-api",
  from: "whatsapp:+14155238886",
  to: "whatsapp:+50370000001",
  body: "",
  mediaUrls: [],
} as const;
const MESSAGES = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages\.json$/;
const MEDIA = /^\/2010-04-01\/Accounts\/[^/]+\/Messages\/([^/]+)\/Media\.json$/;
const NOT_THERE = { status: 404, code: 20404 };
const TYPING = "/v2/Indicators/Typing.json";
const ACCOUNT = /^\/2010-04-01\/Accounts\/([^/]+)\.json$/;

/**
 * Twilio's messaging API on the loopback interface: sends, lists with the real filters, shows typing, answers
 * as told.
 */
export function fakeTwilio(options: FakeTwilioOptions = {}): FakeTwilio {
  const nowMs = options.nowMs ?? systemClock.nowMs;
  const { accountSid = DEFAULT_ACCOUNT, authToken = DEFAULT_TOKEN } = options;
  const typed: string[] = [];
  let settings: FakeTwilioSettings = {};
  const kept = keeping(accountSid, nowMs);
  const handle = (request: FakeRequest) => {
    if (!isAllowed(request, options)) return refuse({ status: 401, code: 20003 });
    return answered(request, kept, typed) ?? settingsReply(request, settings, refuse(NOT_THERE));
  };
  const server = fakeServer({ handle, refuse, nowMs });
  const account = () => ({ accountSid, authToken, apiUrl: server.url });
  const { ledger, sent, add, whenSent, listAfter } = kept;
  return Object.assign(server, {
    ...{ ledger, sent, typed, add, whenSent, listAfter },
    options: account,
    environment: () => asVariables(account()),
    configure(given: FakeTwilioSettings) {
      settings = given;
    },
    webhook(inbound: FakeTwilioInbound): FakeWebhook {
      const { url, from, to, text: body = "", media = [] } = inbound;
      const mediaUrls = media.map((each) => each.url);
      const { sid } = add({ direction: "inbound", from, to, body, mediaUrls, sentAtMs: nowMs() });
      const params = inboundParams({ accountSid, sid }, inbound);
      return { method: "POST", ...signedWebhook({ url, authToken, params }) };
    },
    postStatus(sid: string, status: string, errorCode?: number) {
      const message = ledger.find((known) => known.sid === sid);
      if (message === undefined) throw new Error(`the fake knows no message ${sid}`);
      return postStatus(message, status, errorCode, authToken);
    },
  });
}

/** The messages of an account. */
function keeping(accountSid: string, nowMs: () => number) {
  const ledger: FakeTwilioMessage[] = [];
  const sent: FakeTwilioMessage[] = [];
  const sends = growth();
  let listedAfterMs = 0;
  return {
    ledger,
    sent,
    add(message: Partial<FakeTwilioMessage>): FakeTwilioMessage {
      const sid = `SM${String(ledger.length + 1).padStart(32, "0")}`;
      const added: FakeTwilioMessage = { ...MESSAGE, sid, accountSid, createdAtMs: nowMs(), ...message };
      ledger.push(added);
      if (added.direction === "outbound-api") sent.push(added);
      sends.grown(sent.length);
      return added;
    },
    /** Without a lag, messages that a test dated into the future are listed too. */
    listed(): readonly FakeTwilioMessage[] {
      const latestAtMs = nowMs() - listedAfterMs;
      return listedAfterMs === 0 ? ledger : ledger.filter(({ createdAtMs }) => createdAtMs <= latestAtMs);
    },
    listAfter(ms: number) {
      listedAfterMs = ms;
    },
    whenSent: (count: number) => sends.reaches(count, sent.length),
  };
}

function answered(
  request: FakeRequest,
  kept: ReturnType<typeof keeping>,
  typed: string[],
): FakeReply | undefined {
  const [, account] = MESSAGES.exec(request.path) ?? [];
  if (account !== undefined && request.method === "POST") return create(account, request, kept.add);
  if (account !== undefined) return list(account, request, kept.listed());
  const [, asked] = ACCOUNT.exec(request.path) ?? [];
  if (asked !== undefined) return jsonReply(200, { sid: asked, status: "active" });
  const [, message] = MEDIA.exec(request.path) ?? [];
  if (message !== undefined) return listMedia(kept.ledger.find(({ sid }) => sid === message));
  return request.path === TYPING ? typing(request, typed) : undefined;
}

function typing({ body }: FakeRequest, typed: string[]): FakeReply {
  typed.push(new URLSearchParams(body).get("messageId") ?? "");
  return jsonReply(200, { success: true });
}

function asVariables({ accountSid, authToken, apiUrl }: ReturnType<FakeTwilio["options"]>) {
  return { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_API_URL: apiUrl };
}

function create(
  accountSid: string,
  request: FakeRequest,
  add: (message: Partial<FakeTwilioMessage>) => FakeTwilioMessage,
): FakeReply {
  const form = new URLSearchParams(request.body);
  const mediaUrls = form.getAll("MediaUrl");
  const body = form.get("Body") ?? "";
  if (!form.get("To")) return refuse({ status: 400, code: 21604 });
  if (!form.get("From") && !form.get("MessagingServiceSid")) return refuse({ status: 400, code: 21603 });
  if (body === "" && mediaUrls.length === 0) return refuse({ status: 400, code: 21602 });
  if (body.length > 1_600) return refuse({ status: 400, code: 21617 });
  const statusCallback = form.get("StatusCallback");
  const messagingServiceSid = form.get("MessagingServiceSid");
  const message = add({
    accountSid,
    from: form.get("From") ?? "+15550199",
    to: form.get("To") ?? "",
    body,
    mediaUrls,
    ...(statusCallback ? { statusCallback } : {}),
    ...(messagingServiceSid ? { messagingServiceSid } : {}),
  });
  return jsonReply(201, resourceOf(message));
}

/** The filters of the real list, newest first. A message without `date_sent` fails every date filter. */
function list(
  account: string,
  { query, path }: FakeRequest,
  ledger: readonly FakeTwilioMessage[],
): FakeReply {
  const pageSize = Math.min(Number(query.get("PageSize") ?? 50), 1_000);
  const page = Number(query.get("Page") ?? 0);
  const since = query.get("DateSent>");
  const matching = ledger.filter(
    (message) =>
      message.accountSid === account &&
      (!query.get("To") || message.to === query.get("To")) &&
      (!query.get("From") || message.from === query.get("From")) &&
      (!since || (message.sentAtMs !== undefined && message.sentAtMs >= Date.parse(since))),
  );
  const from = page * pageSize;
  const shown = matching.toReversed().slice(from, from + pageSize);
  const next = new URLSearchParams(query);
  next.set("Page", String(page + 1));
  return jsonReply(200, {
    messages: shown.map(resourceOf),
    page,
    page_size: pageSize,
    next_page_uri: from + pageSize < matching.length ? `${path}?${next}` : null,
  });
}

function resourceOf(message: FakeTwilioMessage): Record<string, unknown> {
  return {
    sid: message.sid,
    account_sid: message.accountSid,
    api_version: "2010-04-01",
    status: message.direction === "inbound" ? "received" : "queued",
    direction: message.direction,
    from: message.from,
    to: message.to,
    body: message.body,
    num_segments: "1",
    num_media: String(message.mediaUrls.length),
    error_code: null,
    error_message: null,
    messaging_service_sid: message.messagingServiceSid ?? null,
    date_created: rfc2822(message.createdAtMs),
    date_sent: message.sentAtMs === undefined ? null : rfc2822(message.sentAtMs),
    date_updated: rfc2822(message.createdAtMs),
    uri: `/2010-04-01/Accounts/${message.accountSid}/Messages/${message.sid}.json`,
  };
}

function listMedia(message: FakeTwilioMessage | undefined): FakeReply {
  const media = (message?.mediaUrls ?? []).map((_, n) => ({ sid: `ME${n}`, content_type: "image/jpeg" }));
  return jsonReply(200, { media_list: media, next_page_uri: null });
}

function refuse({ status, code, message = "refused by the fake" }: FakeError): FakeReply {
  if (code === undefined) return jsonReply(status, { message, status });
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return jsonReply(status, { code, message, more_info, status });
}

/** An account's token opens what is under that account, and nothing else. */
function isAllowed({ headers, path }: FakeRequest, options: FakeTwilioOptions): boolean {
  const { accountSid, authToken, others = {} } = options;
  if (accountSid === undefined || authToken === undefined) return true;
  const [, named] = /^\/2010-04-01\/Accounts\/([^/.]+)/.exec(path) ?? [];
  const tokens = { ...others, [accountSid]: authToken };
  const may = Object.entries(tokens).filter(([sid]) => named === undefined || sid === named);
  return may.some(([sid, token]) => headers.authorization === basic(sid, token));
}

function basic(sid: string, token: string): string {
  return `Basic ${Buffer.from(`${sid}:${token}`).toString("base64")}`;
}

/** `Sun, 15 Nov 2026 05:00:00 +0000`: whole seconds, as Twilio writes them. */
function rfc2822(atMs: number): string {
  return new Date(atMs).toUTCString().replace("GMT", "+0000");
}
