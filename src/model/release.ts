import type { Draft } from "./draft.ts";

/**
 * How a turn that is not committed gives its lease back. Window, trigger and release are one step where the store allows. Pauses count from
 * that step on: whoever decided on one may have stood still since, and the clock may have been set back.
 */
export type ReleaseReason =
  /** Failed, to be tried again: a window stands `afterMs` from then on. With `outageSinceAtMs` the attempt is not counted. */
  | {
      readonly kind: "retry";
      readonly afterMs: number;
      readonly reason: string;
      readonly outageSinceAtMs?: number;
      readonly draft?: Draft;
    }
  /** Out of attempts, or no attempt can help: the turn's messages become a dead letter. */
  | { readonly kind: "dead-letter"; readonly reason: string; readonly draft?: Draft }
  /** Nothing failed, something has to pass first (an unknown send settles, a late answer). The attempt is not counted. */
  | { readonly kind: "wait"; readonly afterMs: number; readonly draft?: Draft }
  /** Newer messages joined: start over when their window is due. */
  | { readonly kind: "restart" }
  /** Stopping, or paused: what was taken is due again at once. The attempt is not counted. */
  | { readonly kind: "put-back" };
