import { shortReason } from "../core/reason.ts";
import type { Log, LogFields } from "../model/log.ts";

/** Never in a log, whichever code passes them. */
const TEXTS = new Set(["text", "body", "reply", "userText", "merged"]);
const ADDRESSES = new Set(["sender", "senderAlias", "to", "from", "address", "replyTo", "phone", "email"]);
/** Numbers that slipped into a sentence: international form only, since ids and times are digits too. */
const PHONE_IN_TEXT = /\+\d{7,15}/g;

/** The same log, which gets only safe fields. A program that embeds Lull may bring its own log. */
export function safely(log: Log): Log {
  return (level, event, fields) => log(level, event, fields && safeFields(fields));
}

/**
 * What may be logged of the given fields: no texts, addresses only as far as a reader who knows them
 * recognises them, nothing too long. Safe fields are returned as they are: most are safe, and every line is
 * checked, also those that the log's level drops.
 */
export function safeFields(fields: LogFields): LogFields {
  for (const key in fields) if (isUnsafe(key, fields[key])) return withoutUnsafe(fields);
  return fields;
}

function isUnsafe(key: string, value: LogFields[string]): boolean {
  if (TEXTS.has(key)) return true;
  return typeof value === "string" && masked(key, value) !== value;
}

function withoutUnsafe(fields: LogFields): LogFields {
  const kept = Object.entries(fields).filter(([key]) => !TEXTS.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [key, typeof value === "string" ? masked(key, value) : value]),
  );
}

function masked(key: string, value: string): string {
  if (ADDRESSES.has(key)) return maskAddress(value);
  // Cut first: an error may quote a whole answer, and the log is no place for it.
  const short = shortReason(value);
  return short.includes("+") ? short.replace(PHONE_IN_TEXT, maskAddress) : short;
}

/** The last two characters stay: enough to recognise a number that the reader already knows. */
export function maskAddress(address: string): string {
  return address.length <= 4 ? "****" : `****${address.slice(-2)}`;
}
