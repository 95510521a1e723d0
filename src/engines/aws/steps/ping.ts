import type { AwsContext } from "../context.ts";
import { conversationKeyOf, PING } from "../items/keys.ts";

/** A write, and a look at every queue: it finds what is missing or forbidden before a webhook does. */
export async function ping({ store, clock, triggers }: AwsContext): Promise<void> {
  const item = { ...conversationKeyOf(PING), at_ms: clock.nowMs() };
  await Promise.all([store.put("state", item), triggers.check()]);
}

/** Behind a gateway any caller may ask this: a read, and a look at every queue. */
export async function probe({ store, triggers }: AwsContext): Promise<void> {
  await Promise.all([store.get("state", conversationKeyOf(PING)), triggers.check()]);
}
