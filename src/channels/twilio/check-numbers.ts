import type { Finding } from "../../ports/check-result.ts";
import { aboutWebhook, found } from "../../wire/finding.ts";
import { unanswered } from "../../wire/unanswered.ts";
import { compareUrl } from "./compare-url.ts";
import { Reading } from "./reading.ts";
import { findReceiver, findService, type Receiver } from "./receivers.ts";
import { type Account, isService, type Session } from "./session.ts";

/** The sandbox is Twilio's own sender, shared by all: no account has it, and no API tells what it calls. */
const SANDBOX = "+14155238886";
/** Each costs some calls. */
const NUMBERS_MAX = 20;

/** Whether an account has the numbers that are configured for it, and whether Twilio calls us for them. */
export async function checkNumbers(
  session: Session,
  account: Account,
  signal: AbortSignal,
): Promise<Finding[]> {
  const services = servicesOf(session, account);
  const numbers = services.length > 0 ? [] : numbersOf(session, account);
  if (services.length + numbers.length === 0)
    return [aboutWebhook("skip", "no number is configured (`from`), so that Twilio was asked about none")];
  const reading = await Reading.open(session, account, signal);
  const asked = [...services, ...numbers].slice(0, NUMBERS_MAX);
  const more = services.length + numbers.length - asked.length;
  const each = await Promise.all(asked.map((which) => checkOne(reading, session, which)));
  return [
    ...each.flat(),
    ...(more > 0 ? [aboutWebhook("skip", `further numbers, which Twilio was not asked about: ${more}`)] : []),
  ];
}

/** A Messaging Service receives for its numbers: which these are does not matter then. */
function servicesOf({ messagingServiceSid, from, primary }: Session, account: Account): string[] {
  const own = account === primary ? [messagingServiceSid, ...from] : account.from;
  return [...new Set(own.filter((which) => which !== undefined && isService(which)))] as string[];
}

function numbersOf({ accounts, numbers }: Session, { from }: Account): string[] {
  const own = accounts.size === 1 ? numbers : from;
  return own.filter((number) => /^\+?\d+$/.test(number));
}

async function checkOne(reading: Reading, session: Session, which: string): Promise<Finding[]> {
  if (which === SANDBOX && session.kind.type === "whatsapp")
    return [aboutWebhook("skip", `${which} is Twilio's sandbox, and no API tells what it calls`)];
  try {
    const receiver = isService(which)
      ? await findService(reading, which)
      : await findReceiver(reading, session.kind, which);
    return told(receiver, session, which);
  } catch (error) {
    return [aboutWebhook("skip", `for ${which}: ${unanswered("Twilio", error, reading.signal)}`)];
  }
}

function told(receiver: Receiver, session: Session, which: string): Finding[] {
  switch (receiver.kind) {
    case "missing":
      return [found(receiver.isSure ? "fail" : "warn", receiver.why), notThere(which)];
    case "unknown":
      return [aboutWebhook("skip", `for ${which}: ${receiver.why}`)];
    case "known":
      return [
        ...(receiver.problem === undefined ? [] : [found("warn", receiver.problem)]),
        compareUrl(receiver, which, session.context.webhookUrls ?? []),
      ];
  }
}

function notThere(which: string): Finding {
  return aboutWebhook("skip", `for ${which}: Twilio does not have it`);
}
