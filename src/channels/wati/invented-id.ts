import { createHash } from "node:crypto";
import type { Fields } from "../../wire/json-object.ts";
import { text, timeIn } from "./body.ts";

const PREFIX = "wati-";

/**
 * A name for a message that carries no id. If the message has a time, a redelivery gets the same name and is
 * a duplicate. Otherwise the moment of arrival and a count stand in: a redelivery is then a new message,
 * because two customers' "ok" must not become one.
 */
export function idInventor(nowMs: () => number): (body: Buffer, fields: Fields) => string {
  let count = 0;
  return (body, fields) => {
    const sentAtMs = timeIn(fields);
    if (sentAtMs === undefined) return named([body.toString("base64"), String(nowMs()), String(count++)]);
    return named([
      text(fields.waId) ?? text(fields.bsuid),
      String(sentAtMs),
      text(fields.text),
      text(fields.type),
    ]);
  };
}

/** WhatsApp's ids begin with `wamid.`, WATI's own are hexadecimal. */
export function isInventedId(providerId: string): boolean {
  return providerId.startsWith(PREFIX);
}

function named(parts: readonly (string | undefined)[]): string {
  return `${PREFIX}${createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22)}`;
}
