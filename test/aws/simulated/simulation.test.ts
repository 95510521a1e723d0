import { expect, it } from "vitest";
import { explore } from "../../../src/testing/simulator/explore.ts";
import { type Plan, planFrom } from "../../../src/testing/simulator/plan.ts";
import { AWS_SIMULATION } from "./simulated-aws.ts";

const SCHEDULES = 300;

/** The same customers and workers on a good day. */
function withoutFaults(seed: number): Plan {
  const { poison: _none, ...plan } = planFrom(seed);
  return { ...plan, faults: [] };
}

it(`leaves nothing at all for the sweeper to find in ${SCHEDULES} schedules without a fault`, async () => {
  const calm = { ...AWS_SIMULATION, plan: withoutFaults, orphans: "never" as const };
  const { broken } = await explore({ ...calm, fromSeed: 1, schedules: SCHEDULES });
  expect(broken).toEqual([]);
}, 300_000);
