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
