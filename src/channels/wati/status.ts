import type { DeliveryStatus } from "../../model/message.ts";
import type { Parsed } from "../../ports/channel.ts";
import { type Fields, firstText, text } from "./body.ts";
import { chunkNamed } from "./chunk-name.ts";

/**
 * Events about something that we sent. The versions (`_v2`, `_bsuid`) differ only in how they name the
 * customer.
 */
const EVENTS: readonly (readonly [RegExp, string])[] = [
  [/^sentMessageDELIVERED(_|$)/i, "delivered"],
  [/^sentMessageREAD(_|$)/i, "read"],
  [/^(template|session)MessageFailed(_|$)/i, "failed"],
];

export function isStatus(event: string): boolean {
  return statusOf(event) !== undefined;
}

export function parseStatus(event: string, fields: Fields, account: string): Parsed {
  const providerId = firstText(fields, "whatsappMessageId", "localMessageId", "id");
  const status = statusOf(event);
  if (providerId === undefined || status === undefined)
    return { kind: "ignored", why: `event ${event} without an id` };
  const errorCode = text(fields.failedCode);
  const chunk = chunkNamed(text(fields.localMessageId));
  const delivery: DeliveryStatus = {
    account,
    providerId,
    status,
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(chunk === undefined ? {} : { chunk }),
  };
  return { kind: "updates", messages: [], statuses: [delivery] };
}

function statusOf(event: string): string | undefined {
  return EVENTS.find(([pattern]) => pattern.test(event))?.[1];
}
