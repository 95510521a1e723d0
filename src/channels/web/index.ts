import { WEB_TEXT_LENGTH_MAX } from "../../core/defaults.ts";
import type { Channel, ChannelContext, Outgoing } from "../../ports/channel.ts";
import type { SecretReference } from "../../ports/secrets.ts";
import { guessable, isGuessable } from "../../wire/own-secret.ts";
import { jsonAnswer } from "../../wire/webhook-answer.ts";
import { parse } from "./parse.ts";
import { glance, isForThisMachine, verify } from "./verify.ts";

export interface WebOptions {
  /**
   * Senders must prove who they are with `x-lull-signature`. Without it each sender is taken at its word: for
   * a trial at home.
   */
  readonly secret?: SecretReference | undefined;
  /**
   * Each sender is taken at its word, also on a public service. Otherwise a public service needs the secret.
   */
  readonly unsigned?: boolean | undefined;
  /** The address that the page writes to. Default: the channel's name. */
  readonly address?: string | undefined;
  /** Characters of a text that a visitor may write. Default: 8,000. */
  readonly textLengthMax?: number | undefined;
}

const TEXT_MAX = 100_000;
/** What one character of a text takes at most when JSON escapes it. */
const ESCAPED_BYTES = 6;
/** Ten media with their names, and the sender. */
const BESIDE_BYTES_MAX = 48_000;

const UNSIGNED =
  "it is public and has no secret, so that any caller could write and read as any visitor: " +
  "set LULL_WEB_SECRET (or its option `secret`) and sign visitors, " +
  "or LULL_WEB_UNSIGNED=1 (`unsigned: true`) if that does not matter";

/** The phone in the page, and any program that posts JSON. */
export function web(options: WebOptions = {}): Channel {
  let context: ChannelContext | undefined;
  const { textLengthMax = WEB_TEXT_LENGTH_MAX, secret, unsigned = false } = options;
  const proof = () => ({ secret, unsigned, ...context });
  const address = () => options.address ?? context?.name ?? "web";
  return {
    type: "web",
    textMax: TEXT_MAX,
    textLengthMax,
    bodyBytesMax: ESCAPED_BYTES * textLengthMax + BESIDE_BYTES_MAX,
    hasVisitors: true,
    isUnsigned: secret === undefined,
    get isForThisMachine() {
      return isForThisMachine(proof());
    },
    settleMs: 0,
    open(given) {
      context = given;
    },
    get addresses() {
      return [address()];
    },
    addressesSetBy: "`address`",
    async unfit() {
      if (secret === undefined) return !unsigned && context?.publicUrl ? UNSIGNED : undefined;
      return isGuessable((await context?.secrets.get(secret)) ?? "") ? guessable("its secret") : undefined;
    },
    glance: (head) => glance(head, proof()),
    verify: (request) => verify(request, proof()),
    parse: (request) => parse(request, address()),
    // A page reads the status and can act on it.
    answer: (summary) => jsonAnswer("client", summary),
    // Nothing is sent anywhere: the page reads what was committed from the store. So a chunk is sent as soon
    // as it is drafted, and asking again gives the same answer.
    send: async (outgoing) => ({ kind: "sent", providerId: idOf(outgoing) }),
    reconcile: async (query) => ({ kind: "sent", providerId: idOf(query) }),
  };
}

function idOf({ reference }: Outgoing): string {
  return `web-${reference.turnId}.${reference.chunk}`;
}
