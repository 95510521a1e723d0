import { eventually } from "../lull-process.ts";
import type { Surroundings } from "../service/surroundings.ts";

/** Waits until so many turns are committed and nothing is left to do. */
export function atRest(at: Surroundings, turns: number): Promise<Record<string, number>> {
  return eventually(`${turns} commits`, async () => {
    const now = (await at.api("/counts")) as Record<string, number>;
    const isOver = now.turns === turns && now.staged === 0 && now.leases === 0 && now.windows === 0;
    return isOver ? now : undefined;
  });
}
