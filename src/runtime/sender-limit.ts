/** Messages per sender and minute. It is asked only after the signature was checked: a forged sender locks nobody out. */
export interface SenderLimit {
  allows(sender: string, nowMs: number): boolean;
}

const MINUTE_MS = 60_000;
/** Senders remembered at once; the oldest go first. */
const SENDERS_MAX = 100_000;

/** A bucket per sender that refills over a minute. `perMinuteMax` 0 means no limit. */
export function senderLimit(perMinuteMax: number): SenderLimit {
  const buckets = new Map<string, { left: number; atMs: number }>();
  return {
    allows(sender, nowMs) {
      if (perMinuteMax === 0) return true;
      const before = buckets.get(sender) ?? { left: perMinuteMax, atMs: nowMs };
      // A clock that was set back takes nothing away.
      const passedMs = Math.max(0, nowMs - before.atMs);
      const refilled = before.left + (passedMs / MINUTE_MS) * perMinuteMax;
      const left = Math.min(perMinuteMax, refilled);
      buckets.delete(sender);
      buckets.set(sender, { left: left >= 1 ? left - 1 : left, atMs: nowMs });
      if (buckets.size > SENDERS_MAX) buckets.delete(buckets.keys().next().value!);
      return left >= 1;
    },
  };
}
