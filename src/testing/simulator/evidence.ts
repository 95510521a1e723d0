import type { DeadLetter } from "../../model/dead-letter.ts";
import type { UnknownSend } from "../../model/unknown-send.ts";
import type { ConversationDetail } from "../../ports/inspector.ts";
import type { History } from "./history.ts";
import type { Plan } from "./plan.ts";
import type { Sent } from "./provider.ts";

/** What is stored when all is over, as an operator would look it up. */
export interface Stored {
  readonly conversations: readonly ConversationDetail[];
  readonly dead: readonly DeadLetter[];
  readonly unknown: readonly UnknownSend[];
}

export interface Evidence {
  readonly plan: Plan;
  readonly history: History;
  readonly ledger: readonly Sent[];
  readonly stored: Stored;
  readonly settled: boolean;
  readonly endedAtMs: number;
  /** Which orphans a sweep may find. */
  readonly orphans: "never" | "unacknowledged";
}

export interface Violation {
  readonly promise: "nothing lost" | "one at a time" | "once" | "in order" | "on time" | "heals alone";
  readonly what: string;
}
