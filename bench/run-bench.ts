import { faultsIn } from "./check-run.ts";
import { type Measured, measure } from "./measure.ts";
import { type ScenarioName, type Size, scenarioOf } from "./scenarios.ts";
import type { ServerName } from "./servers.ts";

export interface Chosen {
  readonly servers: readonly ServerName[];
  readonly scenarios: readonly ScenarioName[];
  readonly size: Size;
  readonly onProgress: (line: string) => void;
}

export interface Ran {
  readonly runs: readonly Measured[];
  /** Runs that came to nothing: the others are worth keeping. */
  readonly failed: readonly string[];
}

/**
 * Every server in every scenario, and all of that again: what else the machine does meets each of them alike.
 * Each repetition begins with another server.
 */
export async function runBench({ servers, scenarios, size, onProgress }: Chosen): Promise<Ran> {
  const runs: Measured[] = [];
  const failed: string[] = [];
  for (let repetition = 0; repetition < size.repetitions; repetition += 1) {
    const order = rotated(servers, repetition);
    for (const name of scenarios) {
      for (const server of order) {
        const scenario = scenarioOf(name, size, halfOf(runs, server));
        if (!scenario.servers.includes(server)) continue;
        const measured = await measure(server, scenario).catch((error: Error) => error);
        const which = `${repetition + 1}/${size.repetitions}`;
        if (measured instanceof Error) {
          failed.push(`${name} of ${server}, ${which}, which failed`);
          onProgress(`${which} ${name} ${server} failed: ${measured.message}`);
        } else {
          runs.push(rounded(measured));
          onProgress(`${which} ${lineOf(rounded(measured))}`);
        }
      }
    }
  }
  return { runs, failed };
}

export function rotated<T>(list: readonly T[], by: number): T[] {
  const at = by % Math.max(1, list.length);
  return [...list.slice(at), ...list.slice(0, at)];
}

/** Half of what this server took in the latest run of its own. */
function halfOf(runs: readonly Measured[], server: ServerName): number {
  const latest = runs.findLast((run) => run.server === server && run.scenario === "acks");
  return Math.round((latest?.figures.acksPerSecond ?? 2_000) / 2);
}

/** Digits beyond these are noise, and results are kept under version control. */
function rounded(measured: Measured): Measured {
  const entries = Object.entries(measured.figures).map(([name, value]) => [
    name,
    Number(value.toPrecision(4)),
  ]);
  return { ...measured, figures: Object.fromEntries(entries) as Measured["figures"] };
}

function lineOf({ scenario, server, figures, faults, late }: Measured): string {
  const { acksPerSecond, ackP99Ms, latenessP99Ms, finishedPerSecond, memoryMb, cpuSecondsPer1000 } = figures;
  return [
    `${scenario} ${server}: ${acksPerSecond} acks/s, p99 ${ackP99Ms} ms, lateness p99 ${latenessP99Ms} ms`,
    `${finishedPerSecond} finished/s, ${cpuSecondsPer1000} CPU s per 1,000, ${memoryMb} MB`,
    `${late} turns over a second late, ${figures.failedTries} tries failed`,
    `faults: ${faultsIn(faults).join(", ") || "none"}`,
  ].join("; ");
}
