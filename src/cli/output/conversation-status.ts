import type { Conversation } from "../../model/conversation.ts";
import type { Inspector } from "../../ports/inspector.ts";

/** Unknown sends that are looked at: mostly there are none, and a person sees to each. */
const LISTED_MAX = 1_000;

/** Conversations of which a reply may not have arrived. */
export async function unsettledIn(inspector: Pick<Inspector, "unknown">): Promise<ReadonlySet<string>> {
  const { items } = await inspector.unknown({ limit: LISTED_MAX });
  return new Set(items.map(({ conversationId }) => conversationId));
}

/**
 * A record says `reply_sent` as soon as its turn is over. Whether the reply arrived is told by the list of
 * unknown sends, and no longer once a person or the provider has settled it.
 */
export function statusShown({ status }: Pick<Conversation, "status">, isUnsettled: boolean): string {
  return isUnsettled && status === "reply_sent" ? "reply_unknown" : status;
}
