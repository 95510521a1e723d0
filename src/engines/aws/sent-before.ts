import { RECENT_TURNS } from "../../core/defaults.ts";
import { providerIdsOf } from "../../core/draft.ts";
import { LETTER, letterFrom } from "./bury.ts";
import { latestItems, turnsOf } from "./history.ts";
import type { Site } from "./site.ts";

/**
 * Provider ids of what this person was sent, in turns and in dead letters: a lost send is not taken for one of them. Read by the few who
 * continue a draft; kept in the conversation's state, every write of every turn would pay for them.
 */
export async function sentBefore(site: Site, id: string): Promise<string[]> {
  const [turns, items] = await Promise.all([
    turnsOf(site, id, RECENT_TURNS),
    latestItems(site, id, LETTER, RECENT_TURNS),
  ]);
  const letters = site.quarantine.sound("messages", items, letterFrom);
  return [
    ...turns.flatMap(({ providerIds }) => providerIds),
    ...letters.flatMap(({ draft }) => (draft ? providerIdsOf(draft) : [])),
  ];
}
