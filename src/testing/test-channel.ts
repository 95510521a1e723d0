import type { Channel, Outgoing, ReconcileOutcome, ReconcileQuery, SendOutcome } from "../ports/channel.ts";
import { growth } from "./fake-server.ts";

export type TestSend = (
  outgoing: Outgoing,
  n: number,
  signal: AbortSignal,
) => SendOutcome | Promise<SendOutcome>;

/** A channel that keeps what it was asked to send, and does what it is told with it. */
export interface TestChannel extends Channel {
  readonly outbox: Outgoing[];
  /** Resolves when so many were sent. */
  whenSent(count: number): Promise<void>;
  /** What the next sends come to; `sent` when nothing is said. */
  behave(send: TestSend): void;
  reconcileWith(reconcile: ((n: number, query: ReconcileQuery) => ReconcileOutcome) | undefined): void;
}

const STATUS: Readonly<Record<string, number>> = { STORE_UNAVAILABLE: 503, RATE_LIMITED: 429 };

export function testChannel(
  options: { readonly type?: string; readonly textMax?: number; readonly addresses?: readonly string[] } = {},
): TestChannel {
  const outbox: Outgoing[] = [];
  const sends = growth();
  const sentAs = (n: number): SendOutcome => ({ kind: "sent", providerId: `out-${n}` });
  let behaviour: TestSend = (_, n) => sentAs(n);
  let asked = 0;
  const channel: TestChannel = {
    type: options.type ?? "test",
    textMax: options.textMax ?? 10_000,
    ...(options.addresses && { addresses: options.addresses }),
    outbox,
    verify: () => ({ kind: "authentic" }),
    parse: (request) => ({ kind: "updates", messages: JSON.parse(request.body.toString()), statuses: [] }),
    answer: ({ code, retryAfterSeconds }) => ({
      status: code === undefined ? 200 : (STATUS[code] ?? 409),
      headers: {
        "content-type": "application/json",
        ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
      },
      body: JSON.stringify({ code }),
    }),
    async send(outgoing, signal) {
      const outcome = await behaviour(outgoing, outbox.length + 1, signal);
      if (outcome.kind !== "not-sent") outbox.push(outgoing);
      sends.grown(outbox.length);
      return outcome;
    },
    whenSent: (count) => sends.reaches(count, outbox.length),
    behave(send) {
      behaviour = send;
    },
    reconcileWith(reconcile) {
      if (reconcile) {
        channel.reconcile = async (query) => {
          asked += 1;
          return reconcile(asked, query);
        };
      } else delete channel.reconcile;
    },
  };
  return channel;
}
