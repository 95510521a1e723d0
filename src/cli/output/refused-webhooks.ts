import type { RefusedWebhooks } from "../running-service.ts";
import { counted } from "./counted.ts";
import { refusalCause } from "./refusal-causes.ts";

/** Providers give up on a webhook that is refused for long, and customers hear nothing meanwhile. */
export function refusedWebhooksShown({ channel, code, count }: RefusedWebhooks): string {
  const cause = channel === OTHER ? ELSEWHERE : refusalCause(code);
  const were = count === 1 ? "was" : "were";
  const whose = channel === OTHER ? "for no channel that is configured" : `of ${channel}`;
  const why = cause === undefined ? "" : `: ${cause}`;
  return `${counted(count, "webhook")} ${whose} ${were} refused in the last hour, ${code}${why}`;
}

/** What the service counts the names under that are no channel of its own: callers may have made them up. */
const OTHER = "other";
const ELSEWHERE =
  "their path is not /webhooks/<channel>. Enter the URL that lull doctor prints at the provider";
