import { listIn, type Reading, type Told, textIn, unread } from "./reading.ts";
import type { Kind } from "./session.ts";

/** What Twilio calls, and where a person changes it. */
export interface Called {
  readonly url: string;
  /** Empty where Twilio does not say. */
  readonly method: string;
  readonly at: string;
}

/** Who takes in what is written to a number. */
export type Receiver =
  | ({
      readonly kind: "known";
      /** What else is wrong with it. */
      readonly problem?: string | undefined;
    } & Called)
  /** `isSure`: by a list that has them all. */
  | { readonly kind: "missing"; readonly why: string; readonly isSure: boolean }
  | { readonly kind: "unknown"; readonly why: string };

/** The Messaging Services that are asked whether a number is theirs. */
const SERVICES_MAX = 20;
const SENDERS_MAX = 1_000;

export function findReceiver(reading: Reading, kind: Kind, number: string): Promise<Receiver> {
  if (kind.type === "whatsapp") return findSender(reading, number);
  return number.startsWith("+") ? findNumber(reading, number) : findShortCode(reading, number);
}

export async function findService(reading: Reading, sid: string): Promise<Receiver> {
  const service = await reading.ofMessaging(`v1/Services/${sid}`);
  if (service === undefined) return missing(reading, `Messaging Service ${sid}`);
  if (!defersToNumber(service)) return calledByService(service);
  return { kind: "unknown", why: "its numbers have webhooks of their own: name them in `from`" };
}

async function findNumber(reading: Reading, number: string): Promise<Receiver> {
  const query = new URLSearchParams({ PhoneNumber: number, PageSize: "50" });
  const listed = await reading.ofAccount(`IncomingPhoneNumbers.json?${query}`);
  // What is asked for is taken for a part of a number.
  const own = listIn(listed, "incoming_phone_numbers").find((each) => each.phone_number === number);
  if (own === undefined) return missing(reading, `number ${number}`);
  const service = await serviceWith(reading, `PhoneNumbers/${textIn(own, "sid")}`);
  const known = service === undefined ? await calledByNumber(reading, own) : calledByService(service);
  const { sms } = Object(own.capabilities) as { sms?: unknown };
  return sms === false ? { ...known, problem: `Twilio says that ${number} has no SMS` } : known;
}

async function findShortCode(reading: Reading, code: string): Promise<Receiver> {
  const query = new URLSearchParams({ ShortCode: code, PageSize: "50" });
  const listed = await reading.ofAccount(`SMS/ShortCodes.json?${query}`);
  const own = listIn(listed, "short_codes").find((each) => each.short_code === code);
  if (own === undefined) return missing(reading, `short code ${code}`);
  const service = await serviceWith(reading, `ShortCodes/${textIn(own, "sid")}`);
  return service === undefined ? calledByNumber(reading, own) : calledByService(service);
}

/** The Senders API is young, and may not list one that was registered before it. */
async function findSender(reading: Reading, number: string): Promise<Receiver> {
  const listed = await reading.ofMessaging(`v2/Channels/Senders?Channel=whatsapp&PageSize=${SENDERS_MAX}`);
  if (listed === undefined) return { kind: "unknown", why: "Twilio has no list of senders for this account" };
  const entry = listIn(listed, "senders").find((each) => each.sender_id === `whatsapp:${number}`);
  if (entry === undefined) {
    const why = `Twilio lists no WhatsApp sender ${number} in account ${reading.account.sid}`;
    return { kind: "missing", isSure: false, why: `${why}: sends from it would be refused` };
  }
  const sid = textIn(entry, "sid");
  // The list may leave the webhook out.
  const sender = (await reading.ofMessaging(`v2/Channels/Senders/${sid}`)) ?? entry;
  const service = await serviceWith(reading, `ChannelSenders/${sid}`);
  const known = service === undefined ? calledBySender(sender) : calledByService(service);
  const status = textIn(sender, "status");
  if (status === "" || status.startsWith("ONLINE")) return known;
  return { ...known, problem: `Twilio says that WhatsApp sender ${number} is ${status}` };
}

type Known = Extract<Receiver, { kind: "known" }>;

/** A TwiML application, where one is set, stands before the number's own URL. */
async function calledByNumber(reading: Reading, number: Told): Promise<Known> {
  const sid = textIn(number, "sms_application_sid");
  const application = sid === "" ? undefined : await reading.ofAccount(`Applications/${sid}.json`);
  const at = application === undefined ? "as its messaging webhook" : `in TwiML App ${sid}`;
  return known(application ?? number, "sms_url", "sms_method", at);
}

function calledByService(service: Told): Known {
  const at = `in Messaging Service ${textIn(service, "sid")}`;
  return known(service, "inbound_request_url", "inbound_method", at);
}

function calledBySender(sender: Told): Known {
  const webhook = Object(sender.webhook) as Told;
  return known(webhook, "callback_url", "callback_method", "in the sender's settings");
}

function known(from: Told, url: string, method: string, at: string): Known {
  return { kind: "known", url: textIn(from, url), method: textIn(from, method), at };
}

function missing({ account }: Reading, what: string): Receiver {
  return { kind: "missing", isSure: true, why: `Twilio's account ${account.sid} has no ${what}` };
}

/** The service that receives for a number: no number says which one it is in. */
async function serviceWith(reading: Reading, path: string): Promise<Told | undefined> {
  const listed = await reading.ofMessaging(`v1/Services?PageSize=${SERVICES_MAX}`);
  const receiving = listIn(listed, "services").filter((service) => !defersToNumber(service));
  const has = await Promise.all(
    receiving.map((service) => reading.ofMessaging(`v1/Services/${textIn(service, "sid")}/${path}`)),
  );
  const found = receiving.find((_, at) => has[at] !== undefined);
  if (found === undefined && hasMore(listed))
    throw unread(`the account has more than ${SERVICES_MAX} Messaging Services, and one may receive for it`);
  return found;
}

function hasMore(listed: Told | undefined): boolean {
  return Boolean((Object(listed?.meta) as Told).next_page_url);
}

function defersToNumber(service: Told): boolean {
  return service.use_inbound_webhook_on_number === true;
}
