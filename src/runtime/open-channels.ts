import { addressProblem } from "../core/own-addresses.ts";
import { ConfigError } from "../errors.ts";
import type { ChannelContext } from "../ports/channel.ts";
import { type Arranged, channelsOf } from "./arranged.ts";
import type { ServiceFacts } from "./service-facts.ts";

/**
 * Tells each channel where it stands, then refuses those that must not stand beside each other: a channel
 * knows its addresses once it is open.
 */
export function openChannels(
  arranged: Arranged,
  facts: Pick<ServiceFacts, "secrets" | "publicUrl" | "aliases" | "clock">,
): void {
  const { secrets, clock } = facts;
  const { nowMs } = clock;
  const sleep: NonNullable<ChannelContext["sleep"]> = (ms, signal) => clock.sleep(ms, signal);
  for (const [name, { channel, where, project }] of arranged) {
    const listed = project === undefined ? {} : { project };
    channel.open?.({ name, where, ...listed, secrets, nowMs, sleep, ...publicly(facts, name) });
  }
  const problem = addressProblem(channelsOf(arranged));
  if (problem !== undefined) throw new ConfigError(problem);
}

/** Without a public URL no provider can call back, and none is asked to. */
function publicly(
  { publicUrl, aliases }: Pick<ServiceFacts, "publicUrl" | "aliases">,
  name: string,
): Pick<ChannelContext, "publicUrl" | "statusUrl" | "webhookUrls"> {
  if (publicUrl === undefined) return {};
  const own = `${publicUrl}/webhooks/${name}`;
  const others = Object.entries(aliases).flatMap(([path, of]) => (of === name ? [publicUrl + path] : []));
  return { publicUrl, statusUrl: `${own}/status`, webhookUrls: [own, ...others] };
}
