import { CLOCK_SET_BACK_MS_MIN } from "../../../core/defaults.ts";
import { dueOfStaged } from "../../../core/due.ts";
import { messagesOf } from "../../../core/staged.ts";
import { windowInForce } from "../../../core/window.ts";
import { tellable } from "../../../errors.ts";
import { type AwsContext, clockOf } from "../context.ts";
import { all, atMost, equal } from "../dynamo/expression.ts";
import { conversationOf } from "../items/conversation-row.ts";
import { conversationKeyOf } from "../items/keys.ts";
import type { StageRow } from "../items/stage-item.ts";
import { readState } from "../items/state.ts";
import { isNewer, isOfKnownVersion, newerVersion } from "../items/version.ts";
import {
  type Arming,
  isNotArmed,
  type StandingWindow,
  standing,
  triggeredAt,
  windowFrom,
  windowItem,
  windowOf,
} from "../items/window-item.ts";
import { comesInTime, type Trigger, triggerAtMs } from "../queue/triggers.ts";

/** The window that stands, and whether it was made for this message. */
export interface Armed {
  readonly dueAtMs: number;
  readonly isMine: boolean;
}

/**
 * ARM: creates the window if none stands. TRIGGER: sent by its creator, or by a process that finds it
 * overdue.
 */
export async function arm(context: AwsContext, trigger: Trigger, arming: Arming): Promise<Armed> {
  const armed = await putWindow(context, trigger, arming);
  if (armed.isMine) {
    await context.triggers.send(trigger, armed.window.wakeAtMs, arming.leastSeconds);
  } else if (isOverdue(context, armed.window)) {
    await sendAgain(context, armed.window);
  }
  return { dueAtMs: armed.window.dueAtMs, isMine: armed.isMine };
}

/** When what is staged in the conversation is due. */
export async function dueIn(context: AwsContext, id: string, rows: readonly StageRow[]): Promise<number> {
  const [{ state }, record] = await Promise.all([
    readState(context, id),
    conversationOf(context, id, rows[0]?.sender),
  ]);
  const messages = messagesOf(rows);
  const policy = windowInForce(context.settings, record, messages.at(-1)?.channel);
  const waiting = { messages, outbounds: rows.filter(({ kind }) => kind === "outbound") };
  return dueOfStaged(waiting, state, policy, clockOf(context));
}

/** Arms, and makes sure that a worker looks at `wakeAtMs` at the latest, whichever window stands. */
export async function wakeAt(context: AwsContext, trigger: Trigger, arming: Arming): Promise<void> {
  const wakeAtMs = arming.wakeAtMs ?? arming.dueAtMs;
  const { window, isMine } = await putWindow(context, trigger, arming);
  const nowMs = context.clock.nowMs();
  const isOnItsWay = !isMine && window.triggerAtMs > nowMs && window.triggerAtMs <= wakeAtMs;
  if (isOnItsWay) return;
  if (!isMine) await pushTrigger(context, window, triggerAtMs(wakeAtMs, nowMs));
  await context.triggers.send(trigger, wakeAtMs, arming.leastSeconds);
}

/**
 * Makes sure that a window stands, and sends nothing: a trigger of its conversation is on its way, or the
 * sweeper will find it overdue. One that stands already counts as armed now: an earlier holder of the lease
 * that was frozen before its DISARM may still remove what was armed before its own lease.
 */
export async function stand(context: AwsContext, trigger: Trigger, arming: Arming): Promise<void> {
  const { window, isMine } = await putWindow(context, trigger, arming);
  if (isMine || (await isArmedAgain(context, window))) return;
  // That holder was quicker.
  await putWindow(context, trigger, arming);
}

async function isArmedAgain(context: AwsContext, { id, conversationId }: StandingWindow): Promise<boolean> {
  const set = { armed_at_ms: context.clock.nowMs() };
  const key = conversationKeyOf(conversationId);
  const { kind } = await context.store.update("triggerLock", key, { set }, equal("window_id", id));
  return kind === "done";
}

/** Makes a worker look at once, and keeps the id and due time of a window that stands. */
export function wakeNow(context: AwsContext, trigger: Trigger, leastSeconds = 0): Promise<void> {
  return wakeAt(context, trigger, { dueAtMs: context.clock.nowMs(), leastSeconds });
}

/**
 * After a release: a trigger that found the lease held comes again only when the lease would have ended. Its
 * messages need not wait that long. The release is done, so a failure here is only logged; that trigger still
 * comes.
 */
export async function wakeWaiting(context: AwsContext, id: string): Promise<void> {
  try {
    const window = await windowOf(context, id);
    if (window && window.triggerAtMs <= context.clock.nowMs()) await context.triggers.send(window, 0);
  } catch (error) {
    context.log("warn", "window.not-woken", { conversation: id, reason: tellable(error) });
  }
}

