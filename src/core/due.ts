import type { Settings } from "../model/settings.ts";
import type { WindowPolicy } from "../model/window.ts";
import { type ConversationState, isFar } from "./state.ts";
import { closesAtMs, longestMs, type WindowSpan, windowInForce } from "./window.ts";

interface Arrived {
  readonly arrivedAtMs: number;
}

/** What puts messages off, or brings them forward. */
type Paused = Pick<ConversationState, "notBeforeAtMs" | "leftBehindAtMs">;

/** The first and the last arrival: a window looks at no other. */
export function arrivalsOf({ oldestArrivalAtMs, newestArrivalAtMs }: WindowSpan): Arrived[] {
  return [{ arrivedAtMs: oldestArrivalAtMs }, { arrivedAtMs: newestArrivalAtMs }];
}

/** The taker's time, and how far other clocks may be from it. */
export interface ClockReading {
  readonly nowMs: number;
  /** What the clock shows, if `nowMs` is an earlier moment. */
  readonly clockMs?: number;
  readonly clockSkewMs: number;
}

/** When the staged messages are due: now, if a limit left them behind or the clock was set back. */
export function dueOfMessages(
  messages: readonly Arrived[],
  state: Paused,
  policy: WindowPolicy,
  { nowMs, clockMs = nowMs, clockSkewMs }: ClockReading,
): number {
  const arrivals = messages.map(({ arrivedAtMs }) => arrivedAtMs);
  const oldestArrivalAtMs = Math.min(...arrivals);
  const notBeforeAtMs = isFar(state.notBeforeAtMs, clockMs) ? 0 : (state.notBeforeAtMs ?? 0);
  const isLeftBehind = state.leftBehindAtMs !== undefined && oldestArrivalAtMs <= state.leftBehindAtMs;
  const closedAtMs = isLeftBehind
    ? oldestArrivalAtMs
    : closesAtMs({ oldestArrivalAtMs, newestArrivalAtMs: Math.max(...arrivals) }, policy);
  // No window is that long: the clock was set back after the messages arrived, so they are due.
  const wasSetBack = closedAtMs > clockMs + longestMs(policy) + clockSkewMs;
  return Math.max(wasSetBack ? nowMs : closedAtMs, notBeforeAtMs);
}

/** When what is staged is due: messages by their window, an outbound since it was requested. */
export function dueOfStaged(
  { messages, outbounds }: { readonly messages: readonly Arrived[]; readonly outbounds: readonly Arrived[] },
  state: Paused,
  policy: WindowPolicy,
  clock: ClockReading,
): number {
  const saidAtMs = Math.min(...outbounds.map(({ arrivedAtMs }) => arrivedAtMs));
  return messages.length === 0 ? saidAtMs : Math.min(saidAtMs, dueOfMessages(messages, state, policy, clock));
}

/** The message's own window: everything else that is staged has a window, or a turn that holds it. */
export function dueOnArrival(
  { channel, arrivedAtMs }: Arrived & { readonly channel: string },
  conversation: { readonly window?: WindowPolicy } | undefined,
  settings: Pick<Settings, "channels" | "window">,
  clock: ClockReading,
): number {
  return dueOfMessages([{ arrivedAtMs }], {}, windowInForce(settings, conversation, channel), clock);
}
