import type { Media } from "./message.ts";
import type { Usage } from "./reply.ts";

/** A late answer to a turn that its responder left `awaiting`. */
export interface LateAnswer {
  readonly turnId: string;
  /** Already split into what one message of the channel may carry. */
  readonly texts: readonly string[];
  readonly media?: readonly Media[];
  readonly usage?: Usage;
  readonly complete?: boolean;
  readonly handOff?: string;
}
