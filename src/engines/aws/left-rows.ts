import type { StagedItem } from "../../core/found.ts";
import type { StageRow } from "./items/stage-item.ts";

/**
 * What a look saw and its turn could not take. Staged rows are stored by their ids, and only all of them
 * together tell which clock orders them and which come first: reading them all for every turn of a long pile
 * would cost as much each time. So the next turns under the same lease use what was seen, and read only what
 * they take. No other worker removes anything meanwhile. What came in since has a window of its own, which
 * they leave standing.
 */
export interface LeftBehind {
  readonly items: readonly StagedItem[];
  /** What came last of all, and the channel of the last message. */
  readonly newest: Pick<StageRow, "channel" | "sender"> | undefined;
  readonly newestChannel: string | undefined;
  /** When everything was last read. */
  readonly seenAtMs: number;
}
