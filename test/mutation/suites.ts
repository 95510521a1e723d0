import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What a mutant of a folder has to get past, stage by stage: what is quick and likely to stop it comes first. */
export interface Suite {
  readonly folder: string;
  /** Tests by the beginning of their path; `*` is the name of the mutated file. */
  readonly stages: readonly (readonly string[])[];
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MEMORY = ["src/engines/memory/memory.test.ts", "src/engines/memory/works.test.ts"];
const SCHEDULES = ["test/mutation/memory-schedules.ts"];
/** Hours of outages, in seconds: most mutants never get that far. */
const OUTAGES = ["src/runtime/outages.test.ts"];
const RUNTIME = globSync("src/runtime/*.test.ts", { cwd: ROOT }).filter((file) => !OUTAGES.includes(file));

export const SUITES: readonly Suite[] = [
  {
    folder: "src/core",
    stages: [["src/core/*.test.ts"], ["src/core/"], MEMORY, RUNTIME, SCHEDULES, OUTAGES],
  },
  { folder: "src/runtime", stages: [["src/runtime/*.test.ts"], RUNTIME, MEMORY, SCHEDULES, OUTAGES] },
  {
    folder: "src/engines/embedded",
    stages: [MEMORY, ["src/engines/sqlite/sqlite.test.ts"], SCHEDULES, RUNTIME],
  },
  { folder: "src/engines/memory", stages: [MEMORY, SCHEDULES, RUNTIME] },
  {
    folder: "src/engines/sqlite",
    stages: [
      ["src/engines/sqlite/sqlite.test.ts"],
      ["src/engines/sqlite/"],
      ["test/sqlite/expiry.test.ts", "test/sqlite/listing-sizes.test.ts", "test/sqlite/backup.test.ts"],
    ],
  },
  {
    folder: "src/engines/aws",
    stages: [
      ["src/engines/aws/"],
      ["test/aws/simulated/contract.test.ts"],
      ["test/mutation/aws-schedules.ts"],
    ],
  },
];
