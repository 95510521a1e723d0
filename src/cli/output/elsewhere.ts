import { latestEnd } from "../../core/elsewhere.ts";
import type { Settings } from "../../model/settings.ts";
import { relativeTime } from "./times.ts";

/** With `honourStatus`: a turn waits for another system, but not for ever. */
export function elsewhereShown(
  sinceAtMs: number,
  settings: Pick<Settings, "honourStatusForMsMax" | "clockSkewMs">,
  nowMs: number,
): string {
  const [since, until] = [sinceAtMs, latestEnd(sinceAtMs, settings)].map((each) => relativeTime(each, nowMs));
  return `waits for another system since ${since}; goes on without it ${until} at the latest`;
}
