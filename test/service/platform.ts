import { it } from "vitest";
import { eventually, type LogEvent } from "../lull-process.ts";
import type { Counts, Environment, Environments, Outside } from "./outside.ts";

/** The process that works on a conversation. */
export interface Holder {
  kill(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void;
}

/** A running service and all parties around it. */
export interface RunningService extends Omit<Outside, "leave" | "env"> {
  readonly events: readonly LogEvent[];
  /** How often its API may be asked without slowing its work. */
  readonly paceMs: number;
  /** Whether it serves `/metrics`; functions count in CloudWatch. */
  readonly hasMetrics: boolean;
  /** The worker that took the first lease. */
  holder(): Promise<Holder>;
  /** kill -9 of everything that runs our code; then it runs again. What was durable is there. */
  crash(): Promise<void>;
  /** The most memory that any process of ours has had, in MB; 0 where the machine does not tell. */
  peakMegabytes(): Promise<number>;
  end(): Promise<void>;
}

/** What carries the service. */
export interface Platform {
  readonly start: (environment: Environments, workers: number) => Promise<RunningService>;
  /** Messages that one turn takes. */
  readonly batchMessagesMax: number;
  /** What makes it heal within seconds from the death of a conversation's holder. */
  readonly healsSoon: Environment;
  /** The same for a holder that is not dead, but stands still. */
  readonly outlastsSoon: Environment;
  /** Whether its log tells of leases whose holder is known to be dead; elsewhere they lapse. */
  readonly tellsStale: boolean;
  /** Conversations that it can handle in a test, and a window longer than it takes to open them all. */
  readonly crowd: number;
  readonly crowdSeconds: string;
}

/** One story, told on every platform. */
export interface Case {
  readonly title: string;
  readonly environment?: Environments;
  readonly workers?: number;
  run(at: RunningService): Promise<void>;
}

export function tell(platform: Platform, cases: readonly Case[]): void {
  for (const { title, environment = {}, workers = 1, run } of cases) {
    it(title, async () => {
      const at = await platform.start(environment, workers);
      try {
        await run(at);
      } finally {
        await at.end();
      }
    });
  }
}

export function committed(at: RunningService, turns: number): Promise<true> {
  const { paceMs } = at;
  const look = async () => ((await at.counts()).turns === turns ? (true as const) : undefined);
  return eventually(`${turns} commits`, look, { paceMs });
}

/** Nothing is on its way any more: nothing staged, no wake-up, no worker busy. */
export function atRest(at: RunningService): Promise<Counts> {
  const { paceMs } = at;
  const look = async () => {
    const counts = await at.counts();
    const { staged, windows, leases } = counts;
    return staged === 0 && windows === 0 && leases === 0 ? counts : undefined;
  };
  return eventually("rest", look, { paceMs });
}
