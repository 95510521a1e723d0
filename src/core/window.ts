import type { Settings } from "../model/settings.ts";
import type { WindowPolicy } from "../model/window.ts";
/** The window in force: the conversation's own, else its channel's, else the default. */
export function windowInForce(
  { channels, window }: Pick<Settings, "channels" | "window">,
  conversation: { readonly window?: WindowPolicy } | undefined,
  channel: string | undefined,
): WindowPolicy {
  const ofChannel = channel === undefined ? undefined : channels[channel]?.window;
  return conversation?.window ?? ofChannel ?? window;
}

/** The longest that a message may wait for others. */
export function longestMs(policy: WindowPolicy): number {
  return policy.kind === "fixed" ? policy.lengthMs : policy.maxMs;
}

/** What `closesAtMs` looks at. */
export interface WindowSpan {
  readonly oldestArrivalAtMs: number;
  readonly newestArrivalAtMs: number;
}

/** When the window of these messages closes. */
export function closesAtMs(span: WindowSpan, policy: WindowPolicy): number {
  return policy.kind === "fixed"
    ? span.oldestArrivalAtMs + policy.lengthMs
    : Math.min(span.newestArrivalAtMs + policy.quietMs, span.oldestArrivalAtMs + policy.maxMs);
}
