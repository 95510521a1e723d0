import type { Channel, ChannelContext, Outgoing } from "../../ports/channel.ts";
import type { SecretReference } from "../../ports/secrets.ts";
import { answer } from "./answer.ts";
import { parse } from "./parse.ts";
import { glance, verify } from "./verify.ts";

export interface WebOptions {
  /** Senders must prove who they are with `x-lull-signature`. Without it everybody is who they say they are: for a trial at home. */
  readonly secret?: SecretReference | undefined;
  /** Everybody may be who they say they are, also where the whole world can write. Otherwise a public service needs the secret. */
  readonly unsigned?: boolean | undefined;
  /** The address that the page writes to. Default: the channel's name. */
  readonly address?: string | undefined;
  /** Bytes of one message as JSON. Default 632000: larger ones are refused unread. */
  readonly bodyBytesMax?: number | undefined;
}

const TEXT_MAX = 100_000;
/** A text of that length, every character of it escaped as JSON may, and ten media beside it. */
const BODY_BYTES_MAX = 6 * TEXT_MAX + 32_000;

const UNSIGNED =
  "it is public and has no secret, so that anybody could write and read as anybody: set LULL_WEB_SECRET (or its option `secret`) and sign visitors, or LULL_WEB_UNSIGNED=1 (`unsigned: true`) if that does not matter";

/** The phone in the page, and any program that posts JSON. */
export function web(options: WebOptions = {}): Channel {
  let context: ChannelContext | undefined;
  const address = () => options.address ?? context?.name ?? "web";
  return {
    type: "web",
    textMax: TEXT_MAX,
    bodyBytesMax: options.bodyBytesMax ?? BODY_BYTES_MAX,
    settleMs: 0,
    open(given) {
      context = given;
    },
    get address() {
      return address();
    },
    unfit: () =>
      options.secret === undefined && options.unsigned !== true && context?.publicUrl ? UNSIGNED : undefined,
    glance: (head) => glance(head, { secret: options.secret, ...context }),
    verify: (request) => verify(request, { secret: options.secret, ...context }),
    parse: (request) => parse(request, address()),
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
