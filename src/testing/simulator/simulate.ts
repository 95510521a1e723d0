import type { Engine, EngineProvider } from "../../ports/engine.ts";
import type { Responder } from "../../ports/responder.ts";
import { lookUp, type Stored, type Violation, violations } from "./checks.ts";
import type { History } from "./history.ts";
import { type Plan, type PlannedFault, planFrom } from "./plan.ts";
import { World } from "./world.ts";

/** After this the world behaves. */
const FAULTS_MS = 25_000;
/** Within this it has to have come right: leases, sends to settle, five attempts with their waits, and some. */
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
  /** A new, empty engine. */
  readonly engine: () => EngineProvider;
  /** Whose answers are given; by default one that says which messages it heard. */
  readonly respond?: Responder;
}

const heard: Responder = (turn) => `turn ${turn.id}: ${turn.messages.map(({ text }) => text).join(" ")}`;

/** One run of the real runtime on a real engine through what the plan has for it. */
export async function simulate(given: number | Plan, options: SimulateOptions): Promise<Simulation> {
  const plan = typeof given === "number" ? planFrom(given) : given;
  const opened: Engine[] = [];
  const provider = collecting(options.engine(), opened);
  const world = new World(plan, provider, options.respond ?? heard);
  const observer = world.observer();
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
      (await isAtRest(await observer.engine()));
    if (!isSettled) world.scheduler.at(world.scheduler.nowMs + LOOK_MS, undefined, () => void look());
  };
  world.begin();
  world.scheduler.at(startAtMs + FAULTS_MS, undefined, () => world.endFaults());
  world.scheduler.at(startAtMs + LOOK_MS, undefined, () => void look());
  await world.scheduler.run(() => isSettled, startAtMs + FAULTS_MS + SETTLE_MS);
  const stored: Stored = await lookUp(observer);
  const { history, hits, scheduler } = world;
  const found = violations({ plan, history, ledger: world.provider.ledger, stored, settled: isSettled });
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
