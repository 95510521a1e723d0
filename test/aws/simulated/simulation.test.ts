import { expect, it } from "vitest";
import { type Plan, planFrom } from "../../../src/testing/simulator/plan.ts";
import { seeded } from "../../../src/testing/simulator/random.ts";
import { simulate } from "../../../src/testing/simulator/simulate.ts";
import { timeline } from "../../../src/testing/simulator/timeline.ts";
import { simulatedAws } from "./simulated-aws.ts";

const SCHEDULES = Number(process.env.LULL_AWS_SCHEDULES ?? 300);
const FROM = Number(process.env.LULL_AWS_SEED ?? 1);

/**
 * STAGE and ARM are two requests here. A receiver frozen between them, or a clock that jumps, makes the sweeper find what nobody was
 * going to look at yet: it heals, and it is no broken promise. Without such a fault an orphan is one.
 */
function mayStrand({ faults }: Plan): boolean {
  return faults.some(({ kind }) => kind.startsWith("freeze") || kind === "clock-jump");
}

async function keepsItsPromises(plan: Plan): Promise<void> {
  const run = await simulate(plan, { engine: () => simulatedAws(seeded(plan.seed)) });
  const broken = run.violations.filter(({ what }) => !(mayStrand(plan) && /orphans/.test(what)));
  expect(broken, timeline(run)).toEqual([]);
}

it(`keeps every promise in ${SCHEDULES} schedules with faults`, async () => {
  for (let seed = FROM; seed < FROM + SCHEDULES; seed += 1) await keepsItsPromises(planFrom(seed));
}, 3_600_000);

it(`leaves nothing for the sweeper to find in ${SCHEDULES} schedules without a fault`, async () => {
  for (let seed = FROM; seed < FROM + SCHEDULES; seed += 1) {
    const { poison: _none, ...plan } = planFrom(seed);
    await keepsItsPromises({ ...plan, faults: [] });
  }
}, 3_600_000);
