import { type FakeReply, type FakeRequest, jsonReply } from "./fake-server.ts";

/** What an account has at Twilio, and what Twilio calls for it. */
export interface FakeTwilioSettings {
  /** Phone numbers. */
  readonly numbers?: readonly FakeTwilioNumber[];
  /** Short codes. */
  readonly shortCodes?: readonly FakeTwilioNumber[];
  /** Senders of WhatsApp. */
  readonly senders?: readonly FakeTwilioSender[];
  /** Messaging Services. */
  readonly services?: readonly FakeTwilioService[];
  /** TwiML Apps, which numbers may leave their webhooks to. */
  readonly applications?: readonly { readonly sid: string; readonly smsUrl: string }[];
}

/** A number that messages come to. */
export interface FakeTwilioNumber {
  /** `+15550100`, or the digits of a short code. */
  readonly number: string;
  /** What Twilio calls when a message comes in. */
  readonly smsUrl?: string;
  /** How it calls that; `POST` where left out. */
  readonly smsMethod?: "GET" | "POST";
  /** The TwiML App that is asked instead. */
  readonly smsApplicationSid?: string;
  /** False for one that takes calls alone. */
  readonly hasSms?: boolean;
}

/** A sender of WhatsApp. */
export interface FakeTwilioSender {
  /** `+15550100`. */
  readonly number: string;
  /** What Twilio calls when a message comes in. */
  readonly callbackUrl?: string;
  /** As Twilio says it: `ONLINE` where left out. */
  readonly status?: string;
}

/** A Messaging Service. */
export interface FakeTwilioService {
  /** Its id, `MG...`. */
  readonly sid: string;
  /** What Twilio calls when a message comes in. */
  readonly inboundRequestUrl?: string;
  /** Whether it leaves that to the number's own webhook. */
  readonly useInboundWebhookOnNumber?: boolean;
  /** Numbers, short codes and senders that are in it. */
  readonly has?: readonly string[];
}

const OF_ACCOUNT =
  /^\/2010-04-01\/Accounts\/[^/]+\/(IncomingPhoneNumbers|SMS\/ShortCodes|Applications)(?:\/(AP\w+))?\.json$/;
const SENDERS = /^\/v2\/Channels\/Senders(?:\/(\w+))?$/;
const SERVICES = /^\/v1\/Services(?:\/(\w+)(?:\/(PhoneNumbers|ShortCodes|ChannelSenders)\/(\w+))?)?$/;

/** Twilio's answer about settings: `missing` for what is not there, and for every other path. */
export function settingsReply(
  { path, query }: FakeRequest,
  settings: FakeTwilioSettings,
  missing: FakeReply,
): FakeReply {
  const [, kind, application] = OF_ACCOUNT.exec(path) ?? [];
  if (kind === "IncomingPhoneNumbers") return listed(settings.numbers, query.get("PhoneNumber"), NUMBERS);
  if (kind === "SMS/ShortCodes") return listed(settings.shortCodes, query.get("ShortCode"), SHORT_CODES);
  if (kind === "Applications") {
    const found = settings.applications?.find(({ sid }) => sid === application);
    return found ? jsonReply(200, { sid: found.sid, sms_url: found.smsUrl, sms_method: "POST" }) : missing;
  }
  const sender = SENDERS.exec(path);
  if (sender) return senderReply(sender[1], query, settings, missing);
  const service = SERVICES.exec(path);
  return service ? serviceReply(service, settings, missing) : missing;
}

const NUMBERS = { list: "incoming_phone_numbers", name: "phone_number", prefix: "PN" } as const;
const SHORT_CODES = { list: "short_codes", name: "short_code", prefix: "SC" } as const;

/** The filter takes a part of a number, as the real one does. */
function listed(
  all: readonly FakeTwilioNumber[] = [],
  part: string | null,
  { list, name, prefix }: { readonly list: string; readonly name: string; readonly prefix: string },
): FakeReply {
  const matching = all.filter(({ number }) => part === null || number.includes(part.replace(/^\+/, "")));
  return jsonReply(200, {
    [list]: matching.map(
      ({ number, smsUrl = "", smsMethod = "POST", smsApplicationSid = "", hasSms = true }) => ({
        sid: sidOf(prefix, number),
        [name]: number,
        sms_url: smsUrl,
        sms_method: smsMethod,
        sms_application_sid: smsApplicationSid,
        capabilities: { voice: true, sms: hasSms, mms: false },
      }),
    ),
    next_page_uri: null,
  });
}

/** Without the channel the list is refused; a webhook is told by the sender alone. */
function senderReply(
  sid: string | undefined,
  query: URLSearchParams,
  { senders = [] }: FakeTwilioSettings,
  missing: FakeReply,
): FakeReply {
  if (sid === undefined) {
    if (query.get("Channel") !== "whatsapp") return jsonReply(400, { code: 20001, status: 400 });
    const all = senders.map(({ number, status = "ONLINE" }) => ({
      sid: sidOf("XE", number),
      sender_id: `whatsapp:${number}`,
      status,
    }));
    return jsonReply(200, { senders: all, meta: { next_page_url: null } });
  }
  const found = senders.find(({ number }) => sidOf("XE", number) === sid);
  if (found === undefined) return missing;
  return jsonReply(200, {
    sid,
    sender_id: `whatsapp:${found.number}`,
    status: found.status ?? "ONLINE",
    webhook: { callback_url: found.callbackUrl ?? null, callback_method: "POST" },
  });
}

function serviceReply(
  [, sid, kind, member]: readonly (string | undefined)[],
  { services = [] }: FakeTwilioSettings,
  missing: FakeReply,
): FakeReply {
  if (sid === undefined)
    return jsonReply(200, { services: services.map(toldOf), meta: { next_page_url: null } });
  const found = services.find((service) => service.sid === sid);
  if (found === undefined) return missing;
  if (kind === undefined) return jsonReply(200, toldOf(found));
  const prefix = kind === "PhoneNumbers" ? "PN" : kind === "ShortCodes" ? "SC" : "XE";
  const isIn = found.has?.some((number) => sidOf(prefix, number) === member);
  return isIn ? jsonReply(200, { sid: member, service_sid: sid }) : missing;
}

function toldOf({ sid, inboundRequestUrl, useInboundWebhookOnNumber = false }: FakeTwilioService) {
  return {
    sid,
    inbound_request_url: inboundRequestUrl ?? null,
    inbound_method: "POST",
    use_inbound_webhook_on_number: useInboundWebhookOnNumber,
  };
}

function sidOf(prefix: string, number: string): string {
  return prefix + number.replace(/\D/g, "").padStart(32, "0");
}
