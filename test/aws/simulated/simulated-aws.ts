import { contextFor } from "../../../src/engines/aws/context.ts";
import { engineOn } from "../../../src/engines/aws/engine.ts";
import type { EngineProvider } from "../../../src/ports/engine.ts";
import { planFrom, planWithRequests, type RequestName } from "../../../src/testing/simulator/plan.ts";
import { seeded } from "../../../src/testing/simulator/random.ts";
import type { SimulateOptions } from "../../../src/testing/simulator/simulate.ts";
import type { EngineRun } from "../../../src/testing/simulator/simulation-run.ts";
import { MemoryQueue, MemoryTriggers } from "./memory-queue.ts";
import { MemoryStore } from "./memory-store.ts";
import { MemoryTables } from "./memory-tables.ts";
import type { OtherSystem } from "./other-system.ts";
import { Scribbler } from "./scribbler.ts";

const REPEATED = 0.01;
const SLOW = 0.05;
const INDEX_LAG_MAX = 20;
const SCRIBBLER_SEED = 1_000_003;

/**
 * How the simulator runs on this engine: faults between any two requests, and what that may leave to the
 * sweeper.
 */
export const AWS_SIMULATION: Pick<SimulateOptions, "engine" | "plan" | "orphans"> = {
  engine: simulatedAws,
  plan: planWithRequests,
  orphans: "unacknowledged",
};

/**
 * The same customers and workers on a day without a fault: only requests are repeated, and triggers come
 * twice.
 */
export const AWS_CALM: typeof AWS_SIMULATION = {
  engine: simulatedAws,
  plan(seed) {
    const { poison: _none, ...plan } = planFrom(seed);
    return { ...plan, faults: [] };
  },
  orphans: "never",
};

/**
 * Every message comes again, and one of the first receivers is frozen between claiming a place for its
 * message and staging it: when it wakes up and stages it, the redelivered message may have been answered.
 */
export const AWS_BELATED: typeof AWS_SIMULATION = {
  ...AWS_SIMULATION,
  plan(seed) {
    const random = seeded(seed);
    const plan = planFrom(seed);
    const messages = plan.messages.map((message) => ({
      ...message,
      againAtMs: [message.atMs + random.between(500, 2_000)],
    }));
    // The first is for the place of the conversation.
    const freeze = { step: "request.update", kind: "freeze-after", nth: random.between(2, 3) } as const;
    return { ...plan, messages, outages: [], faults: [freeze] };
  },
};

/**
 * The same, and a process dies right behind a write: what a belated receiver leaves then is not delivered
 * again.
 */
export const AWS_REPEATING: typeof AWS_SIMULATION = {
  ...AWS_BELATED,
  plan(seed) {
    const plan = AWS_BELATED.plan!(seed);
    const nth = seeded(seed).between(2 * plan.messages.length, 5 * plan.messages.length);
    return { ...plan, faults: [...plan.faults, { step: "request.put", kind: "crash-after", nth }] };
  },
};

/**
 * An answer fails, and a process dies right behind one of the first writes: releasing a turn takes two of
 * them, and the second is a transaction where the row's status is taken back with it.
 */
export const AWS_FAILING: typeof AWS_SIMULATION = {
  ...AWS_SIMULATION,
  plan(seed) {
    const random = seeded(seed);
    const dies = random.chance(0.5)
      ? ({ step: "request.update", kind: "crash-after", nth: random.between(2, 14) } as const)
      : ({ step: "request.transact", kind: "crash-after", nth: random.between(1, 3) } as const);
    return { ...planFrom(seed), outages: [], faults: [{ step: "respond", kind: "fails", nth: 1 }, dies] };
  },
};

/**
 * A message kills every worker that answers it, and the workers that dead-letter it are frozen while they do.
 */
export const AWS_POISONED: typeof AWS_SIMULATION = {
  ...AWS_SIMULATION,
  plan(seed) {
    const random = seeded(seed);
    const freeze = { step: "request.transact", kind: "freeze-before", nth: random.between(1, 3) } as const;
    const plan = planFrom(seed);
    return { ...plan, poison: random.pick(plan.messages).id, faults: [freeze] };
  },
};

/**
 * The steps of the AWS engine on tables and a queue in this process's memory, in virtual time: every request
 * takes its own time, so workers interleave request by request, and one that dies is dead in the middle of a
 * step. What the emulators over HTTP prove of the requests themselves, this proves of their order.
 */
export function simulatedAws(run: EngineRun): EngineProvider {
  return awsOn(run);
}

/** The same beside another system that takes conversations by their status, and adds to their messages. */
export function simulatedBeside(run: EngineRun, other: OtherSystem): EngineProvider {
  return awsOn(run, other);
}

function awsOn({ seed, nowMs, request }: EngineRun, other?: OtherSystem): EngineProvider {
  const random = seeded(seed);
  const tables = new MemoryTables();
  // Drawn separately, so that everything else happens in the same order with and without it.
  const scribbler = new Scribbler(seeded(seed + SCRIBBLER_SEED));
  const queue = new MemoryQueue(random);
  let count = 0;
  return {
    name: "aws, simulated",
    async open(context) {
      const { clock, holder } = context;
      // A process that only observes takes no time: it may look when time stands still.
      const isCalm = holder === "observer";
      const way = {
        delay: async () => {
          if (!isCalm) await clock.sleep(random.chance(SLOW) ? random.below(100) : random.below(4));
        },
        meets: <T>(name: RequestName, happen: () => Promise<T>) => request(holder, name, happen),
      };
      const store = new MemoryStore(tables, {
        ...way,
        indexLag: () => random.below(INDEX_LAG_MAX),
        scribble: (all) => {
          if (!isCalm) (other ?? scribbler).scribble(all);
        },
        sees: isCalm ? "all" : "what has arrived",
        repeats: () => !isCalm && random.chance(REPEATED),
      });
      const triggers = new MemoryTriggers(queue, clock, nowMs, way);
      const newId = () => {
        count += 1;
        return `id-${count}`;
      };
      const own = other ? { ...context, settings: { ...context.settings, ...other.settings } } : context;
      return engineOn(contextFor(own, { store, triggers, forget: "sweep", newId }), async () => {});
    },
  };
}
