import { loadTold, tableOf, told } from "../tables.ts";
import {
  isBarMet,
  ratiosOf,
  spreadOfWorkers,
  WORKERS_BARS,
  type WorkersFigure,
  type WorkersResults,
} from "./workers-results.ts";

const COLUMNS: readonly (readonly [title: string, figure: WorkersFigure])[] = [
  ["acks/s", "acksPerSecond"],
  ["ack p99, ms", "ackP99Ms"],
  ["CPU s per 1,000 msgs", "cpuSecondsPer1000"],
  ["cores used, of the server", "serverCores"],
  ["of the generator", "generatorCores"],
  ["messages a commit", "messagesPerCommit"],
  ["a transaction is open, of the time", "lockHeldShare"],
  ["a writer waits for the lock, of its time", "lockWaitedShare"],
];

/** By the number of workers; then what they are held to. */
export function workersTables({ day, machine, runs }: WorkersResults): string {
  const counts = [...new Set(runs.map(({ workers }) => workers))];
  const times = runs.length / Math.max(1, counts.length);
  const rows = counts.map((count) => [
    String(count),
    ...COLUMNS.map(([, figure]) => told(spreadOfWorkers(runs, count, figure))),
  ]);
  const bars = WORKERS_BARS.map((bar) => {
    const ratio = ratiosOf(runs, bar);
    const bound = bar.atLeast === undefined ? `≤ ${bar.atMost} ×` : `≥ ${bar.atLeast} ×`;
    return [bar.about, bound, told(ratio), isBarMet(ratio, bar) ? "met" : "**missed**"];
  });
  return [
    `Measured on ${day}, ${times} times, on ${machine.cores} cores that the generator shares ` +
      `(${loadTold(machine.loadBefore)}).`,
    tableOf(["workers", ...COLUMNS.map(([title]) => title)], rows),
    tableOf(["against one worker", "bar", "measured", ""], bars),
  ].join("\n\n");
}
