import { expect, it } from "vitest";
import { explore } from "../../../src/testing/simulator/explore.ts";
import { AWS_CALM } from "./simulated-aws.ts";

const SCHEDULES = 300;

it(`leaves nothing at all for the sweeper to find in ${SCHEDULES} schedules without a fault`, async () => {
  const { broken } = await explore({ ...AWS_CALM, fromSeed: 1, schedules: SCHEDULES });
  expect(broken).toEqual([]);
}, 300_000);
