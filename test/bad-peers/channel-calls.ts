import { twilio } from "../../src/channels/twilio/index.ts";
import { wati } from "../../src/channels/wati/index.ts";
import type { Channel, Outgoing, ReconcileQuery } from "../../src/ports/channel.ts";
import { receivedSince } from "../../src/runtime/listing.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { testContext } from "../../src/testing/channel-context.ts";
import { abortedOr, type OutgoingCall, unlessStatusCame } from "./outgoing-call.ts";

const outgoing: Outgoing = {
  to: "whatsapp:+15550123",
  from: "+15550100",
  text: "we are open",
  reference: { turnId: "turn-1", chunk: 0 },
  conversationId: "conversation-1",
};
const query: ReconcileQuery = { ...outgoing, notBeforeAtMs: 0, excludeProviderIds: [] };

function opened(channel: Channel): Channel {
  channel.open?.(testContext());
  return channel;
}

const twilioAt = (apiUrl: string) =>
  opened(twilio.whatsapp({ apiUrl, accountSid: "AC1", authToken: "token", from: outgoing.from }));
const watiAt = (apiUrl: string) =>
  opened(wati({ apiUrl: `${apiUrl}/1`, token: "token", webhookSecret: "secret" }));

/** What channels ask their providers. */
export const CHANNEL_CALLS: readonly OutgoingCall[] = [
  {
    name: "twilio: send",
    of: ["channels/twilio/api.ts"],
    make: (url, signal) => twilioAt(url).send(outgoing, signal),
    ends: "unknown",
  },
  {
    name: "twilio: reconcile",
    of: ["channels/twilio/api.ts"],
    make: async (url, signal) => twilioAt(url).reconcile?.(query, signal),
    ends: "cannot-tell",
  },
  {
    name: "twilio: list what was received",
    of: ["channels/twilio/api.ts"],
    make: (url, signal) => allOf(twilioAt(url).listReceived?.(0, signal) ?? []),
    ends: abortedOr("error Error"),
  },
  {
    name: "wati: list what was received",
    of: ["channels/wati/ask.ts"],
    make: (url, signal) => allOf(watiAt(url).listReceived?.(0, signal) ?? []),
    ends: abortedOr("error Error"),
  },
  {
    name: "catch-up: what a provider received",
    of: ["channels/twilio/api.ts"],
    make: (url) => allOf(receivedSince(twilioAt(url), 0, systemClock, 100)),
    ends: (manner) => (manner === "closes" ? "error Error" : "error TimeoutError"),
  },
  {
    name: "twilio: check",
    of: ["channels/twilio/api.ts"],
    make: (url, signal) => verdictOf(twilioAt(url), signal),
    ends: "fail",
  },
  {
    name: "twilio: fetch media",
    of: ["channels/twilio/media.ts"],
    make: (url, signal) => textOf(twilioAt(url).fetchMedia?.(mediaAt(url), signal)),
    ends: abortedOr("error TypeError"),
  },
  {
    name: "twilio: typing",
    of: ["channels/twilio/api.ts"],
    make: async (url, signal) => twilioAt(url).typing?.(outgoing.to, "SM1", signal),
    ends: "undefined",
  },
  {
    name: "wati: send",
    of: ["channels/wati/send.ts"],
    make: (url, signal) => watiAt(url).send(outgoing, signal),
    ends: "unknown",
  },
  {
    name: "wati: reconcile",
    of: ["channels/wati/reconcile.ts"],
    make: async (url, signal) => watiAt(url).reconcile?.(query, signal),
    ends: "cannot-tell",
  },
  {
    name: "wati: check",
    of: ["channels/wati/check.ts"],
    make: (url, signal) => verdictOf(watiAt(url), signal),
    ends: unlessStatusCame("fail", "ok"),
  },
  {
    name: "wati: fetch media",
    of: ["channels/wati/media.ts"],
    make: (url, signal) => textOf(watiAt(url).fetchMedia?.(mediaAt(url), signal)),
    ends: abortedOr("error TypeError"),
  },
];

function mediaAt(url: string) {
  return { url: `${url}/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1`, contentType: "image/jpeg" };
}

async function verdictOf({ check }: Channel, signal: AbortSignal): Promise<string | undefined> {
  return (await check?.(signal))?.[0]?.verdict;
}

async function allOf(listed: AsyncIterable<unknown> | readonly unknown[]): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const each of listed) all.push(each);
  return all;
}

async function textOf(response: Promise<Response> | undefined): Promise<string | undefined> {
  return (await response)?.text();
}
