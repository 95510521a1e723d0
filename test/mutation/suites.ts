import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * What a mutant of a folder has to get past, stage by stage: what is quick and likely to stop it comes first.
 */
export interface Suite {
  readonly folder: string;
  /** Tests by the beginning of their path; `*` is the name of the mutated file. */
  readonly stages: readonly (readonly string[])[];
  /** Last of all, what is slow (half a minute, on emulators) and only some files are for. */
  readonly last?: Readonly<Record<string, readonly string[]>>;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MEMORY = ["src/engines/memory/memory.test.ts", "src/engines/memory/tables.test.ts"];
const SQLITE = ["test/mutation/sqlite-contract.ts"];
/** Rows that another program wrote. */
const FOREIGN = ["foreign-rows", "foreign-states", "quarantine"].map(
  (name) => `src/engines/sqlite/${name}.test.ts`,
);
/** More waits than one turn takes. */
const PILES = ["src/engines/sqlite/drain-cost.test.ts", "src/engines/sqlite/tables/staged.test.ts"];
const SCHEDULES = ["test/mutation/memory-schedules.ts"];
/** Hours of outages, in seconds: most mutants never get that far. */
const OUTAGES = ["src/runtime/outages.test.ts"];
const RUNTIME = globSync("src/runtime/*.test.ts", { cwd: ROOT }).filter((file) => !OUTAGES.includes(file));

const SWEEPING = [
  "src/engines/sqlite/expiry.test.ts",
  "src/engines/sqlite/clock-note.test.ts",
  ...FOREIGN,
  ...RUNTIME,
];

const SIMULATED_AWS = ["test/aws/simulated/contract.test.ts"];
/** On emulators, over HTTP: a file, or all of a folder. */
const aws = (...names: readonly string[]) =>
  names.map((name) => (name.endsWith("/") ? `test/aws/${name}` : `test/aws/${name}.test.ts`));

export const SUITES: readonly Suite[] = [
  {
    folder: "src/core",
    stages: [["src/core/*.test.ts"], ["src/core/"], MEMORY, SCHEDULES],
    last: { release: OUTAGES, retry: OUTAGES, take: RUNTIME, "take-batch": RUNTIME },
  },
  {
    folder: "src/schema",
    stages: [["src/schema/*.test.ts"], ["src/schema/", "src/config/", "src/runtime/config.test.ts"]],
  },
  { folder: "src/wire", stages: [["src/wire/*.test.ts"], ["src/wire/"], OUTAGES] },
  {
    folder: "src/runtime",
    stages: [["src/runtime/*.test.ts"], RUNTIME, MEMORY, SCHEDULES],
    last: { deliver: OUTAGES, "turn-end": OUTAGES, "provider-calls": OUTAGES },
  },
  {
    folder: "src/engines/embedded",
    stages: [MEMORY, SQLITE, SCHEDULES],
    last: {
      conversations: RUNTIME,
      inspect: ["test/sqlite/listing-sizes.test.ts", ...FOREIGN],
      repairs: FOREIGN,
      context: [...FOREIGN, ...RUNTIME],
      requests: ["src/engines/sqlite/"],
      clock: SWEEPING,
      locks: FOREIGN,
      quarantined: FOREIGN,
      "free-leases": SWEEPING,
      sweep: SWEEPING,
      take: [...PILES, ...FOREIGN, ...RUNTIME],
      look: PILES,
    },
  },
  { folder: "src/engines/memory", stages: [MEMORY, SCHEDULES] },
  {
    folder: "src/engines/sqlite",
    stages: [
      SQLITE,
      ["src/engines/sqlite/*.test.ts", "src/engines/sqlite/tables/*.test.ts"],
      [...FOREIGN, "src/engines/sqlite/store.test.ts"],
      ["src/engines/sqlite/durability.test.ts", "src/engines/sqlite/lost-file.test.ts"],
    ],
    last: {
      backup: ["test/sqlite/backup.test.ts"],
      expiry: ["src/engines/sqlite/expiry.test.ts"],
      rows: ["test/sqlite/listing-sizes.test.ts"],
      restored: ["test/sqlite/backup.test.ts"],
      "shrink-log": ["test/sqlite/backup.test.ts"],
      store: ["test/sqlite/backup.test.ts"],
      meta: ["src/engines/sqlite/clock-note.test.ts"],
    },
  },
  {
    folder: "src/engines/aws",
    stages: [["src/engines/aws/"], SIMULATED_AWS, ["test/mutation/aws-schedules.ts"]],
    last: {
      "import-conversation": aws("import"),
      "quarantined-rows": aws("foreign-rows/", "impossible/"),
      "dead-letter": aws("impossible/", "foreign-rows/"),
      checks: aws("checks"),
      claim: aws("simulated/two-conversations"),
      commit: aws("impossible/", "foreign-rows/"),
      "conversation-item": aws("other-system", "foreign-rows/"),
      "conversation-row": aws("other-system", "foreign-rows/", "impossible/", "cost"),
      conversations: aws("foreign-rows/", "impossible/"),
      "create-tables": aws("store", "checks", "triggers"),
      turn: aws("simulated/handing-off", "impossible/"),
      "take-due": aws("triggers"),
      "dynamo-store": aws("store", "burst", "contract"),
      engine: aws("checks"),
      erase: aws("foreign-rows/"),
      expression: aws("store", "contract"),
      failure: aws("store", "impossible/"),
      "find-conversation": aws("other-system", "foreign-rows/", "impossible/", "cost"),
      finished: aws("triggers"),
      "full-conversation": aws("impossible/", "cost"),
      history: aws("other-system", "foreign-rows/", "impossible/"),
      index: aws("checks"),
      inspect: aws("foreign-rows/"),
      "item-shapes": aws("foreign-rows/"),
      "item-size": aws("impossible/", "burst"),
      keys: aws("foreign-rows/", "impossible/"),
      lease: aws("simulated/failed-looks", "simulated/longest-lease", "foreign-rows/", "impossible/"),
      listing: aws("foreign-rows/"),
      locks: aws("sweeps", "foreign-rows/"),
      look: aws("foreign-rows/", "cost"),
      "left-behind": aws("cost"),
      "message-item": aws("foreign-rows/", "other-system", "impossible/"),
      "on-turn": aws("impossible/"),
      options: aws("checks"),
      "undo-take": aws("simulated/failed-looks"),
      quarantine: aws("foreign-rows/"),
      quarantined: aws("foreign-rows/"),
      refuse: aws("impossible/", "foreign-rows/"),
      repairs: aws("impossible/", "foreign-rows/"),
      retry: aws("store", "triggers"),
      "row-update": aws("impossible/", "other-system"),
      seen: aws("foreign-rows/"),
      context: aws("burst"),
      receive: aws("foreign-rows/", "impossible/", "cost"),
      "stage-item": aws("foreign-rows/", "impossible/"),
      staged: aws("simulated/newer-rows", "foreign-rows/"),
      state: aws("foreign-rows/", "cost"),
      "state-item": aws("foreign-rows/", "cost"),
      "free-leases": aws("sweeps", "foreign-rows/"),
      ping: aws("checks"),
      sweep: aws("sweeps", "foreign-rows/"),
      "table-problems": aws("checks"),
      tables: aws("checks", "sweeps"),
      take: aws("other-system", "foreign-rows/", "cost"),
      triggers: aws("triggers"),
      "turn-count": aws("foreign-rows/"),
      "turn-item": aws("foreign-rows/", "impossible/", "import"),
      window: aws("sweeps", "foreign-rows/", "triggers"),
      "window-item": aws("sweeps", "foreign-rows/", "triggers"),
      wire: aws("store", "contract"),
    },
  },
];
