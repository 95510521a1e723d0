import type { StepContext } from "./context.ts";
import * as conversing from "./steps/conversations.ts";
import * as erasing from "./steps/erase.ts";
import * as inspecting from "./steps/inspect.ts";
import * as receiving from "./steps/receive.ts";
import { recordDelivery } from "./steps/record-delivery.ts";
import * as repairs from "./steps/repairs.ts";
import * as sweeping from "./steps/sweep.ts";
import * as taking from "./steps/take.ts";
import * as turning from "./steps/turn.ts";

/** Every step by name: what a request to the writer thread may call. Each runs in one transaction. */
export const STEPS = {
  stage: receiving.stage,
  recordDelivery,
  takeDue: taking.takeDue,
  take: taking.take,
  renew: turning.renew,
  draft: turning.draft,
  mark: turning.mark,
  commit: turning.commit,
  release: turning.release,
  sweep: sweeping.sweep,
  freeLeases: sweeping.freeLeases,
  ping: sweeping.ping,
  quarantine: sweeping.quarantine,
  create: conversing.create,
  change: conversing.change,
  erase: erasing.erase,
  say: conversing.say,
  answer: conversing.answer,
  pauseAll: conversing.pauseAll,
  retryDead: repairs.retryDead,
  discardDead: repairs.discardDead,
  markUnknown: repairs.markUnknown,
  resendUnknown: repairs.resendUnknown,
  discardQuarantined: repairs.discardQuarantined,
} as const;

/** Steps that only read: they may run on another connection and never wait for a writer. */
export const READS = {
  hasNewer: turning.hasNewer,
  holders: sweeping.holders,
  tracesLeft: erasing.tracesLeft,
  get: conversing.get,
  history: conversing.history,
  listConversations: inspecting.listConversations,
  showConversation: inspecting.showConversation,
  latestId: inspecting.latestId,
  namesOf: inspecting.namesOf,
  listLocks: inspecting.listLocks,
  listDead: inspecting.listDead,
  listUnknown: inspecting.listUnknown,
  listRefusals: inspecting.listRefusals,
  listQuarantined: inspecting.listQuarantined,
  counts: inspecting.counts,
  gauges: inspecting.gauges,
} as const;

export type Steps = typeof STEPS & typeof READS;
export type StepName = keyof Steps;
export type StepInput<N extends StepName> = Parameters<Steps[N]>[1];
export type StepResult<N extends StepName> = ReturnType<Steps[N]>;

/** Runs the step of that name: one that writes in its transaction, one that reads maybe on another thread. */
export type AskStep = (name: StepName) => (input: unknown) => Promise<unknown>;

/** Every step as a function, typed by the step itself. */
export type StepClient = {
  readonly [N in StepName]: (
    ...given: Parameters<Steps[N]> extends [StepContext] ? [] : [input: StepInput<N>]
  ) => Promise<StepResult<N>>;
};

/** A name and an input cross to the other thread; a caller sees typed functions. */
export function stepClient(ask: AskStep): StepClient {
  const names = Object.keys({ ...STEPS, ...READS }) as StepName[];
  return Object.fromEntries(names.map((name) => [name, ask(name)])) as StepClient;
}

export function isRead(name: StepName): name is keyof typeof READS {
  return name in READS;
}

export function carryOut(step: StepContext, name: StepName, input: unknown): unknown {
  if (!isRead(name)) step.tables.meta.noteTime(step.nowMs);
  const run = (isRead(name) ? READS[name] : STEPS[name]) as (step: StepContext, input: unknown) => unknown;
  return run(step, input);
}
