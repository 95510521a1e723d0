import { CLOCK_SET_BACK_MS_MIN } from "../../../core/defaults.ts";
import { afterClockSetBack } from "../../../core/state.ts";
import type { ClockSetBack } from "../../../ports/engine.ts";
import { orPutOff, type StepContext, saveState, stateOf } from "../context.ts";

/** Longer than the time between two sweeps of a running service. */
const EXPIRY_LEAP_MS = 600_000;
/** Or the time still to catch up, divided by this, so that an hour is enough after a year. */
const EXPIRY_SWEEPS = 100;

/**
 * Times that a fast clock wrote would mute their conversations until that time comes again. So every
 * conversation is woken, and the look finds what is really due. This is done once more a sweep later:
 * requests that were under way when the clock changed are written only after the first time.
 */
export function lookAtClock(context: StepContext, expiredAtMs: number): ClockSetBack | undefined {
  const { tables, nowMs } = context;
  const note = tables.meta.clockNote();
  const byMs = Math.max(0, (note?.latestAtMs ?? nowMs) - nowMs);
  const wasSetBack = byMs >= CLOCK_SET_BACK_MS_MIN;
  const isSecondLook =
    note?.setBackAtMs !== undefined && nowMs >= note.setBackAtMs + context.settings.sweepMs;
  const setBackAtMs = wasSetBack ? nowMs : isSecondLook ? undefined : note?.setBackAtMs;
  tables.meta.setClockNote({
    latestAtMs: nowMs,
    expiredAtMs,
    ...(setBackAtMs !== undefined && { setBackAtMs }),
  });
  if (!wasSetBack && !isSecondLook) return undefined;
  const conversations = tables.states
    .restless()
    .filter((id) => orPutOff(context, id, () => wakeAfterSetBack(context, id))).length;
  return wasSetBack ? { byMs, conversations } : undefined;
}

/**
 * The time by which rows expire. Never much later than at the previous sweep: a clock that leaps ahead for a
 * moment would remove the dedupe memory of today, and a redelivery would be answered again. After a weekend
 * without power, expiry needs minutes to catch up.
 */
export function expiryTime({ tables, nowMs }: StepContext): number {
  const before = tables.meta.clockNote()?.expiredAtMs ?? nowMs;
  return Math.min(nowMs, before + Math.max(EXPIRY_LEAP_MS, (nowMs - before) / EXPIRY_SWEEPS));
}

export function wakeAfterSetBack(context: StepContext, id: string): boolean {
  const state = stateOf(context, id);
  const awake = afterClockSetBack(state, { nowMs: context.nowMs, leaseMs: context.settings.leaseMs });
  if (awake !== state) saveState(context, id, awake);
  return awake !== state;
}
