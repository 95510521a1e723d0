import { isToBeNoted, knownSinceMs, type Memories, UNNOTED_MS } from "../../../core/memory.ts";
import type { StepContext } from "../context.ts";

export function knownSince(context: StepContext, _: undefined): number {
  return knownSinceMs(memoriesOf(context), context.settings, context.nowMs);
}

/** With every sweep: which memory was in force until when. */
export function noteMemory(context: StepContext): void {
  const { tables, settings, nowMs } = context;
  const memories = memoriesOf(context);
  if (isToBeNoted(memories, settings, nowMs))
    tables.meta.setMemories(new Map([...memories, [settings.dedupeMs, nowMs]]));
}

/** A store that has conversations and no note is an older version's. */
function memoriesOf({ tables, nowMs }: StepContext): Memories {
  const noted = tables.meta.memories();
  if (noted.size > 0) return noted;
  return tables.meta.counts(nowMs).conversations > 0 ? new Map([[UNNOTED_MS, nowMs]]) : noted;
}
