import type { Media } from "./message.ts";
import type { Usage } from "./reply.ts";

/**
 * A chunk's way out: pending -> sending -> sent.
 * `sending` is written down before the first byte leaves; whoever finds it there later cannot know whether it did.
 */
export type ChunkState =
  | { readonly kind: "pending" }
  | { readonly kind: "sending"; readonly sendByAtMs: number }
  | { readonly kind: "sent"; readonly providerId: string; readonly atMs: number }
  /** Its outcome could not be learnt: `onUnknown` or a person decides. */
  | { readonly kind: "unknown" }
  /** Will never be sent: a human took over before it went out. */
  | { readonly kind: "dropped" };

export interface Chunk {
  readonly text: string;
  readonly media?: readonly Media[];
  readonly state: ChunkState;
}

/** Where a reply goes: over which channel, to whom, from which of our addresses. */
export interface Route {
  readonly channel: string;
  readonly to: string;
  readonly from: string;
}

/** The answer, written down before it is sent. It names messages by id: their texts stay where they are staged. */
export interface Draft extends Route {
  readonly turnId: string;
  readonly messageIds: readonly string[];
  readonly chunks: readonly Chunk[];
  /** Set while a responder that answers later has not answered yet. */
  readonly awaitingUntilAtMs?: number;
  readonly usage?: Usage;
  readonly complete?: boolean;
  readonly handOff?: string;
  readonly author?: string;
  readonly answerStartedAtMs: number;
  readonly draftedAtMs: number;
}
