import { lockRecord } from "../../../core/lock-record.ts";
import type { Listing, LockRecord, Page } from "../../../ports/inspector.ts";
import type { StepContext } from "../context.ts";

/** The lock of one conversation; undefined if it is at rest. */
export function lockOf(context: StepContext, conversationId: string): LockRecord | undefined {
  const state = context.tables.states.get(conversationId);
  const staged = context.tables.staged.count(conversationId);
  return state && { ...lockRecord(conversationId, state), staged };
}

export function listLocks(context: StepContext, page: Page): Listing<LockRecord> {
  return context.tables.states.locks(page);
}
