import type { StagedItem } from "../../../core/found.ts";
import type { Window } from "../../../core/state.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { StageRow } from "../items/stage-item.ts";
import type { Stored } from "../items/state-item.ts";
import type { LeftBehind } from "../left-rows.ts";

/** What the holder of a lease finds. */
export interface ConversationView extends Omit<LeftBehind, "items"> {
  readonly stored: Stored;
  /** What waits, read whole. */
  readonly rows: readonly StageRow[];
  /** What waits besides, as an earlier turn saw it. */
  readonly rest: readonly StagedItem[];
  readonly record: Conversation | undefined;
  readonly window: Window | undefined;
  readonly allPaused: boolean;
  readonly pausedProject: string | undefined;
}
