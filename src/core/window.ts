/**
 * A window is the time in which messages gather.
 *
 *   fixed:  W from the first message                      |m1 . m2 . . . m3 . |due
 *   quiet:  until nobody wrote for `quiet`, `max` at most |m1 . m2 . . m3 . . quiet|due
 *
 * Windows go by our own arrival times: a provider's clock can be off by minutes.
 */
export type WindowPolicy =
  | { readonly kind: "fixed"; readonly lengthMs: number }
  | { readonly kind: "quiet"; readonly quietMs: number; readonly maxMs: number };

/** The longest that a message may wait for others. */
export function longestMs(policy: WindowPolicy): number {
  return policy.kind === "fixed" ? policy.lengthMs : policy.maxMs;
}

/** What `dueAtMs` looks at. */
export interface WindowSpan {
  readonly oldestArrivalAtMs: number;
  readonly newestArrivalAtMs: number;
}

/** When the messages of a span are due for their turn. */
export function dueAtMs(span: WindowSpan, policy: WindowPolicy): number {
  return policy.kind === "fixed"
    ? span.oldestArrivalAtMs + policy.lengthMs
    : Math.min(span.newestArrivalAtMs + policy.quietMs, span.oldestArrivalAtMs + policy.maxMs);
}
