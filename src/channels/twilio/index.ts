import { SMALL_BODY_BYTES_MAX } from "../../core/defaults.ts";
import { ConfigError } from "../../errors.ts";
import type { Channel, Parsed } from "../../ports/channel.ts";
import { canonical, prefixed } from "./address.ts";
import { check } from "./check.ts";
import { fetchMedia } from "./media.ts";
import type { TwilioAccount, TwilioOptions } from "./options.ts";
import { parse } from "./parse.ts";
import { listReceived } from "./received.ts";
import { reconcile } from "./reconcile.ts";
import { send } from "./send.ts";
import { type Kind, openSession, type Session } from "./session.ts";
import { answer } from "./twiml.ts";
import { typing } from "./typing.ts";
import { glance, verify } from "./verify.ts";

export type { TwilioAccount, TwilioOptions };

const TEXT_MAX = 1_600;
const WHATSAPP: Kind = { type: "whatsapp", prefix: "whatsapp:", fromVariable: "TWILIO_WHATSAPP_FROM" };
const SMS: Kind = { type: "sms", prefix: "", fromVariable: "TWILIO_SMS_FROM" };

const NO_URL =
  "set LULL_PUBLIC_URL (or publicUrl) to the address that Twilio calls: " +
  "without it a signature counts for whatever host a request names";

/** Twilio's numbers: WhatsApp senders and SMS numbers share one API and one kind of webhook. */
export const twilio = {
  whatsapp(options: TwilioOptions = {}): Channel {
    const { channel, opened } = channelOf(WHATSAPP, options);
    return Object.assign(channel, {
      typing: (_to: string, lastProviderId: string, signal: AbortSignal) =>
        typing(opened(), lastProviderId, signal),
    });
  },
  sms(options: TwilioOptions = {}): Channel {
    return channelOf(SMS, options).channel;
  },
};

function channelOf(kind: Kind, options: TwilioOptions): { channel: Channel; opened: () => Session } {
  let session: Session | undefined;
  const opened = (): Session => {
    if (session === undefined)
      throw new ConfigError(`a Twilio ${kind.type} channel was used before it was opened`);
    return session;
  };
  const channel: Channel = {
    type: kind.type,
    textMax: options.textMax ?? TEXT_MAX,
    bodyBytesMax: options.bodyBytesMax ?? SMALL_BODY_BYTES_MAX,
    busyTextInAnswer: true,
    refusesForGood: true,
    get addresses() {
      return session?.numbers ?? [];
    },
    addressesSetBy: `\`from\` (${kind.fromVariable})`,
    open(context) {
      session = openSession(kind, options, context, process.env);
    },
    unfit: () => (opened().context.publicUrl === undefined ? NO_URL : undefined),
    glance,
    verify: (request) => verify(opened(), request),
    parse: (request) =>
      opened().messagingServiceSid === undefined ? parse(request) : anyNumber(parse(request)),
    canonical,
    answer,
    addressOf: (sender) => prefixed(sender, kind.prefix),
    send: (outgoing, signal) => send(opened(), outgoing, signal),
    reconcile: (query, signal) => reconcile(opened(), query, signal),
    fetchMedia: (media, signal) => fetchMedia(opened(), media, signal),
    listReceived: (sinceAtMs, signal) => listReceived(opened(), sinceAtMs, signal),
    check: (signal) => check(opened(), signal),
  };
  return { channel, opened };
}

/** A Messaging Service chooses the number: it need not be the one that the customer wrote to. */
function anyNumber(parsed: Parsed): Parsed {
  if (parsed.kind !== "updates") return parsed;
  return { ...parsed, statuses: parsed.statuses.map(({ address, ...status }) => status) };
}
