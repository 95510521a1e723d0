import type { LockSample } from "./lock-probe.ts";

/** How the lock was used while the load ran. */
export interface LockUse {
  readonly commitsPerSecond: number;
  /**
   * From the lock to the end of the commit, of all workers together. More than all of the time where one of
   * them folds the log into the file at the end of its commit, which lets the next writer go on.
   */
  readonly heldShare: number;
  /** Of a worker's time. */
  readonly waitedShare: number;
}

/** Between the two: before it nothing comes, and later the turns run. */
export function lockUseIn(lines: string, startedAtMs: number, endedAtMs: number): LockUse {
  const samples = lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as LockSample]));
  const counted = samples.filter(({ atMs }) => atMs >= startedAtMs && atMs <= endedAtMs);
  const threads = [...Map.groupBy(counted, ({ thread }) => thread).values()].map(rateOf);
  const sum = (of: (rate: Rate) => number) => threads.reduce((total, rate) => total + of(rate), 0);
  return {
    commitsPerSecond: sum(({ commits }) => commits) * 1_000,
    heldShare: sum(({ held }) => held),
    waitedShare: sum(({ waited }) => waited) / Math.max(1, threads.length),
  };
}

/** By the millisecond. */
interface Rate {
  readonly commits: number;
  readonly held: number;
  readonly waited: number;
}

function rateOf(samples: readonly LockSample[]): Rate {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const overMs = last.atMs - first.atMs;
  const per = (amount: number) => (overMs === 0 ? 0 : amount / overMs);
  return {
    commits: per(last.commits - first.commits),
    held: per(last.heldMs - first.heldMs),
    waited: per(last.waitedMs - first.waitedMs),
  };
}
