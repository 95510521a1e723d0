import type { Media } from "./message.ts";
import type { AnswerEffects } from "./reply.ts";

/** A late answer to a turn that its responder left `awaiting`. */
export interface LateAnswer extends AnswerEffects {
  readonly turnId: string;
  /** Already split into what one message of the channel may carry. */
  readonly texts: readonly string[];
  readonly media?: readonly Media[];
}
