import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import { CELLS, type Cell, REQUEST_CELLS } from "../../src/testing/simulator/plan.ts";
import type { SimulateOptions } from "../../src/testing/simulator/simulate.ts";
import { AWS_SIMULATION } from "../aws/simulated/simulated-aws.ts";
import { forgetfulMemory } from "./forgetful-memory.ts";

export const ENGINES = ["memory", "sqlite", "aws"] as const;
export type EngineName = (typeof ENGINES)[number];

export interface EngineMaker {
  /** How the simulator runs on it. */
  readonly simulation: Pick<SimulateOptions, "engine" | "plan" | "orphans">;
  readonly cells: readonly Cell[];
  end(): void;
}

/** Makers of empty engines. Ids are counted, so that a run repeats to the letter. */
export function engineMaker(name: EngineName): EngineMaker {
  switch (name) {
    case "memory":
      return { simulation: { engine: forgetfulMemory }, cells: CELLS, end: () => {} };
    case "sqlite":
      return sqliteMaker();
    case "aws":
      return { simulation: AWS_SIMULATION, cells: [...CELLS, ...REQUEST_CELLS], end: () => {} };
  }
}

function sqliteMaker(): EngineMaker {
  // Memory that looks like a disk, where there is one: nothing here is meant to survive.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "lull-simulation-"));
  let files = 0;
  const engine = () => {
    for (const ending of ["", "-wal", "-shm"]) rmSync(join(folder, `${files}.db${ending}`), { force: true });
    files += 1;
    return sqlite({ file: join(folder, `${files}.db`), writer: "inline", synchronous: "off" });
  };
  return {
    simulation: { engine },
    cells: CELLS,
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}
