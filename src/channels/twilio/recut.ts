import type { Form } from "./form.ts";

/** The id that Twilio gives to a message. */
export const MESSAGE_SID = /^(?:SM|MM)[0-9a-f]{32}$/i;

const SID = /(OriginalReplied|Sms)?MessageSid((?:SM|MM)[0-9a-f]{32})/gi;
const STATUS =
  /MessageStatus(?:accepted|scheduled|queued|sending|sent|delivered|read|failed|undelivered|canceled|receiving|received)/i;
const FROM_NUMBER = /From((?:[a-z]+:)?\+\d{5,15})/g;
const USER_ID = /ExternalUserId/g;
/** Who wrote to whom, and which message it is. */
const ONCE = ["AccountSid", "MessageSid", "MessageStatus", "From", "To", "ExternalUserId", "Body"];

/**
 * Twilio signs names and values in one line with nothing between them, so a signature is right for every way to cut that line apart: a
 * name may vanish in a value, and what a customer wrote may become a name. Whoever got hold of one webhook could make others of it. So what
 * matters is looked for in the line, which is the same for every cut: which message it is, whether it is one or tells what became of one,
 * and who wrote. If the line says it once, and the parameters say the same, there was nothing to choose.
 */
export function isCutElsewhere(line: string, form: Form): boolean {
  if (ONCE.some((name) => (form.get(name)?.length ?? 0) > 1)) return true;
  const hidesStatus = STATUS.test(line) && !form.has("MessageStatus");
  return hidesStatus || !namesItsMessage(line, form) || !namesItsSender(line, form);
}

/** The one id under the plain name; those under the older name are the same, and a reply names another. */
function namesItsMessage(line: string, form: Form): boolean {
  const found = [...line.matchAll(SID)].map(([, prefix = "", sid = ""]) => ({
    prefix: prefix.toLowerCase(),
    sid,
  }));
  const own = found.filter(({ prefix }) => prefix === "").map(({ sid }) => sid);
  const older = found.filter(({ prefix }) => prefix === "sms").map(({ sid }) => sid);
  const given = form.get("MessageSid")?.[0];
  if (own.length === 0) return given === undefined || !MESSAGE_SID.test(given);
  return own.length === 1 && own[0] === given && older.every((sid) => sid === given);
}

/**
 * Where a number stands twice nothing is taken, however it is cut. One user id may be a parameter or a customer's text, which nobody can tell: as
 * Twilio sent it the message is taken, and what is made of it later is its duplicate.
 */
function namesItsSender(line: string, form: Form): boolean {
  if ((line.match(USER_ID)?.length ?? 0) > 1) return false;
  const numbers = [...line.matchAll(FROM_NUMBER)].map(([, number]) => number);
  return numbers.length <= 1 && numbers.every((number) => number === form.get("From")?.[0]);
}
