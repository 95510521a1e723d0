import type { Media } from "./message.ts";
import type { AnswerEffects } from "./reply.ts";

/**
 * A chunk's way out: pending -> sending -> sent.
 * `sending` is stored before the first byte leaves. A worker that finds it later cannot know whether the
 * chunk was sent.
 */
export type ChunkState =
  | { readonly kind: "pending" }
  | { readonly kind: "sending"; readonly sendByAtMs: number }
  | { readonly kind: "sent"; readonly providerId: string; readonly atMs: number }
  /** Its outcome could not be learnt: `onUnknown` or an operator decides. */
  | { readonly kind: "unknown" }
  /** Will never be sent: a human took over before it went out. */
  | { readonly kind: "dropped" };

export interface Chunk {
  readonly text: string;
  readonly media?: readonly Media[];
  readonly state: ChunkState;
}

/** Where a reply goes: over which channel, to which customer, from which of our addresses. */
export interface Destination {
  readonly channel: string;
  readonly to: string;
  readonly from: string;
}

/** The answer, stored before it is sent. It names messages by id: their texts stay staged. */
export interface Draft extends Destination, AnswerEffects {
  /** The customer's name behind `to`, if it may pass to another person: asked about in every take. */
  readonly addressee?: string;
  readonly turnId: string;
  readonly messageIds: readonly string[];
  readonly chunks: readonly Chunk[];
  /** Set while a responder that answers later has not answered yet. */
  readonly awaitingUntilAtMs?: number;
  readonly author?: string;
  readonly answerStartedAtMs: number;
  readonly draftedAtMs: number;
}
