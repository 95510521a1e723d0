import type { Usage } from "./reply.ts";

/** One turn as it went, kept after its commit. */
export interface TurnRecord {
  readonly turnId: string;
  readonly conversationId: string;
  readonly outcome: string;
  readonly channel: string;
  readonly messageIds: readonly string[];
  readonly providerIds: readonly string[];
  readonly attempts: number;
  readonly restarts: number;
  readonly usage?: Usage;
  readonly openedAtMs: number;
  readonly dueAtMs: number;
  readonly takenAtMs: number;
  readonly answerStartedAtMs?: number;
  readonly answeredAtMs?: number;
  readonly sentAtMs?: number;
  readonly committedAtMs: number;
}
