import { CELLS, type Cell, REQUEST_CELLS } from "../../src/testing/simulator/plan.ts";
import type { SimulateOptions } from "../../src/testing/simulator/simulate.ts";
import { AWS_SIMULATION } from "../aws/simulated/simulated-aws.ts";
import { forgetfulFiles } from "./forgetful-file.ts";
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
  const { engine, end } = forgetfulFiles();
  return { simulation: { engine }, cells: CELLS, end };
}
