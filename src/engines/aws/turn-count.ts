import { absent, any, different, type Item } from "./expression.ts";
import { conversationKeyOf, turnCountKey, turnCountKeys } from "./keys.ts";
import type { Site } from "./site.ts";

/**
 * How many turns there were, on a few items that all turns share: whoever wants to know reads those, and not every conversation. It is
 * beside the commit, not in it, where two turns would stand in each other's way. So a worker that dies right then is one turn short.
 */
export function countTurn(site: Site, turnId: string): Promise<void> {
  return add(site, 1, turnId);
}

/** Those of an erased conversation. `asked` tells one erasure from the next. */
export async function uncountTurns(site: Site, turns: unknown, asked: string): Promise<void> {
  if (typeof turns === "number" && turns > 0) await add(site, -turns, asked);
}

/** Nothing depends on it, so a failure is only told. */
async function add(site: Site, turns: number, reason: string): Promise<void> {
  // Once more, its answer lost: it is counted already.
  const isNew = any(absent("last_counted"), different("last_counted", reason));
  const change = { set: { last_counted: reason }, add: { turns } };
  try {
    await site.store.update("state", conversationKeyOf(turnCountKey(reason)), change, isNew);
  } catch (error) {
    site.log("warn", "turn.not-counted", { reason: String(error) });
  }
}

export async function countedTurns(site: Site): Promise<number> {
  const items = await site.store.getMany("state", turnCountKeys().map(conversationKeyOf));
  return Math.max(
    0,
    items.reduce((sum, item) => sum + turnsIn(item), 0),
  );
}

function turnsIn({ turns }: Item): number {
  return typeof turns === "number" ? turns : 0;
}
