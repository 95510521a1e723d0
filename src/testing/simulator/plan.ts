import type { Choices } from "../../model/settings.ts";
import type { WindowConfig } from "../../runtime/config.ts";
import { type Random, seeded } from "./random.ts";

/** Where a fault may hit: calls to the store, to the responder, to the provider. */
export const STEPS = [
  "receiving.stage",
  "receiving.recordDelivery",
  "turns.takeDue",
  "turns.take",
  "turns.renew",
  "turns.hasNewer",
  "turns.draft",
  "turns.writeChunks",
  "turns.commit",
  "turns.release",
  "conversations.say",
  "sweeping.sweep",
  "sweeping.freeLeases",
  "respond",
  "send",
  "reconcile",
] as const;

/** Further places in an engine that makes many requests for a step: between any two of them. */
export const REQUESTS = [
  "request.get",
  "request.put",
  "request.update",
  "request.delete",
  "request.query",
  "request.scan",
  "request.getMany",
  "request.transact",
  "trigger.send",
  "trigger.receive",
  "trigger.done",
] as const;
export type RequestName = (typeof REQUESTS)[number];
export type StepName = (typeof STEPS)[number] | RequestName;

/** What may go wrong at any step. */
const ANYWHERE = [
  "crash-before",
  "crash-after",
  "freeze-before",
  "freeze-after",
  "clock-jump",
  // By an hour: what was due in ten seconds is an hour away for a process that trusts the clock.
  "clock-set-back",
  // Every process at once, with no supervisor left to free their leases.
  "power-cut",
] as const;
const STORE = [
  "error-before",
  "error-after",
  // Longer than a lease, until the call's own deadline ends it: it may have taken effect.
  "silent",
] as const;
const RESPONDER = [
  "fails",
  "fails-for-good",
  "slow",
  "never-returns",
  // The event loop stands still until the parent kills the process.
  "blocks",
] as const;
const SENDING = [
  "not-sent",
  "not-sent-for-good",
  "too-many",
  "answer-lost",
  "never-arrives",
  "arrives-late",
  // The provider takes longer to accept than its sender waits or lives.
  "accepts-slowly",
  "crash-in-flight",
  // The bytes leave when the process wakes up, whatever its timers say.
  "freeze-at-socket",
] as const;
const ASKING = ["cannot-tell", "error-before"] as const;

export type FaultKind =
  | (typeof ANYWHERE)[number]
  | (typeof STORE)[number]
  | (typeof RESPONDER)[number]
  | (typeof SENDING)[number]
  | (typeof ASKING)[number];

export function faultsAt(step: StepName): readonly FaultKind[] {
  if (step === "respond") return [...ANYWHERE, ...RESPONDER];
  if (step === "send") return [...ANYWHERE, ...SENDING];
  if (step === "reconcile") return [...ANYWHERE, ...ASKING];
  return [...ANYWHERE, ...STORE];
}

export interface Cell {
  readonly step: StepName;
  readonly kind: FaultKind;
}

/** Every pair of step and fault: what a long run has to have hit. */
export const CELLS: readonly Cell[] = cellsOf(STEPS);
/** What is said happens in some runs alone. */
const SAYING_CELLS = CELLS.filter(({ step }) => step === "conversations.say");
const OTHER_CELLS = CELLS.filter(({ step }) => step !== "conversations.say");
export const REQUEST_CELLS: readonly Cell[] = cellsOf(REQUESTS);

function cellsOf(steps: readonly StepName[]): Cell[] {
  return steps.flatMap((step) => faultsAt(step).map((kind) => ({ step, kind })));
}

/** A responder or provider is away for a while, for every process. */
export interface PlannedOutage {
  readonly who: "responder" | "sending" | "asking";
  /** `silent`: accepted, and never answered. */
  readonly how: "refused" | "silent";
  readonly fromMs: number;
  readonly toMs: number;
}

export interface PlannedMessage {
  readonly id: string;
  readonly customer: number;
  readonly atMs: number;
  /** The provider delivers it again, although it was acknowledged. */
  readonly againAtMs: readonly number[];
}

export interface PlannedFault {
  readonly step: StepName;
  readonly kind: FaultKind;
  /** At the n-th time that the step is reached. */
  readonly nth: number;
}

