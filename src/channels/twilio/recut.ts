import type { Form } from "./form.ts";

/** The id that Twilio gives to a message. */
export const MESSAGE_SID = /^(?:SM|MM)[0-9a-f]{32}$/i;

const STATUS =
  "accepted|scheduled|queued|sending|sent|delivered|read|failed|undelivered|canceled|receiving|received";
/** In a name, those two with anything behind them. */
const NAME_AND_MORE = /Message(?:Sid|Status)./i;
/** A name with its value behind it, which in a form stand apart. */
const NAME_AND_VALUE = new RegExp(`Message(?:Sid(?:SM|MM)[0-9a-f]{32}|Status(?:${STATUS}))`, "i");

/**
 * Twilio signs names and values in one line with nothing between them, so a signature is right for every way to cut that line apart: a
 * name may vanish in the value before it, and what a customer wrote may become a name. Whoever got hold of one webhook could make others
 * of it. Wherever it is cut, the message's own id is still in that line: it must be what it is, an id of 34 characters under its own
 * name, and in no other place. Then every cut is the message that was taken before, and is answered as its duplicate. The same goes for
 * what tells a status from a message.
 */
export function isCutElsewhere(form: Form): boolean {
  for (const [name, values] of form) {
    if (NAME_AND_MORE.test(name) || values.some((value) => NAME_AND_VALUE.test(value))) return true;
  }
  return false;
}
