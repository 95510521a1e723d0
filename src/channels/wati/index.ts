import { SMALL_BODY_BYTES_MAX } from "../../core/defaults.ts";
import { canonicalAddress } from "../../core/own-addresses.ts";
import { ConfigError } from "../../errors.ts";
import type { Channel } from "../../ports/channel.ts";
import { jsonAnswer } from "../../wire/webhook-answer.ts";
import { check } from "./check.ts";
import { idInventor, isInventedId } from "./invented-id.ts";
import { fetchMedia } from "./media.ts";
import { type ParseContext, parse } from "./parse.ts";
import { listReceived } from "./received.ts";
import { reconcile } from "./reconcile.ts";
import { send } from "./send.ts";
import { openSession, type Session, type WatiOptions } from "./session.ts";
import { unfit, verify } from "./verify.ts";

export type { WatiOptions };

const TEXT_MAX = 4_096;

/** WhatsApp through WATI. */
export function wati(options: WatiOptions = {}): Channel {
  let state: { readonly session: Session; readonly parseContext: ParseContext } | undefined;
  const opened = () => {
    if (state === undefined) throw new ConfigError("a WATI channel was used before it was opened");
    return state;
  };
  return {
    type: "whatsapp",
    textMax: TEXT_MAX,
    bodyBytesMax: options.bodyBytesMax ?? SMALL_BODY_BYTES_MAX,
    get addresses() {
      return state?.session.numbers ?? [];
    },
    refusesForGood: true,
    addressesSetBy: "`numbers` (WATI_NUMBERS)",
    open(context) {
      const session = openSession(options, context, process.env);
      const { account, numbers } = session;
      const parseContext = { account, address: numbers[0] ?? "wati", inventId: idInventor(context.nowMs) };
      state = { session, parseContext };
    },
    unfit: () => unfit(opened().session),
    verify: (request) => verify(opened().session, request),
    parse: (request) => parse(request, opened().parseContext),
    canonical: canonicalAddress,
    // WATI tries every non-200 again for a day, so only what may succeed later is an error.
    answer: (summary) => jsonAnswer("retrying", summary),
    send: (outgoing, signal) => send(opened().session, outgoing, signal),
    reconcile: (query, signal) => reconcile(opened().session, query, signal),
    fetchMedia: (media, signal) => fetchMedia(opened().session, media, signal),
    listReceived: (sinceAtMs, signal) => listReceived(opened().session, sinceAtMs, signal),
    isInventedId,
    check: (signal) => check(opened().session, signal),
  };
}
