import type {
  Channel,
  Outgoing,
  ReconcileOutcome,
  ReconcileQuery,
  SendOutcome,
} from "../../ports/channel.ts";
import { CLOCK_IS_BEHIND, sinceOnTheirClock } from "../../wire/provider-clock.ts";

/** A message that reached the customer. */
export interface Sent {
  readonly providerId: string;
  readonly turnId: string;
  readonly chunk: number;
  readonly to: string;
  readonly text: string;
  readonly atMs: number;
  /** From when on the provider's list shows it. */
  readonly listedAtMs: number;
}

/** The provider at the other end: one ledger for every caller. */
export class SimulatedProvider {
  readonly ledger: Sent[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  take({ to, text, reference }: Outgoing, lagMs = 0): Sent {
    const { turnId, chunk } = reference;
    const sent = {
      listedAtMs: this.#nowMs() + lagMs,
      providerId: `out-${this.ledger.length + 1}`,
      turnId,
      chunk,
      to,
      text,
      atMs: this.#nowMs(),
    };
    this.ledger.push(sent);
    return sent;
  }

  /**
   * As the channels that ship do it: the caller learns from the answer's date how far its own clock is off.
   */
  find(
    { to, text, notBeforeAtMs, excludeProviderIds }: ReconcileQuery,
    askersNowMs: number,
  ): ReconcileOutcome {
    const date = new Date(this.#nowMs()).toUTCString();
    const { certainAtMs, possibleAtMs } = sinceOnTheirClock(notBeforeAtMs, date, askersNowMs);
    const equal = this.ledger.filter(
      (each) =>
        each.to === to &&
        each.text === text &&
        each.atMs >= possibleAtMs &&
        each.listedAtMs <= this.#nowMs() &&
        !excludeProviderIds.includes(each.providerId),
    );
    const found = equal.find(({ atMs }) => atMs >= certainAtMs);
    if (found) return { kind: "sent", providerId: found.providerId };
    return equal.length > 0 ? { kind: "cannot-tell", why: CLOCK_IS_BEHIND } : { kind: "not-sent" };
  }
}

/** The channel as one process sees it. The world decides what a send meets on its way. */
export function simulatedChannel(
  send: (outgoing: Outgoing, signal: AbortSignal) => Promise<SendOutcome>,
  reconcile: ((query: ReconcileQuery) => Promise<ReconcileOutcome>) | undefined,
): Channel {
  return {
    type: "simulated",
    textMax: 1_000,
    verify: () => ({ kind: "authentic" }),
    parse: ({ body }) => ({ kind: "updates", messages: [JSON.parse(body.toString())], statuses: [] }),
    answer: ({ code }) => ({
      status: code === undefined ? 200 : code === "STORE_UNAVAILABLE" ? 503 : 409,
      headers: {},
      body: "",
    }),
    send,
    ...(reconcile && { reconcile }),
  };
}
