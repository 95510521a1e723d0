import type { ConversationState } from "../../../core/state.ts";
import type { Lease } from "../../../model/lease.ts";
import type { AwsContext } from "../context.ts";
import { absent, type Change, type Condition, equal, type Item } from "../dynamo/expression.ts";
import { conversationKeyOf } from "./keys.ts";
import { type Stored, stateChange, storedFrom } from "./state-item.ts";
import { newerVersion, VERSION } from "./version.ts";

export async function readState(site: AwsContext, id: string): Promise<Stored> {
  return storedFrom(id, await site.store.get("state", conversationKeyOf(id)));
}

/** No process wrote since it was read. */
export function isUnchanged({ rev }: Stored): Condition {
  return rev === undefined ? absent("rev") : equal("rev", rev);
}

export function isHeldBy(token: string): Condition {
  return equal("lease_token", token);
}

export type Saved =
  | { readonly kind: "saved"; readonly stored: Stored }
  /** Another process wrote in between: decide again on the row as it is now. */
  | { readonly kind: "changed"; readonly stored: Stored };

/**
 * Writes a new state on condition that no process wrote since `before` was read. A lost answer is recognised
 * by the `rev` that we made.
 */
export async function saveState(
  site: AwsContext,
  before: Stored,
  after: ConversationState,
  more: Item = {},
): Promise<Saved> {
  if (before.isNewer) throw newerVersion(before.id);
  const { change, stored } = savedAs(site, before, after, more);
  const written = await site.store.update("state", conversationKeyOf(before.id), change, isUnchanged(before));
  if (written.kind === "done" || written.item?.rev === stored.rev) return { kind: "saved", stored };
  return { kind: "changed", stored: storedFrom(before.id, written.item) };
}

/** The same for a transaction: what to write, and the row once it is done. */
export function savedAs(
  site: AwsContext,
  before: Stored,
  after: ConversationState,
  more: Item = {},
): { change: Change; stored: Stored } {
  const rev = site.newId();
  const changed = stateChange(before.id, before.state, after, site.leaseShards);
  const change = { set: { v: VERSION, rev, ...changed, ...more } };
  return { change, stored: { ...before, rev, state: after } };
}

/** Writes what the holder of this lease decides. Undefined if the lease turns out to be another worker's. */
export async function changeHeld(
  site: AwsContext,
  lease: Lease,
  decide: (stored: Stored) => Promise<ConversationState> | ConversationState,
): Promise<Stored | undefined> {
  let stored = await heldState(site, lease);
  while (stored) {
    const saved = await saveState(site, stored, await decide(stored));
    if (saved.kind === "saved") {
      hold(site, lease.token, saved.stored);
      return saved.stored;
    }
    stored = ifHeld(site, lease, saved.stored);
  }
  return undefined;
}

/** The row as this process last saw it, or as it is read now. Undefined if a newer token stands. */
export async function heldState(site: AwsContext, lease: Lease): Promise<Stored | undefined> {
  return site.held.get(lease.token) ?? ifHeld(site, lease, await readState(site, lease.conversationId));
}

function ifHeld(site: AwsContext, lease: Lease, stored: Stored): Stored | undefined {
  if (stored.state.lease?.token === lease.token) return stored;
  letGo(site, lease.token);
  return undefined;
}

/** The lease is released or lost: its cached rows are no longer needed. */
export function letGo(site: AwsContext, token: string): void {
  site.held.delete(token);
  site.batches.delete(token);
  site.leftBehind.delete(token);
}

/** Remembers a row whose lease we hold; forgets it once it is released. */
export function hold(site: AwsContext, token: string, stored: Stored): void {
  if (stored.state.lease?.token === token) site.held.set(token, stored);
  else letGo(site, token);
}

export function isMine(stored: Stored, token: string): boolean {
  return stored.state.lease?.token === token;
}
