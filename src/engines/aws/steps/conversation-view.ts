import type { Window } from "../../../core/state.ts";
import type { StagedItem } from "../../../core/take.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { Newest } from "../items/left-behind.ts";
import type { StagedRow } from "../items/stage-item.ts";
import type { Stored } from "../items/state-item.ts";

/** What the holder of a lease finds. */
export interface ConversationView {
  readonly stored: Stored;
  /** What waits, read whole. */
  readonly rows: readonly StagedRow[];
  /** What waits besides, as an earlier turn saw it. */
  readonly rest: readonly StagedItem[];
  /** What came last of all, and the channel of the last message. */
  readonly newest: Newest | undefined;
  readonly newestChannel: string | undefined;
  /** When everything was last read. */
  readonly seenAtMs: number;
  readonly record: Conversation | undefined;
  readonly window: Window | undefined;
  readonly allPaused: boolean;
}
