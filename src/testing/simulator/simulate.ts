import type { Engine, EngineProvider } from "../../ports/engine.ts";
import type { Responder } from "../../ports/responder.ts";
import { lookUp, TELL_MS, violations } from "./checks.ts";
import type { Stored, Violation } from "./evidence.ts";
import type { History } from "./history.ts";
import { type Plan, type PlannedFault, planFrom } from "./plan.ts";
import { type EngineRun, SimulationRun } from "./simulation-run.ts";

/** No faults after this. */
const FAULTS_MS = 25_000;
/**
 * Within this everything has to heal: leases, sends to settle, five attempts with their waits, and a margin.
 */
const SETTLE_MS = 180_000;
const LOOK_MS = 1_000;

export interface Simulation {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  readonly history: History;
  readonly hits: readonly PlannedFault[];
  readonly steps: number;
}

export interface SimulateOptions {
  /**
   * A new, empty engine. An engine that draws lots takes the run's seed; one with many requests lets each
   * meet its faults.
   */
  readonly engine: (run: EngineRun) => EngineProvider;
  /** What a seed stands for: `planFrom`, or `planWithRequests` for an engine whose requests meet faults. */
  readonly plan?: (seed: number) => Plan;
  /**
   * Engines that stage and arm in one step leave nothing for a sweep to find; in two steps, only what was not
   * acknowledged yet.
   */
  readonly orphans?: "never" | "unacknowledged";
  /** The responder; by default one that says which messages it heard. */
  readonly respond?: Responder;
}

const heard: Responder = (turn) => `turn ${turn.id}: ${turn.messages.map(({ text }) => text).join(" ")}`;

/** One run of the real runtime on a real engine, with the faults of the plan. */
export async function simulate(given: number | Plan, options: SimulateOptions): Promise<Simulation> {
  const plan = typeof given === "number" ? (options.plan ?? planFrom)(given) : given;
  const opened: Engine[] = [];
  const engine = (run: EngineRun) => collecting(options.engine(run), opened);
  const world = new SimulationRun(plan, engine, options.respond ?? heard);
  const lastAtMs = Math.max(
    ...plan.messages.flatMap(({ atMs, againAtMs }) => [atMs, ...againAtMs]),
    ...plan.strayWakeUpsAtMs,
    0,
  );
  const startAtMs = world.scheduler.nowMs;
  let isSettled = false;
  const look = async () => {
    isSettled =
      world.allDelivered &&
      world.scheduler.nowMs >= startAtMs + lastAtMs &&
      // What a frozen process does when it wakes is part of the run.
      world.scheduler.nowMs >= world.frozenUntilMs + TELL_MS &&
      (await isAtRest(await world.observer().engine()));
    if (!isSettled) world.scheduler.at(world.scheduler.nowMs + LOOK_MS, undefined, () => void look());
  };
  world.begin();
  world.scheduler.at(startAtMs + FAULTS_MS, undefined, () => world.endFaults());
  world.scheduler.at(startAtMs + LOOK_MS, undefined, () => void look());
  await world.scheduler.run(() => isSettled, startAtMs + FAULTS_MS + SETTLE_MS);
  const stored: Stored = await lookUp(world.observer());
  const { history, hits, scheduler } = world;
  const { ledger } = world.provider;
  const orphans = options.orphans ?? "never";
  const found = violations({
    ...{ plan, history, ledger, stored, orphans },
    ...{ settled: isSettled, endedAtMs: scheduler.nowMs },
  });
  // Dead workers never closed theirs.
  await Promise.all(opened.map((engine) => engine.close()));
  return { plan, violations: found, history, hits, steps: scheduler.steps };
}

function collecting(provider: EngineProvider, opened: Engine[]): EngineProvider {
  return {
    ...provider,
    async open(context) {
      const engine = await provider.open(context);
      opened.push(engine);
      return engine;
    },
  };
}

async function isAtRest({ inspector }: Engine): Promise<boolean> {
  const { staged, windows, leases } = await inspector.counts();
  return staged + windows + leases === 0;
}
