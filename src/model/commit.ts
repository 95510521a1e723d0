import type { Draft } from "./draft.ts";
import type { Media } from "./message.ts";
import type { RefusalCode } from "./refusal.ts";
import type { AnswerEffects } from "./reply.ts";
import type { TurnTimes } from "./turn.ts";

/** `replied`, `no-reply`, `queued`, `handed-off`, `unknown`, or `refused: CODE`. */
export type TurnOutcome =
  | "replied"
  | "no-reply"
  | "queued"
  | "handed-off"
  | "unknown"
  | `refused: ${RefusalCode}`;

export interface Commit
  extends AnswerEffects,
    Pick<TurnTimes, "answerStartedAtMs" | "answeredAtMs" | "sentAtMs"> {
  readonly outcome: TurnOutcome;
  /** The merged batch, and the reply as it was sent. Absent if there is none. */
  readonly userText?: string;
  readonly userMedia?: readonly Media[];
  readonly draft?: Draft;
  /** Look for another turn under this lease: after a draft, an outbound, or a batch cut by a limit. */
  readonly more: boolean;
}
