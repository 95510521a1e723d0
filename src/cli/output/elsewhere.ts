import { latestEnd } from "../../core/elsewhere.ts";
import type { Settings } from "../../model/settings.ts";
import { relativeTime } from "./times.ts";

type Honouring = Pick<Settings, "honourStatusForMs" | "honourStatusForMsMax" | "clockSkewMs">;

/** With `honourStatus`: a turn waits for another system, but not for ever. */
export function elsewhereShown(sinceAtMs: number, settings: Honouring, nowMs: number): string {
  const [since, until] = [relativeTime(sinceAtMs, nowMs), untilShown(sinceAtMs, settings, nowMs)];
  return `waits for another system since ${since}; goes on without it ${until}`;
}

function untilShown(sinceAtMs: number, settings: Honouring, nowMs: number): string {
  const lastAtMs = latestEnd(sinceAtMs, settings);
  // Each time that the other system changes the record, the shorter time begins anew.
  const nextAtMs = sinceAtMs + settings.honourStatusForMs + settings.clockSkewMs;
  const last = `${relativeTime(lastAtMs, nowMs)} at the latest`;
  if (nextAtMs >= lastAtMs) return last;
  return nextAtMs > nowMs ? `${relativeTime(nextAtMs, nowMs)} unless it changes, ${last}` : last;
}
