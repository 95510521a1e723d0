import type { WindowPolicy } from "../model/window.ts";
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
