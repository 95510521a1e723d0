import type { StagedItem } from "../../../core/take.ts";
import type { StagedRow } from "./stage-item.ts";

/**
 * What a look saw and its turn could not take. Staged rows are kept by their ids, and only all of them together tell by which clock they go and
 * which come first: to read them for every turn of a long pile would cost as much again for each. So the turns right behind it, under the
 * same lease, go by what was seen, and read what they take. Nobody else takes anything away meanwhile. What came in since has a window
 * of its own, which they leave standing.
 */
export interface LeftBehind {
  readonly items: readonly StagedItem[];
  readonly newest: Newest | undefined;
  /** The channel of the message that came last. */
  readonly newestChannel: string | undefined;
  readonly seenAtMs: number;
}

export type Newest = Pick<StagedRow, "channel" | "sender">;
