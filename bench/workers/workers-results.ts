import { type Spread, spreadOf } from "../quantiles.ts";
import type { Results } from "../results.ts";

/** What one run came to. */
export interface WorkersRun {
  readonly workers: number;
  readonly acksPerSecond: number;
  readonly ackP99Ms: number;
  readonly cpuSecondsPer1000: number;
  readonly serverCores: number;
  readonly generatorCores: number;
  readonly messagesPerCommit: number;
  readonly lockHeldShare: number;
  readonly lockWaitedShare: number;
}

/** What `npm run bench -- workers` came to. */
export interface WorkersResults {
  readonly day: string;
  readonly machine: Results["machine"];
  readonly runs: readonly WorkersRun[];
}

export type WorkersFigure = Exclude<keyof WorkersRun, "workers">;

export function spreadOfWorkers(runs: readonly WorkersRun[], workers: number, figure: WorkersFigure): Spread {
  return spreadOf(runs.filter((run) => run.workers === workers).map((run) => run[figure]));
}

export interface WorkersBar {
  readonly about: string;
  readonly figure: WorkersFigure;
  /** So many workers against one. */
  readonly workers: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export const WORKERS_BARS: readonly WorkersBar[] = [
  { about: "acks/s of two workers, where cores are free", figure: "acksPerSecond", workers: 2, atLeast: 1.5 },
  { about: "acks/s of two workers, anywhere", figure: "acksPerSecond", workers: 2, atLeast: 1 },
  { about: "acks/s of four workers, anywhere", figure: "acksPerSecond", workers: 4, atLeast: 1 },
  { about: "ack p99 of four workers", figure: "ackP99Ms", workers: 4, atMost: 3 },
];

/** By repetition: its runs followed each other. */
export function ratiosOf(runs: readonly WorkersRun[], { figure, workers }: WorkersBar): Spread {
  const of = (count: number) => runs.filter((run) => run.workers === count).map((run) => run[figure]);
  const one = of(1);
  return spreadOf(of(workers).map((value, at) => value / (one[at] ?? Number.NaN)));
}

export function isBarMet({ median }: Spread, { atLeast = 0, atMost = Infinity }: WorkersBar): boolean {
  return median >= atLeast && median <= atMost;
}
