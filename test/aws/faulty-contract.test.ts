import assert from "node:assert/strict";
import { describe, it } from "vitest";
import type { GivenSettings } from "../../src/model/settings.ts";
import type { Skip } from "../../src/testing/engine-contract/index.ts";
import { seeded } from "../../src/testing/simulator/random.ts";
import { awsFixture } from "./aws-fixture.ts";
import { contractCases, SKIPS } from "./contract-cases.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { FAULTS, Faults, losesEveryAnswer } from "./faults.ts";

const SEED = Number(process.env.LULL_AWS_SEED ?? 1);

const unordered: Skip = {
  title: "the customer who has waited longest is taken first",
  because: "a queue keeps no order when requests overtake each other",
};

describeOnEmulators("the AWS engine keeps the contract", (emulators) => {
  describe(`while a third of all requests goes wrong (LULL_AWS_SEED=${SEED})`, () => {
    const faults = new Faults(seeded(SEED), 0.33);
    const fixture = (settings?: Partial<GivenSettings>) =>
      awsFixture(emulators, settings, { onRequest: faults.draw });
    contractCases(fixture, [...SKIPS, unordered]);

    it("and every kind of fault was met", () => {
      for (const kind of FAULTS) assert.ok((faults.met[kind] ?? 0) > 0, `${kind} never happened`);
    });
  });

  describe("while the answer to every write gets lost once", () => {
    contractCases((settings) => awsFixture(emulators, settings, { onRequest: losesEveryAnswer() }));
  });
});
