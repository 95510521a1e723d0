import { backlogTable } from "./backlog/backlog-table.ts";
import type { AllResults } from "./latest-results.ts";
import type { Results } from "./results.ts";
import { scaleTable } from "./scale/scale-table.ts";
import { WHOLE } from "./scenarios.ts";
import { barsTable, faultsTable, figuresTable, generatorLine, isBusy, restartTable } from "./tables.ts";
import { workersTables } from "./workers/workers-table.ts";

const NOT_YET = "Not measured yet.";
const PLACE = /<!-- bench (\w+) -->\n[\s\S]*?<!-- end -->/g;

const WRITE: Readonly<Record<string, (results: AllResults) => string>> = {
  machine: machineLine,
  figures: figuresTable,
  bars: barsTable,
  restart: restartTable,
  faults: faultsTable,
  generator: generatorLine,
  backlog: ({ backlog }) => (backlog === undefined ? NOT_YET : backlogTable(backlog)),
  workers: ({ workers }) => (workers === undefined ? NOT_YET : workersTables(workers)),
  scale: ({ scale }) => (scale === undefined ? NOT_YET : scaleTable(scale)),
};

/** The page with every place of the bench written anew: `<!-- bench figures -->`, a table, `<!-- end -->`. */
export function withResults(page: string, results: AllResults): string {
  return page.replaceAll(PLACE, (_, name: string) => {
    const write = WRITE[name];
    if (write === undefined) throw new Error(`the bench writes no ${name}`);
    return `<!-- bench ${name} -->\n${write(results)}\n\n<!-- end -->`;
  });
}

/** Everything that is printed at the end of a run. */
export function printed(results: Results): string {
  return Object.values(WRITE)
    .map((write) => write(results))
    .filter((text) => text !== NOT_YET)
    .join("\n\n");
}

/** Neither host nor path: only what the figures depend on. */
function machineLine({ day, machine, versions, durability, size, skipped }: Results): string {
  const { cores, memoryGb, system, node, loadBefore } = machine;
  const times = size.repetitions === 1 ? "once" : `${size.repetitions} times, interleaved`;
  const lines = [
    `Measured on ${day}, every run ${times}: ${cores} cores and ${memoryGb} GB that load generator, fake ` +
      `providers and server share, ${system}, Node ${node}, Lull ${versions.lull}, ` +
      `BullMQ ${versions.bullmq}, Redis ${versions.redis}.`,
    ...(isBusy(loadBefore)
      ? [`**The machine was busy with other work (load ${loadBefore}): figures are lower than its own.**`]
      : []),
    ...(size.repetitions < WHOLE.repetitions || size.due < WHOLE.due
      ? ["**A small run: it shows that all of it works, and not how fast anything is.**"]
      : []),
    ...(durability.length > 0 ? [`Durability: ${durability.join("; ")}.`] : []),
    ...skipped.map((what) => `Left out: ${what}.`),
  ];
  return lines.join("\n");
}
