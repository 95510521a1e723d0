import type { Draft } from "../model/draft.ts";
import type { TurnRecord } from "../model/turn.ts";
import { providerIdsOf } from "./draft.ts";

/** What was sent, as its provider's callbacks name it. */
export interface Sent {
  readonly channel: string;
  readonly providerId: string;
}

/** Beside the ids of messages, and never equal to one: no channel has such a name. */
export function sentKey({ channel, providerId }: Sent): string {
  return `!sent/${channel}/${providerId}`;
}

export function sentInTurn({ channel, providerIds }: TurnRecord): Sent[] {
  return providerIds.map((providerId) => ({ channel, providerId }));
}

export function sentInDraft(draft: Draft | undefined): Sent[] {
  if (!draft) return [];
  return providerIdsOf(draft).map((providerId) => ({ channel: draft.channel, providerId }));
}
