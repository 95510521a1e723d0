import { expect, test } from "vitest";
import { explore } from "../../src/testing/simulator/explore.ts";
import { engineMaker } from "../simulation/engines.ts";

const SCHEDULES = 100;

test(`no promise is broken in ${SCHEDULES} schedules`, async () => {
  const { simulation } = engineMaker("memory");
  const { broken } = await explore({ ...simulation, fromSeed: 1, schedules: SCHEDULES, untilBroken: true });
  expect(broken).toEqual([]);
});
