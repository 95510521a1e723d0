import { keepSent } from "../../core/draft.ts";
import { type ConversationState, type Work, workOf } from "../../core/state.ts";
import type { Draft } from "../../ports/draft.ts";
import type { DraftOutcome, Lease, MarkOutcome, Renewal, WriteOutcome } from "../../ports/engine.ts";
import { conversationOf } from "./finding.ts";
import { assertHeld } from "./item-size.ts";
import { conversationKeyOf } from "./keys.ts";
import type { Site } from "./site.ts";
import { messagesOf, type StagedMessageRow } from "./stage-item.ts";
import { stagedRows } from "./staged.ts";
import { changeHeld, heldState, isHeldBy, letGo, readState } from "./state.ts";
import type { Stored } from "./state-item.ts";

const LOST: WriteOutcome = { kind: "lost" };

/** One attribute, on condition of the token: nothing that others write meanwhile is touched. */
export async function renew(site: Site, lease: Lease): Promise<Renewal> {
  const untilAtMs = site.clock.nowMs() + site.settings.leaseMs;
  const [written, handedOff] = await Promise.all([
    site.store.update(
      "state",
      conversationKeyOf(lease.conversationId),
      { set: { lease_until_at_ms: untilAtMs } },
      isHeldBy(lease.token),
    ),
    isHandedOff(site, lease),
  ]);
  if (written.kind === "done") return { kind: "renewed", lease: { ...lease, untilAtMs }, handedOff };
  letGo(site, lease.token);
  return LOST;
}

export async function hasNewer(site: Site, lease: Lease): Promise<boolean> {
  const stored = await readState(site, lease.conversationId);
  return stored.state.lease?.token === lease.token && canJoin(site, stored);
}

/** DRAFT, on condition that no human took over and, with `restart`, that nothing newer is staged. */
export async function draft(site: Site, lease: Lease, written: Draft): Promise<DraftOutcome> {
  assertHeld(written);
  const stored = await heldState(site, lease);
  if (!stored) return LOST;
  const isAnswer = written.author === undefined;
  const [handedOff, newer] = await Promise.all([
    isAnswer && isHandedOff(site, lease),
    isAnswer && mayRestart(site, workUnder(stored)) && canJoin(site, stored),
  ]);
  const renewed = handedOff || newer ? await stillHeld(site, lease) : await write(site, lease, written);
  if (!renewed) return LOST;
  if (handedOff) return { kind: "handed-off" };
  return newer ? { kind: "newer" } : { kind: "drafted", ...renewed };
}

export async function mark(
  site: Site,
  lease: Lease,
  written: Draft,
  { evenIfHandedOff = false }: { readonly evenIfHandedOff?: boolean } = {},
): Promise<MarkOutcome> {
  const handedOff = !evenIfHandedOff && written.author === undefined && (await isHandedOff(site, lease));
  const renewed = handedOff ? await stillHeld(site, lease) : await write(site, lease, written);
  if (!renewed) return LOST;
  return handedOff ? { kind: "handed-off" } : { kind: "marked", ...renewed };
}

interface Written {
  readonly lease: Lease;
  readonly draft: Draft;
}

/** The draft, and the lease renewed with it. What a callback settled in the meantime stays settled. */
async function write(site: Site, lease: Lease, written: Draft): Promise<Written | undefined> {
  const untilAtMs = site.clock.nowMs() + site.settings.leaseMs;
  const saved = await changeHeld(site, lease, ({ state }) => ({
    ...state,
    draft: keepSent(state.draft, written),
    lease: { ...state.lease!, untilAtMs },
  }));
  return saved && { lease: { ...lease, untilAtMs }, draft: saved.state.draft ?? written };
}

async function stillHeld(site: Site, lease: Lease): Promise<Written | undefined> {
  const { state } = await readState(site, lease.conversationId);
  return state.lease?.token === lease.token ? { lease, draft: state.draft! } : undefined;
}

/** Newer messages are staged that would come along if the answer started over. With a full batch none would. */
async function canJoin(site: Site, stored: Stored): Promise<boolean> {
  if (stored.state.leftBehindAtMs !== undefined) return false;
  return (await newerThan(site, stored)).length > 0;
}

/** Staged messages that are not in the running batch. */
export async function newerThan(site: Site, stored: Stored): Promise<StagedMessageRow[]> {
  const { batchIds } = workUnder(stored);
  const rows = messagesOf(await stagedRows(site, stored.id));
  return rows.filter(({ id }) => !batchIds.includes(id));
}

function mayRestart({ settings }: Site, work: Work): boolean {
  return settings.whileBusy === "restart" && work.restarts < settings.restartsMax;
}

async function isHandedOff(site: Site, { conversationId }: Lease): Promise<boolean> {
  return (await conversationOf(site, conversationId))?.handedOff ?? false;
}

/** The work of the running turn. */
export function workUnder({ state }: Stored): Work {
  const turnId = turnUnder(state);
  const work = workOf(state, turnId);
  if (!work) throw new Error(`lease of turn ${turnId} has no work`);
  return work;
}

function turnUnder({ lease }: ConversationState): string {
  return lease?.turnId ?? "";
}
