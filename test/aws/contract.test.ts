import { afterAll, beforeAll, describe, it } from "vitest";
import { type EngineHarness, engineContract, type Skip } from "../../src/testing/engine-contract/index.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import { awsWorld } from "./world.ts";

const THIRTY = "a transaction holds 100 actions, so a turn takes 30 messages: see burst.test.ts";

const skips: readonly Skip[] = [
  {
    title: "a burst of 500 messages is one turn, in order, with every kind of text and media",
    because: THIRTY,
  },
  { title: "one message more than the limit of 500 is left behind and due at once", because: THIRTY },
  ...(process.env.LULL_AWS_SCALE === "1"
    ? []
    : [
        {
          title: "10,000 conversations due at once are all taken in bounded takes, exactly once",
          because: "140,000 requests to an emulator on loopback take six minutes; LULL_AWS_SCALE=1 runs it",
        },
      ]),
];

describe.skipIf(unavailable)("the AWS engine keeps the contract on real endpoints over HTTP", () => {
  let emulators: Emulators;
  beforeAll(async () => {
    emulators = await startEmulators();
  });
  afterAll(() => emulators.stop());

  const harness: EngineHarness = { skips, world: (settings) => awsWorld(emulators, settings) };
  for (const { title, run } of engineContract) {
    const skip = skips.find((each) => each.title === title);
    it.skipIf(skip)(skip ? `${title} (not here: ${skip.because})` : title, () => run(harness), 900_000);
  }
});
