import type { LeaseState } from "../../../core/lease.ts";
import type { ConversationState } from "../../../core/state.ts";
import type { Lease } from "../../../model/lease.ts";
import type { AwsContext } from "../context.ts";
import { absent, type Change, type Condition, equal, type Item } from "../dynamo/expression.ts";
import type { Action } from "../dynamo/store.ts";
import { conversationKeyOf } from "./keys.ts";
import { type Stored, stateChange, storedFrom } from "./state-item.ts";
import { newerVersion, VERSION } from "./version.ts";

export async function readState(context: AwsContext, id: string): Promise<Stored> {
  return storedFrom(id, await context.store.get("state", conversationKeyOf(id)));
}

/** No process wrote since it was read. */
export function isUnchanged({ rev }: Pick<Stored, "rev">): Condition {
  return rev === undefined ? absent("rev") : equal("rev", rev);
}

export function isHeldBy(token: string): Condition {
  return equal("lease_token", token);
}

/** A row under a lease. */
export interface HeldRow extends Stored {
  readonly state: ConversationState & { readonly lease: LeaseState };
}

/** Another process wrote in between: decide again on the row as it is now. */
export interface Changed {
  readonly kind: "changed";
  readonly stored: Stored;
}

export type Saved = { readonly kind: "saved"; readonly stored: Stored } | Changed;

/**
 * Writes a new state on condition that no process wrote since `before` was read. A lost answer is recognised
 * by the `rev` that we made.
 */
export async function saveState(
  context: AwsContext,
  before: Stored,
  after: ConversationState,
  more: Item = {},
): Promise<Saved> {
  if (before.isNewer) throw newerVersion(before.id);
  const { change, stored } = changeTo(context, before, after, more);
  const key = conversationKeyOf(before.id);
  const written = await context.store.update("state", key, change, isUnchanged(before));
  if (written.kind === "done" || written.item?.rev === stored.rev) return { kind: "saved", stored };
  return { kind: "changed", stored: storedFrom(before.id, written.item) };
}

/** The same for a transaction: what to write, on which condition, and the row once it is done. */
export function savedAs(
  context: AwsContext,
  before: Stored,
  after: ConversationState,
  more: Item = {},
): { action: Action; stored: Stored } {
  const { change, stored } = changeTo(context, before, after, more);
  const key = conversationKeyOf(before.id);
  return { action: { kind: "update", table: "state", key, change, condition: isUnchanged(before) }, stored };
}

function changeTo(
  context: AwsContext,
  before: Stored,
  after: ConversationState,
  more: Item,
): { change: Change; stored: Stored } {
  const rev = context.newId();
  const changed = stateChange(before.id, before.state, after, context.leaseShards);
  const change = { set: { v: VERSION, rev, ...changed, ...more } };
  return { change, stored: { ...before, rev, state: after } };
}

/** Writes what the holder of this lease decides. Undefined if the lease turns out to be another worker's. */
export async function changeHeld(
  context: AwsContext,
  lease: Lease,
  decide: (stored: Stored) => Promise<ConversationState> | ConversationState,
): Promise<Stored | undefined> {
  let stored = await heldState(context, lease);
  while (stored) {
    const saved = await saveState(context, stored, await decide(stored));
    if (saved.kind === "saved") {
      hold(context, lease.token, saved.stored);
      return saved.stored;
    }
    stored = ifHeld(context, lease, saved.stored);
  }
  return undefined;
}

/** The row as this process last saw it, or as it is read now. Undefined if a newer token stands. */
export async function heldState(context: AwsContext, lease: Lease): Promise<Stored | undefined> {
  return (
    context.held.get(lease.token) ?? ifHeld(context, lease, await readState(context, lease.conversationId))
  );
}

function ifHeld(context: AwsContext, lease: Lease, stored: Stored): Stored | undefined {
  if (isMine(stored, lease.token)) return stored;
  letGo(context, lease.token);
  return undefined;
}

/** The lease is released or lost: its cached rows are no longer needed. */
export function letGo(context: AwsContext, token: string): void {
  context.held.delete(token);
  context.batches.delete(token);
  context.leftBehind.delete(token);
}

/** Remembers a row whose lease we hold; forgets it once it is released. */
export function hold(context: AwsContext, token: string, stored: Stored): void {
  if (isMine(stored, token)) context.held.set(token, stored);
  else letGo(context, token);
}

export function isMine(stored: Stored | undefined, token: string): stored is HeldRow {
  return stored?.state.lease?.token === token;
}
