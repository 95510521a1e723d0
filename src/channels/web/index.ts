import type { Channel, ChannelContext, Outgoing } from "../../ports/channel.ts";
import type { SecretReference } from "../../ports/secrets.ts";
import { answer } from "./answer.ts";
import { parse } from "./parse.ts";
import { verify } from "./verify.ts";

export interface WebOptions {
  /** Senders must prove who they are with `x-lull-signature`. Without it everybody is who they say they are: for a trial at home. */
  readonly secret?: SecretReference | undefined;
  /** The address that the page writes to. Default "web". */
  readonly address?: string | undefined;
}

const TEXT_MAX = 100_000;

/** The phone in the page, and any program that posts JSON. */
export function web(options: WebOptions = {}): Channel {
  const address = options.address ?? "web";
  let context: ChannelContext | undefined;
  return {
    type: "web",
    textMax: TEXT_MAX,
    settleMs: 0,
    open(given) {
      context = given;
    },
    verify: (request) => verify(request, options.secret, context?.secrets),
    parse: (request) => parse(request, address),
    answer,
    // Nothing leaves the house: the page reads what was committed from the store. So a chunk is sent as soon as it is drafted, and asking
    // again gives the same answer.
    send: async (outgoing) => ({ kind: "sent", providerId: idOf(outgoing) }),
    reconcile: async (query) => ({ kind: "sent", providerId: idOf(query) }),
  };
}

function idOf({ reference }: Outgoing): string {
  return `web-${reference.turnId}.${reference.chunk}`;
}