/**
 * A window whose trigger should have come and did not: it is sent again, once in a while. Also one whose
 * trigger would come later than any queue can delay it: the clock was set back, or a foreign system wrote it.
 */
export function isOverdue({ settings, clock }: AwsContext, { triggerAtMs: atMs }: StandingWindow): boolean {
  const nowMs = clock.nowMs();
  return atMs + settings.graceMs <= nowMs || !comesInTime(atMs, nowMs + settings.clockSkewMs);
}

/**
 * The window keeps its id and its due time. Of several processes that find it overdue one sends, or two that
 * look in the same millisecond.
 */
export async function sendAgain(context: AwsContext, window: StandingWindow): Promise<boolean> {
  const nowMs = context.clock.nowMs();
  const isFirst = await pushTrigger(context, window, nowMs);
  if (isFirst) await context.triggers.send(window, nowMs);
  return isFirst;
}

async function pushTrigger(context: AwsContext, window: StandingWindow, atMs: number): Promise<boolean> {
  const isSame = equal("window_id", window.id);
  const isUntouched = equal("trigger_at_ms", window.triggerAtMs);
  const { kind, item } = await context.store.update(
    "triggerLock",
    conversationKeyOf(window.conversationId),
    { set: triggeredAt(atMs) },
    all(isSame, isUntouched),
  );
  // Refused by what we wanted to write: our answer got lost. If another process wrote it, one trigger too
  // many does no harm.
  return kind === "done" || (item?.window_id === window.id && item.trigger_at_ms === atMs);
}

/**
 * DISARM: removes the window that stood when the lease was taken, and returns it. A window that was made
 * since stays: a worker that was frozen until its lease lapsed would otherwise remove the window on which its
 * successor's messages rely. Leaving it causes one look too many. It is returned as well: its messages are
 * not due before it is, whichever worker looks.
 */
export async function disarm(
  context: AwsContext,
  id: string,
  leasedAtMs: number,
): Promise<StandingWindow | undefined> {
  // A foreign lock does not say when it was armed: it is left to its owner.
  const isOld = atMost("armed_at_ms", leasedAtMs + context.settings.clockSkewMs);
  const isOurs = all(isOfKnownVersion("triggerLock"), isOld);
  const { kind, item } = await context.store.delete("triggerLock", conversationKeyOf(id), isOurs);
  if (kind === "refused" && isNewer("triggerLock", item)) throw newerVersion(id);
  if (kind === "done") return context.quarantine.soundOne("triggerLock", item, windowFrom);
  const standing = item && windowFrom(item);
  return standing?.kind === "sound" ? standing.value : undefined;
}

/**
 * Armed by a clock that has been set back since: no lease would ever be late enough to disarm it. Shortly
 * after that, also every window whose time is far off: it may come from that clock.
 */
export function isAhead(
  { clock, settings }: AwsContext,
  { armedAtMs, wakeAtMs, triggerAtMs: atMs }: StandingWindow,
  isSetBack: boolean,
): boolean {
  const aheadOfMs = clock.nowMs() + settings.clockSkewMs + CLOCK_SET_BACK_MS_MIN;
  // A worker that looked when the clock was set back may have put off a window that was armed since.
  return armedAtMs > aheadOfMs || (isSetBack && Math.max(wakeAtMs, atMs) > aheadOfMs);
}

export async function armNow(context: AwsContext, window: StandingWindow): Promise<boolean> {
  const nowMs = context.clock.nowMs();
  const set = { armed_at_ms: nowMs, trigger_at_ms: nowMs };
  const key = conversationKeyOf(window.conversationId);
  const { kind } = await context.store.update("triggerLock", key, { set }, equal("window_id", window.id));
  if (kind === "done") await context.triggers.send(window, nowMs);
  return kind === "done";
}

async function putWindow(
  context: AwsContext,
  trigger: Trigger,
  arming: Arming,
): Promise<{ window: StandingWindow; isMine: boolean }> {
  const made = windowItem(context, trigger, arming);
  const window = standing(made);
  const written = await context.store.put("triggerLock", made, isNotArmed);
  // Refused without an item: it was removed in the meantime, by a worker that has looked or will.
  if (written.kind === "done" || !written.item) return { window, isMine: true };
  // The newer version that made it sends its trigger.
  if (isNewer("triggerLock", written.item)) return { window, isMine: false };
  const found = context.quarantine.soundOne("triggerLock", written.item, windowFrom);
  if (found) return { window: found, isMine: found.id === window.id };
  // A foreign lock in the place of our window: no worker would look. If a window of ours came there
  // meanwhile, overwriting it does no harm: its trigger is on its way, and ours is, too.
  await context.store.put("triggerLock", made);
  return { window, isMine: true };
}
