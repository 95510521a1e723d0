import * as committing from "./steps/commit.ts";
import * as conversing from "./steps/conversations.ts";
import * as erasing from "./steps/erase.ts";
import * as freeing from "./steps/free-leases.ts";
import { history } from "./steps/history.ts";
import * as inspecting from "./steps/inspect.ts";
import { listLocks } from "./steps/locks.ts";
import { knownSince, secretFor } from "./steps/memory.ts";
import * as people from "./steps/people.ts";
import { ping } from "./steps/ping.ts";
import * as quarantined from "./steps/quarantined.ts";
import * as receiving from "./steps/receive.ts";
import { recordDelivery } from "./steps/record-delivery.ts";
import * as releasing from "./steps/release.ts";
import * as repairs from "./steps/repairs.ts";
import * as sweeping from "./steps/sweep.ts";
import * as taking from "./steps/take.ts";
import * as takingDue from "./steps/take-due.ts";
import * as turning from "./steps/turn.ts";

/** Every step by name: what a request to the writer thread may call. Each runs in one transaction. */
export const STEPS = {
  stage: receiving.stage,
  recordDelivery,
  takeDue: takingDue.takeDue,
  take: taking.take,
  renew: turning.renew,
  draft: turning.draft,
  writeChunks: turning.writeChunks,
  commit: committing.commit,
  release: releasing.release,
  sweep: sweeping.sweep,
  freeLeases: freeing.freeLeases,
  ping,
  quarantine: quarantined.quarantine,
  create: conversing.create,
  change: conversing.change,
  changeAttribute: conversing.changeAttribute,
  erase: erasing.erase,
  say: conversing.say,
  answer: conversing.answer,
  pauseAll: conversing.pauseAll,
  changeProject: conversing.changeProject,
  retryDead: repairs.retryDead,
  discardDead: repairs.discardDead,
  markUnknown: repairs.markUnknown,
  resendUnknown: repairs.resendUnknown,
  discardQuarantined: quarantined.discardQuarantined,
} as const;

/** Steps that only read: they may run on another connection and never wait for a writer. */
export const READS = {
  knownSince,
  secretFor,
  hasNewer: turning.hasNewer,
  holders: freeing.holders,
  tracesLeft: erasing.tracesLeft,
  get: conversing.get,
  history,
  listConversations: inspecting.listConversations,
  showConversation: inspecting.showConversation,
  latestId: inspecting.latestId,
  nameRecords: inspecting.nameRecords,
  listLocks,
  listDead: inspecting.listDead,
  showDead: inspecting.showDead,
  listUnknown: inspecting.listUnknown,
  showUnknown: inspecting.showUnknown,
  listRefusals: inspecting.listRefusals,
  listQuarantined: quarantined.listQuarantined,
  projectChanges: inspecting.projectChanges,
  findPerson: people.findPerson,
  keptOf: people.keptOf,
  counts: inspecting.counts,
  gauges: inspecting.gauges,
} as const;

type Steps = typeof STEPS & typeof READS;
export type StepName = keyof Steps;
export type StepInput<N extends StepName> = Parameters<Steps[N]>[1];
export type StepResult<N extends StepName> = ReturnType<Steps[N]>;

/** A step by its name, with what that step is given: it crosses to the thread that runs it. */
export type StepRequest<N extends StepName = StepName> = {
  [Name in N]: { readonly name: Name; readonly input: StepInput<Name> };
}[N];

/** Every step as a function. Over `keyof`, not over its alias: so an editor finds the lists above. */
export type StepClient = {
  readonly [N in keyof Steps]: (
    ...given: Parameters<Steps[N]> extends [unknown] ? [] : [input: StepInput<N>]
  ) => Promise<StepResult<N>>;
};

/**
 * What need not be on disk when it returns: it rides along with the next commit that is synced. A power cut
 * that forgets a lease leaves its window standing, and the turn is taken again under the same id; one that
 * forgets a renewal or a release only lets the lease lapse. No process is left that knew of them. But not a
 * release that has something to tell, a dead letter or a draft.
 */
const RIDES_ALONG: { readonly [N in StepName]?: (input: StepInput<N>) => boolean } = {
  take: () => true,
  takeDue: () => true,
  renew: () => true,
  release: ({ how }) => how.kind !== "dead-letter" && !("draft" in how),
};

export function ridesAlong<N extends StepName>({ name, input }: StepRequest<N>): boolean {
  return RIDES_ALONG[name]?.(input) ?? false;
}

export function isRead(name: StepName): name is keyof typeof READS {
  return name in READS;
}
