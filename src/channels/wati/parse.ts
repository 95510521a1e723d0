import { userIdBeside } from "../../core/names.ts";
import type { InboundMessage } from "../../model/message.ts";
import type { Parsed, WebhookRequest } from "../../ports/channel.ts";
import { type Fields, readObject } from "../../wire/json-object.ts";
import { firstText, objectIn, text, timeIn } from "./body.ts";
import { contentOf } from "./content.ts";
import { isStatus, parseStatus } from "./status.ts";

export interface ParseContext {
  readonly account: string;
  /** Which address of ours was written to, where the webhook does not say. */
  readonly address: string;
  /** Names a message that carries no id of its own. */
  readonly inventId: (body: Buffer, fields: Fields) => string;
}

export function parse(request: WebhookRequest, context: ParseContext): Parsed {
  const fields = readObject(request.body);
  if (fields === undefined) return { kind: "invalid", why: "the body is not a JSON object" };
  const event = text(fields.eventType);
  if (event !== undefined && isStatus(event)) return parseStatus(event, fields, context.account);
  if (fields.owner === true) return { kind: "ignored", why: "our own message, echoed" };
  // `message_bsuid` is the same message under the newer contract, with the same id: a tenant with both
  // enabled gets duplicates, which are harmless. `newContactMessageReceived` names the contact only; its text
  // comes as `message`. A body without a type is from a relay that keeps the essentials.
  if (event !== undefined && event !== "message" && event !== "message_bsuid") {
    return { kind: "ignored", why: `event ${event}` };
  }
  return parseMessage(request.body, fields, context);
}

function parseMessage(body: Buffer, fields: Fields, context: ParseContext): Parsed {
  const message = inboundOf(fields, {
    account: context.account,
    address: firstText(fields, "channelPhoneNumber", "channelId") ?? context.address,
    id: firstText(fields, "whatsappMessageId", "id") ?? context.inventId(body, fields),
  });
  if (message === undefined) return { kind: "invalid", why: "missing: waId or bsuid" };
  return { kind: "updates", messages: [message], statuses: [] };
}

interface Known {
  readonly account: string;
  readonly address: string;
  readonly id: string;
}

/** A message in WATI's words, of a webhook or of a list. Undefined where it does not tell who wrote. */
export function inboundOf(fields: Fields, { account, address, id }: Known): InboundMessage | undefined {
  const waId = text(fields.waId);
  const bsuid = userIdBeside(waId, text(fields.bsuid));
  const sender = bsuid ?? waId;
  const replyTo = waId ?? bsuid;
  if (sender === undefined || replyTo === undefined) return undefined;
  const sentAtMs = timeIn(fields);
  return {
    providerId: id,
    account,
    address,
    sender,
    ...(bsuid === undefined || waId === undefined ? {} : { senderAlias: waId }),
    replyTo,
    ...contentOf(fields),
    ...(sentAtMs === undefined ? {} : { sentAtMs }),
    fields: fieldsOf(fields),
  };
}

function fieldsOf(fields: Fields): Record<string, string> {
  const listReply = objectIn(fields.listReply);
  const buttonReply = objectIn(fields.buttonReply);
  const interactiveReply = objectIn(fields.interactiveButtonReply);
  const found: Record<string, string | undefined> = {
    profileName: text(fields.senderName),
    waId: text(fields.waId),
    username: text(fields.username),
    messageType: text(fields.type),
    buttonPayload: firstText(buttonReply, "payload") ?? firstText(interactiveReply, "id"),
    listReplyId: text(listReply.id),
    listReplyDescription: text(listReply.description),
    repliedTo: text(fields.replyContextId),
    sourceUrl: text(fields.sourceUrl),
    ticketId: text(fields.ticketId),
    forwarded: fields.forwarded === true ? "true" : undefined,
  };
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
