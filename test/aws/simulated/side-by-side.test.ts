import { expect, it } from "vitest";
import { planFrom, planWithRequests } from "../../../src/testing/simulator/plan.ts";
import { seeded } from "../../../src/testing/simulator/random.ts";
import { simulate } from "../../../src/testing/simulator/simulate.ts";
import { OtherSystem } from "./other-system.ts";
import { simulatedBeside } from "./simulated-aws.ts";

const SCHEDULES = 150;
const OTHER_SEED = 7_000_003;

/** Runs in which another system works on the same conversations. */
async function beside(plan: typeof planFrom, orphans: "never" | "unacknowledged") {
  const wrongs: unknown[] = [];
  let finished = 0;
  for (let seed = 1; seed <= SCHEDULES; seed += 1) {
    let other: OtherSystem | undefined;
    const { violations } = await simulate(seed, {
      plan,
      orphans,
      engine: (run) => {
        other = new OtherSystem(seeded(seed + OTHER_SEED), run.nowMs);
        return simulatedBeside(run, other);
      },
    });
    other!.check();
    // A turn that waits for the other system is late, as it should be.
    const broken = violations.filter(({ promise }) => promise !== "on time");
    finished += other!.finished;
    if (broken.length + other!.wrongs.length > 0) wrongs.push({ seed, broken, wrongs: other!.wrongs });
  }
  return { wrongs, finished };
}

it(`two systems share their conversations in ${SCHEDULES} schedules without a fault`, async () => {
  const calm = (seed: number) => {
    const { poison: _none, ...plan } = planFrom(seed);
    return { ...plan, faults: [] };
  };
  const { wrongs, finished } = await beside(calm, "never");
  expect(wrongs).toEqual([]);
  expect(finished).toBeGreaterThan(SCHEDULES);
}, 300_000);

it(`two systems share their conversations in ${SCHEDULES} schedules with faults`, async () => {
  const faulty = (seed: number) => {
    const plan = planWithRequests(seed);
    // How long a status stands is told by clocks: one that is an hour behind tells it wrongly.
    return { ...plan, faults: plan.faults.filter(({ kind }) => kind !== "clock-set-back") };
  };
  const { wrongs, finished } = await beside(faulty, "unacknowledged");
  expect(wrongs).toEqual([]);
  expect(finished).toBeGreaterThan(SCHEDULES);
}, 300_000);
