import { projectOf, settingsFor } from "../core/projects.ts";
import type { OwnSettings, Settings } from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";

/**
 * Messages per sender and minute. Checked only after the signature: a forged sender must not lock out the
 * real one.
 */
export interface SenderLimit {
  /**
   * Whether a payload may come in, given who wrote each of its messages. All of them or none, since the
   * provider sends it again whole. A refused payload costs its senders nothing. A payload of more than a
   * minute's worth is taken when nothing else was for a minute, and paid off after it, because it would never
   * become smaller.
   */
  allows(senders: readonly string[], nowMs: number): boolean;
}

const MINUTE_MS = 60_000;
/** Senders remembered at once. The one let in longest ago goes first. */
const SENDERS_MAX = 100_000;

/**
 * Visitors of a page prove nothing and cost nothing, so they have a limit of their own, unless there is one
 * for all. They share no bucket with senders that a provider speaks for.
 */
export function senderLimits(
  settings: Settings,
): (name: string, channel: Pick<Channel, "hasVisitors">) => SenderLimit {
  const byProject = new Map<string, Limits>();
  return (name, { hasVisitors }) => {
    const project = projectOf(settings, name);
    const limits = byProject.get(project) ?? limitsOf(settingsFor(settings, name));
    byProject.set(project, limits);
    return hasVisitors ? limits.visitors : limits.senders;
  };
}

interface Limits {
  readonly senders: SenderLimit;
  readonly visitors: SenderLimit;
}

function limitsOf({ senderPerMinuteMax, visitorPerMinuteMax }: OwnSettings): Limits {
  return {
    senders: senderLimit(senderPerMinuteMax),
    visitors: senderLimit(senderPerMinuteMax || visitorPerMinuteMax),
  };
}

/** A bucket per sender that refills over a minute. `perMinuteMax` 0 means no limit. */
export function senderLimit(perMinuteMax: number): SenderLimit {
  const buckets = new Map<string, { left: number; atMs: number }>();
  const leftOf = (sender: string, nowMs: number) => {
    const before = buckets.get(sender) ?? { left: perMinuteMax, atMs: nowMs };
    // A clock that was set back takes nothing away.
    const passedMs = Math.max(0, nowMs - before.atMs);
    return Math.min(perMinuteMax, before.left + (passedMs / MINUTE_MS) * perMinuteMax);
  };
  return {
    allows(senders, nowMs) {
      if (perMinuteMax === 0) return true;
      const asked = [...Map.groupBy(senders, (sender) => sender)].map(([sender, messages]) => {
        return { sender, messages: messages.length, left: leftOf(sender, nowMs) };
      });
      if (asked.some(({ messages, left }) => left < Math.min(messages, perMinuteMax))) return false;
      for (const { sender, messages, left } of asked) {
        buckets.delete(sender);
        buckets.set(sender, { left: left - messages, atMs: nowMs });
      }
      while (buckets.size > SENDERS_MAX) buckets.delete(buckets.keys().next().value!);
      return true;
    },
  };
}
