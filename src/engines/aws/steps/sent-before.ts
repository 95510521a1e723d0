import { RECENT_TURNS } from "../../../core/defaults.ts";
import { providerIdsOf } from "../../../core/draft.ts";
import type { AwsContext } from "../context.ts";
import { LETTER, letterFrom } from "../items/letter-item.ts";
import { holdsRecord, RECORD, recordFrom, SAID } from "../items/turn-item.ts";
import { latestItems } from "./history.ts";

/**
 * Provider ids of what this person was sent, in turns and in dead letters: a lost send is not taken for one
 * of them. Read only by turns that continue a draft; in the conversation's state, every write of every turn
 * would pay for them.
 */
export async function sentBefore(context: AwsContext, id: string): Promise<string[]> {
  const latest = (kind: string) => latestItems(context, id, kind, RECENT_TURNS);
  const [said, alone, items] = await Promise.all([latest(SAID), latest(RECORD), latest(LETTER)]);
  const records = context.quarantine.sound("messages", [...said, ...alone].filter(holdsRecord), recordFrom);
  const letters = context.quarantine.sound("messages", items, letterFrom);
  return [
    ...records.flatMap(({ providerIds }) => providerIds),
    ...letters.flatMap(({ draft }) => (draft ? providerIdsOf(draft) : [])),
  ];
}
