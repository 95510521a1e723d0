import { it } from "vitest";
import type { GivenSettings } from "../../src/model/settings.ts";
import { SPOILT_HOW } from "../../src/testing/engine-contract/harness.ts";
import { type EngineFixture, engineContract, type Skip } from "../../src/testing/engine-contract/index.ts";

const THIRTY = "a transaction holds 100 actions, so a turn takes 30 messages: see burst.test.ts";

const SHARED =
  "a conversation's row is shared with others: what does not fit has its default, " +
  "and nothing is set aside; see foreign-rows";

export const SKIPS: readonly Skip[] = [
  ...SPOILT_HOW.map((how) => ({
    title: `a record that is ${how} stops no other, and nothing is lost`,
    because: SHARED,
  })),
  {
    title: "a burst of 500 messages is one turn, in order, with every kind of text and media",
    because: THIRTY,
  },
  { title: "one message more than the limit of 500 is left behind and due at once", because: THIRTY },
  {
    title: "not one message more is staged than may wait",
    because: "counting with every message would cost more than staging it: a worker that looks counts",
  },
  ...(process.env.LULL_AWS_SCALE === "1"
    ? []
    : [
        {
          title: "10,000 conversations due at once are all taken in bounded takes, exactly once",
          because: "140,000 requests to an emulator on loopback take six minutes; LULL_AWS_SCALE=1 runs it",
        },
      ]),
];

/** Every case of the contract as a test, in fixtures made by `fixture`. */
export function contractCases(
  fixture: (settings?: Partial<GivenSettings>) => Promise<EngineFixture>,
  skips: readonly Skip[] = SKIPS,
): void {
  for (const { title, run } of engineContract) {
    const skip = skips.find((each) => each.title === title);
    it.skipIf(skip)(
      skip ? `${title} (not here: ${skip.because})` : title,
      () => run({ fixture, skips }),
      900_000,
    );
  }
}
