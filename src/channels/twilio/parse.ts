import { userIdBeside } from "../../core/names.ts";
import type { ChunkReference, DeliveryStatus, InboundMessage, Media } from "../../model/message.ts";
import type { Parsed, WebhookRequest } from "../../ports/channel.ts";
import { bare } from "./address.ts";
import { type Form, first, readForm } from "./form.ts";
import { MESSAGE_SID } from "./recut.ts";

/** What a responder may want to know besides text and media. */
const FIELDS = Object.entries({
  profileName: "ProfileName",
  waId: "WaId",
  messageType: "MessageType",
  buttonText: "ButtonText",
  buttonPayload: "ButtonPayload",
  buttonType: "ButtonType",
  interactiveData: "InteractiveData",
  flowData: "FlowData",
  latitude: "Latitude",
  longitude: "Longitude",
  address: "Address",
  label: "Label",
  repliedTo: "OriginalRepliedMessageSid",
  forwarded: "Forwarded",
  frequentlyForwarded: "FrequentlyForwarded",
  optOutType: "OptOutType",
  messagingServiceSid: "MessagingServiceSid",
  fromCity: "FromCity",
  fromState: "FromState",
  fromCountry: "FromCountry",
  referralBody: "ReferralBody",
  referralHeadline: "ReferralHeadline",
  referralSourceId: "ReferralSourceId",
  referralSourceUrl: "ReferralSourceUrl",
});

export function parse(request: WebhookRequest): Parsed {
  const form = readForm(request);
  // A media-only message has an empty Body and SmsStatus=received: only MessageStatus marks a status
  // callback.
  if (form.has("MessageStatus")) return parseStatus(form, request.url);
  // An address that is only a prefix is missing.
  const missing = ["MessageSid", "AccountSid", "From", "To"].filter((key) => !bare(text(form, key)));
  if (missing.length > 0) return { kind: "invalid", why: `missing: ${missing.join(", ")}` };
  if (!hasOneSid(form)) return { kind: "invalid", why: "MessageSid is not the id of a message" };
  return { kind: "updates", messages: [messageOf(form)], statuses: [] };
}

/** Twilio writes the SID under three names, two of them for old integrations. */
const SID_KEYS = ["MessageSid", "SmsMessageSid", "SmsSid"];

function hasOneSid(form: Form): boolean {
  const own = text(form, "MessageSid");
  return MESSAGE_SID.test(own) && SID_KEYS.every((key) => form.get(key)?.every((sid) => sid === own) ?? true);
}

function messageOf(form: Form): InboundMessage {
  const from = text(form, "From");
  const phone = bare(from);
  const sender = userIdBeside(phone, bare(text(form, "ExternalUserId"))) ?? phone;
  return {
    providerId: text(form, "MessageSid"),
    account: text(form, "AccountSid"),
    address: bare(text(form, "To")),
    sender,
    ...(sender === phone ? {} : { senderAlias: phone }),
    replyTo: from,
    // A tapped button may come without a body; its text is what the customer said.
    text: text(form, "Body") || text(form, "ButtonText"),
    media: mediaOf(form),
    fields: fieldsOf(form),
  };
}

function mediaOf(form: Form): Media[] {
  const media: Media[] = [];
  for (let n = 0; ; n++) {
    const url = first(form, `MediaUrl${n}`);
    if (!url) return media;
    media.push({ url, contentType: first(form, `MediaContentType${n}`) || "application/octet-stream" });
  }
}

function fieldsOf(form: Form): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, key] of FIELDS) {
    const value = first(form, key);
    if (value) fields[name] = value;
  }
  return fields;
}

function parseStatus(form: Form, url: string): Parsed {
  const missing = ["MessageSid", "AccountSid", "MessageStatus"].filter((key) => !first(form, key));
  if (missing.length > 0) return { kind: "invalid", why: `missing: ${missing.join(", ")}` };
  const errorCode = first(form, "ErrorCode");
  const chunk = chunkIn(url);
  const from = bare(text(form, "From"));
  const status: DeliveryStatus = {
    account: text(form, "AccountSid"),
    providerId: text(form, "MessageSid"),
    status: text(form, "MessageStatus"),
    ...(errorCode ? { errorCode } : {}),
    ...(from ? { address: from } : {}),
    ...(chunk ? { chunk } : {}),
  };
  return { kind: "updates", messages: [], statuses: [status] };
}

/**
 * `?n=<turn>.<chunk>`, which `send` put into the callback URL. A turn's id may hold dots, a chunk's number
 * does not.
 */
function chunkIn(url: string): ChunkReference | undefined {
  const query = url.split("#")[0]?.split("?")[1] ?? "";
  const [, turnId, chunk] = /^(.+)\.(\d{1,9})$/s.exec(new URLSearchParams(query).get("n") ?? "") ?? [];
  return turnId === undefined ? undefined : { turnId, chunk: Number(chunk) };
}

function text(form: Form, key: string): string {
  return first(form, key) ?? "";
}
