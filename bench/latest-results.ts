import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../test/staged-package.ts";
import type { Results } from "./results.ts";

export const RESULTS_FILE = join(ROOT, "bench/results.json");

/** Those that were written last. */
export function latestResults(): Results {
  return JSON.parse(readFileSync(RESULTS_FILE, "utf8")) as Results;
}
