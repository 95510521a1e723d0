import { conversationKey, messageId } from "../core/identity.ts";
import { LullError } from "../errors.ts";
import type { InboundMessage } from "../model/message.ts";
import type { Settings } from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";
import type { Engine } from "../ports/engine.ts";

/** Of each conversation, so much is looked at. */
const LOOKED_AT = { rowsMax: 100, bytesMax: 1_000_000 };
/** A provider's clock, by which its list begins, may differ from ours. */
const APART_MS = 600_000;

export interface Fetched {
  readonly name: string;
  readonly channel: Channel;
  readonly batch: readonly InboundMessage[];
  readonly sinceAtMs: number;
}

/**
 * Refuses a provider's list where webhooks have brought the same people's messages under ids that the channel
 * made up: by the ids of the list none of them is known, and each would be answered again.
 */
export async function requireKnownIds(
  { inspector }: Engine,
  settings: Settings,
  { name, channel, batch, sinceAtMs }: Fetched,
): Promise<void> {
  if (!channel.isInventedId) return;
  const prefixes = new Set(batch.map(({ account }) => messageId(name, account, "")));
  const isInvented = (id: string) =>
    [...prefixes].some((prefix) => id.startsWith(prefix) && channel.isInventedId?.(id.slice(prefix.length)));
  for (const key of keysOf(settings, name, batch)) {
    const id = await inspector.latestId(key);
    const detail = id === undefined ? undefined : await inspector.conversation(id, LOOKED_AT);
    const taken = [...(detail?.staged ?? []), ...(detail?.messages.flatMap(({ parts = [] }) => parts) ?? [])];
    if (taken.some((each) => each.arrivedAtMs >= sinceAtMs - APART_MS && isInvented(each.id)))
      throw new LullError(
        `${name}: webhooks have come without the provider's ids, through a relay that leaves them out: ` +
          "what is answered cannot be told from what is not, and is not fetched",
        { code: "INCOMPLETE_LIST", retry: "never" },
      );
  }
}

/** The conversations that the messages may belong to, each once: a relay may know one of two names. */
function keysOf(settings: Settings, channel: string, batch: readonly InboundMessage[]) {
  const named = batch.flatMap(({ sender, senderAlias = sender, address }) =>
    [...new Set([sender, senderAlias])].map((each) =>
      conversationKey(settings, { channel, address, sender: each }),
    ),
  );
  return new Map(named.map((key) => [JSON.stringify(key), key])).values();
}
