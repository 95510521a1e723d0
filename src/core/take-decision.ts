import type { Settings } from "../model/settings.ts";
import type { DeadLetterDecision } from "./dead-letters.ts";
import type { Taker } from "./found.ts";
import { newLease } from "./lease.ts";
import { type ConversationState, type Elsewhere, type Work, windowAt, withWork } from "./state.ts";

export type TakeDecision =
  | { readonly kind: "busy"; readonly untilAtMs: number }
  | { readonly kind: "nothing" }
  | {
      readonly kind: "later";
      readonly atMs: number;
      readonly state: ConversationState;
      /** Set if it is put off because another system processes the conversation; `isFirst`: from now on. */
      readonly elsewhere?: Elsewhere & { readonly isFirst: boolean };
    }
  | DeadLetterDecision
  | {
      readonly kind: "turn";
      /** It starts although another system says that it processes the conversation: for too long. */
      readonly isOverStale?: true;
      readonly isPaused?: true;
      readonly what: "batch" | "outbound" | "draft";
      readonly work: Work;
      readonly state: ConversationState;
    };

export function hold(
  state: ConversationState,
  what: "batch" | "outbound" | "draft",
  work: Work,
  taker: Taker,
  settings: Settings,
): Extract<TakeDecision, { kind: "turn" }> {
  const taken: Work = { ...withoutIdleTime(work, state.notBeforeAtMs, taker), takenAtMs: taker.nowMs };
  const lease = newLease(taker, settings, taken.turnId);
  // A draft is continued with the window left standing: its messages are not in this turn.
  const held = { ...withWork(state, taken), lease, notBeforeAtMs: undefined };
  return { kind: "turn", what, work: taken, state: held };
}

/** The outage's start moves by the time in which no try could have seen its end: a pause, a stop. */
function withoutIdleTime(work: Work, readyAtMs: number | undefined, { nowMs }: Taker): Work {
  const { failingSinceAtMs: since } = work;
  if (since === undefined || readyAtMs === undefined || readyAtMs >= nowMs) return work;
  return { ...work, failingSinceAtMs: Math.min(since + nowMs - readyAtMs, nowMs) };
}

/** No worker takes it until then. The window keeps its id and due time, or a new one is made. */
export function wait(
  state: ConversationState,
  atMs: number,
  taker: Taker,
): Extract<TakeDecision, { kind: "later" }> {
  const window = windowAt(state.window, taker.windowId, atMs);
  return { kind: "later", atMs, state: { ...state, window, lease: undefined } };
}

/** The due time moved (another message in a quiet window, an early trigger): a new window stands then. */
export function armAt(state: ConversationState, atMs: number, taker: Taker): TakeDecision {
  return wait({ ...state, window: undefined }, atMs, taker);
}
