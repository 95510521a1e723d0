import type { Draft } from "./draft.ts";

/**
 * How a turn releases its lease without a commit. Window, trigger and release are one step where the store
 * allows it. A pause counts from that step on: the worker that decided on it may have been frozen since, and
 * the clock may have been set back.
 */
export type ReleaseReason =
  /** Try again: a window stands `afterMs` later. With `outageSinceAtMs` the attempt is not counted. */
  | {
      readonly kind: "retry";
      readonly afterMs: number;
      readonly reason: string;
      readonly outageSinceAtMs?: number;
      readonly draft?: Draft;
    }
  /** Out of attempts, or no attempt can help: the turn's messages become a dead letter. */
  | {
      readonly kind: "dead-letter";
      readonly reason: string;
      readonly draft?: Draft;
      /** The turn has no answer yet: one that was accepted meanwhile counts, and there is no dead letter. */
      readonly isUnanswered?: true;
    }
  /** Something has to pass first (an unknown send settles, a late answer). The attempt is not counted. */
  | { readonly kind: "wait"; readonly afterMs: number; readonly draft?: Draft }
  /** Newer messages joined: start over when their window is due. */
  | { readonly kind: "restart" }
  /** Stopping, or a late answer was quicker: the batch is due again at once. The attempt is not counted. */
  | { readonly kind: "put-back" };
