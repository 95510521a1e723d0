import { expect, test } from "vitest";
import { explore } from "../../src/testing/simulator/explore.ts";
import { AWS_POISONED, AWS_SIMULATION } from "../aws/simulated/simulated-aws.ts";

const DAYS = [
  { name: "trouble", simulation: AWS_SIMULATION, schedules: 50 },
  { name: "a poisoned message", simulation: AWS_POISONED, schedules: 15 },
];

test.each(DAYS)("no promise is broken on $schedules days of $name", async ({ simulation, schedules }) => {
  const { broken } = await explore({ ...simulation, fromSeed: 1, schedules, untilBroken: true });
  expect(broken).toEqual([]);
});
