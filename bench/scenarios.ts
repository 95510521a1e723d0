import type { LoadPlan } from "./load-plan.ts";
import type { ServerName } from "./servers.ts";

export const SCENARIOS = ["acks", "half", "steady", "due", "compete", "restart"] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

export interface Scenario {
  readonly name: ScenarioName;
  readonly servers: readonly ServerName[];
  readonly windowMs: number;
  readonly plan: LoadPlan;
  /** What comes before is not counted: compilers warm up, and turns only begin when a window is over. */
  readonly countedFromMs: number;
  /** When all processes of the server are killed, and started again. */
  readonly killAtMs?: number;
}

const CONNECTIONS = 64;
const DURABLE = ["lull", "bullmq"] as const;
const ALL = ["memory", ...DURABLE] as const;

/** A size is the share of the whole bench that is done. */
export interface Size {
  readonly repetitions: number;
  readonly staged: number;
  readonly due: number;
  readonly seconds: number;
}

export const WHOLE: Size = { repetitions: 3, staged: 100_000, due: 20_000, seconds: 10 };
export const QUICK: Size = { repetitions: 1, staged: 30_000, due: 4_000, seconds: 3 };

/** `halfPerSecond` is known only once the server's own limit was measured. */
export function scenarioOf(name: ScenarioName, size: Size, halfPerSecond = 0): Scenario {
  return { name, ...MAKE[name](size, halfPerSecond) };
}

const MAKE: Readonly<Record<ScenarioName, (size: Size, half: number) => Omit<Scenario, "name">>> = {
  acks: ({ staged }) => ({
    servers: ["floor", ...ALL],
    windowMs: staged / 5,
    plan: {
      // A slower server stages less: no turn may run while it is timed.
      ...{ messages: staged, forMs: staged / 5 - 1_000 },
      ...{ connections: CONNECTIONS, conversations: 2_048, burst: 1 },
    },
    countedFromMs: 500,
  }),
  half: ({ seconds }, perSecond) => ({
    servers: ["floor", ...ALL],
    windowMs: seconds * 600,
    plan: {
      ...{ messages: Math.ceil(perSecond * seconds * 0.4), perSecond },
      ...{ connections: CONNECTIONS, conversations: 2_048, burst: 1 },
    },
    countedFromMs: 500,
  }),
  steady: ({ seconds }) => ({
    servers: ALL,
    windowMs: 1_000,
    plan: {
      ...{ messages: 500 * (seconds + 3), perSecond: 500 },
      ...{ connections: CONNECTIONS, conversations: 2_048, burst: 1 },
    },
    countedFromMs: 3_000,
  }),
  due: ({ due }) => ({
    servers: ALL,
    windowMs: due / 2 + 2_000,
    plan: {
      ...{ messages: due, perSecond: 2_000, burst: 1 },
      ...{ connections: CONNECTIONS, conversations: Math.ceil(due / CONNECTIONS) * CONNECTIONS },
    },
    countedFromMs: 0,
  }),
  compete: ({ seconds }) => ({
    servers: ALL,
    windowMs: seconds * 200,
    plan: {
      ...{ messages: 20_000 * seconds, forMs: seconds * 600 },
      ...{ connections: CONNECTIONS, conversations: 16_384, burst: 4 },
    },
    countedFromMs: seconds * 200,
  }),
  restart: ({ seconds }) => ({
    servers: ALL,
    windowMs: 1_000,
    plan: {
      ...{ messages: 500 * (seconds + 1), perSecond: 500 },
      ...{ connections: CONNECTIONS, conversations: 2_048, burst: 3 },
    },
    countedFromMs: 0,
    killAtMs: (seconds + 1) * 500,
  }),
};
