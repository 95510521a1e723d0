import type { Channel, Listed } from "../ports/channel.ts";
import type { Clock } from "../ports/clock.ts";
import { within } from "../wire/deadline.ts";

/**
 * How long a provider may keep us waiting for the next of its list: many pages may lie before the first
 * message.
 */
export const LISTING_MS_MAX = 120_000;

/**
 * What a channel's provider received since then, until there is no more, or it makes us wait too long. A long
 * list takes its time, so the deadline counts from one message to the next.
 */
export async function* receivedSince(
  channel: Channel,
  sinceAtMs: number,
  clock: Clock,
  msMax = LISTING_MS_MAX,
): AsyncGenerator<Listed> {
  const ending = new AbortController();
  const listed = channel.listReceived?.(sinceAtMs, ending.signal)[Symbol.asyncIterator]();
  try {
    while (listed !== undefined) {
      const { done, value } = await within(clock, msMax, () => listed.next());
      if (done) return;
      yield value;
    }
  } finally {
    ending.abort();
  }
}
