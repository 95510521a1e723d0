import type { StepContext } from "../context.ts";
import { noteMemory } from "./memory.ts";

/** A write, and the look that every worker takes: a store that can do only one of them is not ready. */
export function ping(context: StepContext): void {
  noteMemory(context);
  context.tables.states.wakeable(context.nowMs, 1);
  context.tables.meta.ping(context.nowMs);
}
