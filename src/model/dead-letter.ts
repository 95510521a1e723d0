import type { Draft } from "./draft.ts";
import type { StagedMessage } from "./message.ts";

export interface DeadLetter {
  readonly id: string;
  readonly conversationId: string;
  readonly reason: string;
  readonly attempts: number;
  readonly messages: readonly StagedMessage[];
  readonly draft?: Draft;
  readonly atMs: number;
}

/** Messages that are to become a dead letter, and why. */
export interface LetterContent {
  readonly messageIds: readonly string[];
  readonly turnId: string | undefined;
  readonly attempts: number;
  readonly reason: string;
  readonly draft?: Draft | undefined;
}
