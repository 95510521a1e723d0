import { secretFor as derived } from "../../../core/identity.ts";
import { isToBeNoted, knownSinceMs, type Memories, UNNOTED_MS } from "../../../core/memory.ts";
import type { StepContext } from "../context.ts";

export function knownSince(context: StepContext): number {
  return knownSinceMs(memoriesOf(context), context.settings, context.nowMs);
}

/** With every sweep: which memory was in force until when. */
export function noteMemory(context: StepContext): void {
  const { tables, settings, nowMs } = context;
  const memories = memoriesOf(context);
  if (isToBeNoted(memories, settings, nowMs))
    tables.meta.setMemories(new Map([...memories, [settings.dedupeMs, nowMs]]));
}

function memoriesOf({ tables, nowMs }: StepContext): Memories {
  return tables.meta.memories() ?? new Map([[UNNOTED_MS, nowMs]]);
}

export function secretFor({ secret }: StepContext, purpose: string): string {
  return derived(secret, purpose);
}
