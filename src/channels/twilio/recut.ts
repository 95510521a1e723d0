import type { Form } from "./form.ts";

/** The id that Twilio gives to a message. */
export const MESSAGE_SID = /^(?:SM|MM)[0-9a-f]{32}$/i;

const SID_LENGTH = 34;
const NAMED_LENGTH = "MessageSid".length + SID_LENGTH;
const REPLIED_LENGTH = "OriginalReplied".length + NAMED_LENGTH;
const NAMED_SID = /(?:OriginalReplied|Sms)?MessageSid(?:SM|MM)[0-9a-f]{32}/gi;
const STATUSES =
  "accepted|scheduled|queued|sending|sent|delivered|read|failed|undelivered|canceled|receiving|received";
const STATUS = new RegExp(`MessageStatus(?:${STATUSES})`, "i");
const FROM_NUMBER = /From(?:[a-z]+:)?\+\d{5,15}/g;
const USER_ID = /ExternalUserId/g;
/** Who wrote to whom, and which message it is. */
const ONCE = ["AccountSid", "MessageSid", "MessageStatus", "From", "To", "ExternalUserId", "Body"];

/**
 * Twilio signs names and values in one line with nothing between them, so a signature fits every way to cut
 * that line: a name may vanish in a value, and what a customer wrote may become a name. An attacker with one
 * webhook could make others of it. So the line, which is the same for every cut, is searched for what
 * matters: which message it is, whether it is a message or a status, and who wrote. If the line says it once,
 * and the parameters say the same, there is only one way to read it.
 */
export function isCutElsewhere(line: string, form: Form): boolean {
  if (ONCE.some((name) => (form.get(name)?.length ?? 0) > 1)) return true;
  const hidesStatus = STATUS.test(line) && !form.has("MessageStatus");
  return hidesStatus || !namesItsMessage(line, form) || !namesItsSender(line, form);
}

/**
 * The one id under the plain name. Ids under the older name must be the same; that of a reply names another
 * message.
 */
function namesItsMessage(line: string, form: Form): boolean {
  const found = (line.match(NAMED_SID) ?? []).filter(({ length }) => length !== REPLIED_LENGTH);
  const own = found.filter(({ length }) => length === NAMED_LENGTH);
  const given = form.get("MessageSid")?.[0];
  if (own.length === 0) return given === undefined || !MESSAGE_SID.test(given);
  return own.length === 1 && found.every((each) => each.slice(-SID_LENGTH) === given);
}

/**
 * If a number stands twice, nothing is taken, however it is cut. A single user id may be a parameter or a
 * customer's text, and the line does not show which: the message is taken as Twilio sent it, and a later
 * forgery is its duplicate.
 */
function namesItsSender(line: string, form: Form): boolean {
  if ((line.match(USER_ID)?.length ?? 0) > 1) return false;
  const numbers = line.match(FROM_NUMBER) ?? [];
  return numbers.length <= 1 && numbers.every((number) => number === `From${form.get("From")?.[0]}`);
}