/** How the service of a run is configured. */
export interface PlannedService {
  readonly workers: number;
  readonly window: WindowConfig;
  readonly whileBusy: Choices["whileBusy"];
  readonly onUnknown: Choices["onUnknown"];
  readonly canReconcile: boolean;
  readonly callbacks: boolean;
  readonly chunks: number;
  readonly batchMessagesMax: number;
  /** Customers are told that their answer is late or will not come. */
  readonly failureText?: boolean;
}

/** Everything about a run that is decided before it begins. Shrinking removes parts of it. */
export interface Plan extends PlannedService {
  readonly seed: number;
  readonly messages: readonly PlannedMessage[];
  /** A message that kills every worker that answers it. */
  readonly poison?: string;
  readonly faults: readonly PlannedFault[];
  readonly outages?: readonly PlannedOutage[];
  /** The provider's list shows what it accepted only after a while. */
  readonly listsLate?: boolean;
  /** How far the provider's clock is ahead of the true time. */
  readonly providerAheadMs?: number;
  /** Wake-ups without a reason: early, doubled, long out of date. */
  readonly strayWakeUpsAtMs: readonly number[];
}

export function planFrom(seed: number): Plan {
  const random = seeded(seed);
  const messages = plannedMessages(random);
  const plan: Plan = {
    seed,
    workers: random.between(2, 3),
    window: random.chance(0.7) ? { seconds: 2 } : { quietSeconds: 1, maxSeconds: 4 },
    whileBusy: random.pick(["queue", "queue", "queue", "restart", "reject"]),
    onUnknown: random.pick(["hold", "hold", "hold", "assume-sent"]),
    canReconcile: random.chance(0.85),
    callbacks: random.chance(0.3),
    chunks: random.chance(0.3) ? 2 : 1,
    batchMessagesMax: random.chance(0.2) ? 2 : 500,
    messages,
    ...(random.chance(0.03) && { poison: random.pick(messages).id }),
    faults: plannedFaults(random),
    strayWakeUpsAtMs: Array.from({ length: random.below(4) }, () => random.below(20_000)),
    listsLate: random.chance(0.3),
    outages: random.chance(0.25) ? plannedOutages(random) : [],
    providerAheadMs: random.pick([0, 0, -HOUR, HOUR]),
  };
  // Last: what came to be planned later leaves the rest of each seed's plan as it was.
  const failureText = random.chance(0.5);
  const isHit = failureText && random.chance(0.4);
  const hit = isHit ? [{ ...random.pick(SAYING_CELLS), nth: random.pick([1, 1, 2]) }] : [];
  return { ...plan, failureText, faults: [...plan.faults, ...hit] };
}

const HOUR = 3_600_000;

/** The longest that faults last, and much longer than five attempts with their pauses. */
const OUTAGE_MS_MAX = 22_000;

function plannedOutages(random: Random): PlannedOutage[] {
  return Array.from({ length: random.between(1, 3) }, () => {
    const fromMs = random.below(8_000);
    return {
      who: random.pick(["responder", "sending", "asking"] as const),
      how: random.pick(["refused", "silent"] as const),
      fromMs,
      toMs: fromMs + random.between(1_000, OUTAGE_MS_MAX - fromMs),
    };
  });
}

/** Requests are many: a fault may hit any of the first ones of its kind. */
const NTH_REQUEST_MAX = 40;

/** The same run, with about half of its faults at single requests. */
export function planWithRequests(seed: number): Plan {
  const plan = planFrom(seed);
  const random = seeded(seed ^ 0x2545f491);
  const faults = plan.faults.map((fault) =>
    random.chance(0.5)
      ? fault
      : { ...random.pick(REQUEST_CELLS), nth: random.between(1, random.pick([3, 10, NTH_REQUEST_MAX])) },
  );
  return { ...plan, faults };
}

function plannedMessages(random: Random): PlannedMessage[] {
  const customers = random.between(1, 2);
  return Array.from({ length: random.between(3, 7) }, (_, n) => {
    const atMs = random.below(random.pick([500, 3_000, 12_000]));
    const again = random.chance(0.3) ? [atMs + random.below(15_000)] : [];
    return { id: `m${n + 1}`, customer: random.below(customers), atMs, againAtMs: again };
  });
}

function plannedFaults(random: Random): PlannedFault[] {
  return Array.from({ length: random.between(2, 5) }, () => ({
    ...random.pick(OTHER_CELLS),
    nth: random.pick([1, 1, 1, 2, 3, 5]),
  }));
}
