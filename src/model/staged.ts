import type { StagedMessage } from "./message.ts";
import type { StagedOutbound } from "./outbound.ts";

interface RowBase {
  readonly id: string;
  readonly conversationId: string;
  readonly bytes: number;
}

export interface StagedMessageRow extends RowBase {
  readonly kind: "message";
  readonly message: StagedMessage;
}

export interface StagedOutboundRow extends RowBase {
  readonly kind: "outbound";
  readonly outbound: StagedOutbound;
  readonly sequence: number;
}

/** Something staged: a message, or an outbound that waits for its turn. */
export type StagedRow = StagedMessageRow | StagedOutboundRow;

/** What became of a message that no longer waits: its id is remembered with it. */
export type Fate = "committed" | "dead" | "refused";
