import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What a mutant of a folder has to get past, stage by stage: what is quick and likely to stop it comes first. */
export interface Suite {
  readonly folder: string;
  /** Tests by the beginning of their path; `*` is the name of the mutated file. */
  readonly stages: readonly (readonly string[])[];
  /** Last of all, what is slow (half a minute, on emulators) and only some files are for. */
  readonly last?: Readonly<Record<string, readonly string[]>>;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MEMORY = ["src/engines/memory/memory.test.ts", "src/engines/memory/works.test.ts"];
const SQLITE = ["test/mutation/sqlite-contract.ts"];
const SCHEDULES = ["test/mutation/memory-schedules.ts"];
/** Hours of outages, in seconds: most mutants never get that far. */
const OUTAGES = ["src/runtime/outages.test.ts"];
const RUNTIME = globSync("src/runtime/*.test.ts", { cwd: ROOT }).filter((file) => !OUTAGES.includes(file));

export const SUITES: readonly Suite[] = [
  {
    folder: "src/core",
    stages: [["src/core/*.test.ts"], ["src/core/"], MEMORY, SCHEDULES],
    last: { "give-back": OUTAGES, outage: OUTAGES, retry: OUTAGES, take: RUNTIME },
  },
  {
    folder: "src/runtime",
    stages: [["src/runtime/*.test.ts"], RUNTIME, MEMORY, SCHEDULES],
    last: { deliver: OUTAGES, "turn-end": OUTAGES, "provider-calls": OUTAGES },
  },
  {
    folder: "src/engines/embedded",
    stages: [MEMORY, SQLITE, SCHEDULES],
    last: {
      conversing: RUNTIME,
      inspecting: ["test/sqlite/listing-sizes.test.ts", "src/engines/sqlite/foreign-rows.test.ts"],
      remedying: ["src/engines/sqlite/foreign-rows.test.ts"],
      step: RUNTIME,
      steps: ["src/engines/sqlite/"],
      sweeping: ["test/sqlite/expiry.test.ts", "src/engines/sqlite/foreign-rows.test.ts", ...RUNTIME],
      taking: RUNTIME,
    },
  },
  { folder: "src/engines/memory", stages: [MEMORY, SCHEDULES] },
  {
    folder: "src/engines/sqlite",
    stages: [
      SQLITE,
      ["src/engines/sqlite/foreign-rows.test.ts", "src/engines/sqlite/store.test.ts"],
      ["src/engines/sqlite/durability.test.ts", "src/engines/sqlite/lost-file.test.ts"],
    ],
    last: {
      backup: ["test/sqlite/backup.test.ts"],
      expiry: ["test/sqlite/expiry.test.ts"],
      listings: ["test/sqlite/listing-sizes.test.ts"],
      restored: ["test/sqlite/backup.test.ts"],
      "shrink-log": ["test/sqlite/backup.test.ts"],
    },
  },
  {
    folder: "src/engines/aws",
    stages: [
      ["src/engines/aws/"],
      ["test/aws/simulated/contract.test.ts"],
      ["test/mutation/aws-schedules.ts"],
    ],
    last: {
      adopt: ["test/aws/import.test.ts"],
      aside: ["test/aws/foreign-rows.test.ts", "test/aws/impossible.test.ts"],
      bury: ["test/aws/impossible.test.ts"],
      checks: ["test/aws/checks.test.ts"],
      claim: ["test/aws/simulated/two-conversations.test.ts"],
      commit: ["test/aws/impossible.test.ts"],
      "conversation-item": ["test/aws/other-system.test.ts", "test/aws/foreign-rows.test.ts"],
      "dynamo-store": ["test/aws/contract.test.ts"],
      draft: ["test/aws/simulated/handing-off.test.ts"],
      expression: ["test/aws/contract.test.ts"],
      "item-size": ["test/aws/impossible.test.ts"],
      lease: ["test/aws/simulated/failed-looks.test.ts", "test/aws/simulated/longest-lease.test.ts"],
      locks: ["test/aws/sweeps.test.ts"],
      "message-item": ["test/aws/foreign-rows.test.ts"],
      "put-back": ["test/aws/simulated/failed-looks.test.ts"],
      quarantine: ["test/aws/foreign-rows.test.ts"],
      quarantined: ["test/aws/foreign-rows.test.ts"],
      retry: ["test/aws/triggers.test.ts"],
      "stage-item": ["test/aws/foreign-rows.test.ts"],
      "state-item": ["test/aws/foreign-rows.test.ts"],
      sweep: ["test/aws/sweeps.test.ts"],
      "table-problems": ["test/aws/checks.test.ts"],
      tables: ["test/aws/checks.test.ts"],
      triggers: ["test/aws/triggers.test.ts", "test/aws/queue.test.ts"],
    },
  },
];
