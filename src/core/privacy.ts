import type { Log, LogFields } from "../model/log.ts";
import { shortReason } from "./reason.ts";

/** Never in a log, whoever hands them in. */
const TEXTS = new Set(["text", "body", "reply", "userText", "merged"]);
const ADDRESSES = new Set(["sender", "senderAlias", "to", "from", "address", "replyTo", "phone", "email"]);
/** Numbers that slipped into a sentence: international form only, since ids and times are digits too. */
const PHONE_IN_TEXT = /\+\d{7,15}/g;

/** The same log, which is never handed anything else. Whoever embeds Lull brings a log of their own, or none. */
export function safely(log: Log): Log {
  return (level, event, fields) => log(level, event, fields && safeFields(fields));
}

/**
 * What may be logged of what was handed in: no texts, addresses only as far as one who knows them recognises them, nothing endless. What is
 * safe is left alone: most lines are, and each is looked at, also those that a log's level drops.
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
  // Cut first: somebody's error may hold a whole answer, and the log is no place for it.
  return shortReason(value).replace(PHONE_IN_TEXT, maskAddress);
}

/** The last two characters stay: enough to recognise somebody whose number one already knows. */
export function maskAddress(address: string): string {
  return address.length <= 4 ? "****" : `****${address.slice(-2)}`;
}
