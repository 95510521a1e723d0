import { isToBeNoted, knownSinceMs, type Memories, UNNOTED_MS } from "../../../core/memory.ts";
import type { AwsContext } from "../context.ts";
import { conversationKeyOf, MEMORIES } from "../items/keys.ts";

const KEPT = "kept_";

export async function knownSince(context: AwsContext): Promise<number> {
  const { clock, settings } = context;
  return knownSinceMs(await memoriesOf(context), settings, clock.nowMs());
}

/** With every sweep: which memory was in force until when. Each has an attribute of its own. */
export async function noteMemory(context: AwsContext): Promise<void> {
  const { clock, settings, store } = context;
  const memories = await memoriesOf(context);
  const nowMs = clock.nowMs();
  if (!isToBeNoted(memories, settings, nowMs)) return;
  const entries = [...memories, [settings.dedupeMs, nowMs] as const];
  const set = Object.fromEntries(entries.map(([keptMs, atMs]) => [`${KEPT}${keptMs}`, atMs]));
  await store.update("state", conversationKeyOf(MEMORIES), { set });
}

async function memoriesOf({ clock, store, installation }: AwsContext): Promise<Memories> {
  const item = (await store.get("state", conversationKeyOf(MEMORIES))) ?? {};
  const noted = Object.entries(item).flatMap(([name, atMs]) =>
    name.startsWith(KEPT) && typeof atMs === "number"
      ? [[Number(name.slice(KEPT.length)), atMs] as const]
      : [],
  );
  if (noted.length > 0) return new Map(noted);
  return new Map(installation.isUpgraded ? [[UNNOTED_MS, clock.nowMs()]] : []);
}
