import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../test/staged-package.ts";
import type { BacklogResults } from "./backlog/backlog-results.ts";
import type { Results } from "./results.ts";
import type { ScaleResults } from "./scale/scale-results.ts";
import type { WorkersResults } from "./workers/workers-results.ts";

export const RESULTS_FILE = join(ROOT, "bench/results.json");
export const SCALE_FILE = join(ROOT, "bench/scale/results.json");
export const WORKERS_FILE = join(ROOT, "bench/workers/results.json");
export const BACKLOG_FILE = join(ROOT, "bench/backlog/results.json");

/** All that the page tells: what is measured by a command of its own is kept in a file of its own. */
export interface AllResults extends Results {
  readonly scale?: ScaleResults | undefined;
  readonly workers?: WorkersResults | undefined;
  readonly backlog?: BacklogResults | undefined;
}

/** Those that were written last. */
export function latestResults(): AllResults {
  return {
    ...read<Results>(RESULTS_FILE)!,
    scale: read<ScaleResults>(SCALE_FILE),
    workers: read<WorkersResults>(WORKERS_FILE),
    backlog: read<BacklogResults>(BACKLOG_FILE),
  };
}

function read<T>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as T) : undefined;
}
