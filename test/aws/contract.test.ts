import { afterAll, beforeAll, describe, it } from "vitest";
import { type EngineHarness, engineContract, type Skip } from "../../src/testing/engine-contract/index.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import { awsWorld } from "./world.ts";

const skips: readonly Skip[] = [];

describe.skipIf(unavailable)("the AWS engine keeps the contract on real endpoints over HTTP", () => {
  let emulators: Emulators;
  beforeAll(async () => {
    emulators = await startEmulators();
  });
  afterAll(() => emulators.stop());

  const harness: EngineHarness = { skips, world: (settings) => awsWorld(emulators, settings) };
  for (const { title, run } of engineContract) {
    const skip = skips.find((each) => each.title === title);
    it.skipIf(skip)(skip ? `${title} (not here: ${skip.because})` : title, () => run(harness), 600_000);
  }
});
