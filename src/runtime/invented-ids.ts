import { conversationKey, messageId } from "../core/identity.ts";
import { MOVED_ID, type Said, twinsAmong } from "../core/moved.ts";
import { settingsFor } from "../core/projects.ts";
import { LullError } from "../errors.ts";
import type { ConversationKey } from "../model/conversation.ts";
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
  /** Ids of moved messages that have their twin in this list already: it comes in several batches. */
  readonly twins: Set<string>;
}

/** A message that was taken in: it waits, is in the history, or got no turn. */
interface Known extends Said {
  readonly id: string;
  readonly arrivedAtMs: number;
}

/**
 * Which messages of a provider's list were moved in from the system before, under ids that no list has: by
 * the ids of the list none of them is known, and each would be answered again. Refuses the list where
 * webhooks have brought the same people's messages under ids that the channel made up.
 */
export async function movedAmong(
  engine: Engine,
  settings: Settings,
  { name, channel, batch, sinceAtMs, twins }: Fetched,
): Promise<ReadonlySet<InboundMessage>> {
  const moved = new Set<InboundMessage>();
  if (!channel.isInventedId) return moved;
  const prefixes = [...new Set(batch.map(({ account }) => messageId(name, account, "")))];
  const ownId = ({ id }: Known) => {
    const prefix = prefixes.find((each) => id.startsWith(each));
    return prefix === undefined ? "" : id.slice(prefix.length);
  };
  for (const { key, messages } of byConversation(settings, name, batch)) {
    const known = await knownIn(engine, settings, name, key);
    const isRecent = ({ arrivedAtMs }: Known) => arrivedAtMs >= sinceAtMs - APART_MS;
    if (known.some((each) => isRecent(each) && channel.isInventedId?.(ownId(each)))) throw leftOut(name);
    const ids = new Set(known.map(({ id }) => id));
    const listed = messages.filter(
      (each) => !moved.has(each) && !ids.has(messageId(name, each.account, each.providerId)),
    );
    const others = known.filter((each) => ownId(each).startsWith(MOVED_ID) && !twins.has(each.id));
    for (const [at, place] of twinsAmong(listed, others)) {
      moved.add(listed[at]!);
      twins.add(others[place]!.id);
    }
  }
  return moved;
}

async function knownIn(
  { inspector }: Engine,
  settings: Settings,
  name: string,
  key: ConversationKey,
): Promise<readonly Known[]> {
  const id = await inspector.latestId(key);
  if (id === undefined) return [];
  let detail = await inspector.conversation(id, LOOKED_AT);
  const rowsMax = detail?.lock?.staged ?? 0;
  // More may wait where Lull was paused for a move.
  if (rowsMax > (detail?.staged.length ?? 0))
    detail = await inspector.conversation(id, {
      rowsMax,
      bytesMax: settingsFor(settings, name).stagedBytesMax,
    });
  if (!detail) return [];
  const said = detail.messages.flatMap(({ parts = [] }) => parts);
  return [...detail.staged, ...said, ...detail.dead.flatMap(({ messages }) => messages)];
}

function leftOut(name: string): LullError {
  return new LullError(
    `${name}: webhooks have come without the provider's ids, through a relay that leaves them out: ` +
      "what is answered cannot be told from what is not, and is not fetched",
    { code: "INCOMPLETE_LIST", retry: "never" },
  );
}

interface Messages {
  readonly key: ConversationKey;
  readonly messages: readonly InboundMessage[];
}

/** By the conversations that they may belong to, each once: a relay may know one of two names. */
function byConversation(settings: Settings, channel: string, batch: readonly InboundMessage[]): Messages[] {
  const named = batch.flatMap((message) => {
    const { sender, senderAlias = sender, address } = message;
    return [...new Set([sender, senderAlias])].map((each) => ({
      key: conversationKey(settings, { channel, address, sender: each }),
      message,
    }));
  });
  return [...Map.groupBy(named, ({ key }) => JSON.stringify(key)).values()].map((group) => ({
    key: group[0]!.key,
    messages: group.map(({ message }) => message),
  }));
}
