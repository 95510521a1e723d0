import { fields, optional, type Sound, soundAs, text, time } from "../../../core/shape.ts";
import type { Window } from "../../../core/state.ts";
import type { AwsContext } from "../context.ts";
import { absent, type Item } from "../dynamo/expression.ts";
import { type Trigger, triggerAtMs } from "../queue/triggers.ts";
import { name } from "./item-shapes.ts";
import { conversationKeyOf, ttl } from "./keys.ts";
import { isNewer, VERSION } from "./version.ts";

/** How long a window's row may stand unseen before the table may drop it. Every trigger extends it. */
const KEEP_MS = 7 * 24 * 3_600_000;

/** A window's row. `triggerAtMs`: when its latest trigger comes; `wakeAtMs`: when a worker should look. */
export interface StandingWindow extends Window, Trigger {
  readonly triggerAtMs: number;
  readonly armedAtMs: number;
}

export interface Arming {
  readonly dueAtMs: number;
  /** When a worker has to look, if not at the due time. */
  readonly wakeAtMs?: number;
  /** Made by the caller, so that it recognises its own write if the answer is lost. */
  readonly windowId?: string;
  /** Least delay while the lease is still held: a worker that looks at once would find it so. */
  readonly leastSeconds?: number;
}

export async function windowOf(context: AwsContext, id: string): Promise<StandingWindow | undefined> {
  const item = await context.store.get("triggerLock", conversationKeyOf(id));
  return context.quarantine.soundOne("triggerLock", item, windowFrom);
}

/** The condition on which a window is created. */
export const isNotArmed = absent("conversation_id");

export function windowItem(context: AwsContext, trigger: Trigger, arming: Arming): Item {
  const { dueAtMs, wakeAtMs = dueAtMs, windowId = context.newId() } = arming;
  const atMs = triggerAtMs(wakeAtMs, context.clock.nowMs());
  return {
    v: VERSION,
    conversation_id: trigger.conversationId,
    window_id: windowId,
    armed_at_ms: context.clock.nowMs(),
    due_at_ms: dueAtMs,
    wake_at_ms: wakeAtMs,
    ...triggeredAt(atMs),
    primary_channel: trigger.sender,
    channel: trigger.channel,
  };
}

/** When its latest trigger comes. */
export function triggeredAt(atMs: number): Item {
  return { trigger_at_ms: atMs, expires_at: ttl(atMs + KEEP_MS) };
}

const WINDOW = fields({
  window_id: name,
  due_at_ms: time,
  wake_at_ms: time,
  trigger_at_ms: time,
  armed_at_ms: time,
  conversation_id: name,
  primary_channel: optional(text),
  channel: optional(text),
});

/** A window as it was read, if it is ours. */
export function windowFrom(item: Item): Sound<StandingWindow> {
  if (isNewer("triggerLock", item)) return { kind: "foreign", why: "v is of a newer version" };
  const read = soundAs<Item>(WINDOW, item);
  return read.kind === "sound" ? { kind: "sound", value: standing(item) } : read;
}

export function standing(item: Item): StandingWindow {
  return {
    id: String(item.window_id),
    dueAtMs: Number(item.due_at_ms),
    wakeAtMs: Number(item.wake_at_ms),
    triggerAtMs: Number(item.trigger_at_ms),
    armedAtMs: Number(item.armed_at_ms),
    conversationId: String(item.conversation_id),
    sender: String(item.primary_channel ?? ""),
    channel: String(item.channel ?? "default"),
  };
}
