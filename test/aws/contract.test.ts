import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EngineHarness, engineContract, type Skip } from "../../src/testing/engine-contract/index.ts";
import { tablePermissions } from "../cdk/permissions.ts";
import { synthesise } from "../cdk/synthesis.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import { Requests } from "./requests.ts";
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

  const requests = new Requests();
  const world: EngineHarness["world"] = async (settings) => requests.of(await awsWorld(emulators, settings));
  const harness: EngineHarness = { skips, world };
  for (const { title, run } of engineContract) {
    const skip = skips.find((each) => each.title === title);
    it.skipIf(skip)(skip ? `${title} (not here: ${skip.because})` : title, () => run(harness), 900_000);
  }

  it("asks the tables for what the roles of the construct allow, and they allow nothing else", () => {
    const allowed = tablePermissions(synthesise());
    expect([...requests.seen].filter((each) => !allowed.has(each) && !(each in NOT_ON_AWS))).toEqual([]);
    expect([...allowed].filter((each) => !requests.seen.has(each) && !(each in RARE))).toEqual([]);
  });
});

/** Requests that a deployment does not make. */
const NOT_ON_AWS: Readonly<Record<string, string>> = {
  "sweeper dynamodb:Scan conversations-seen": "there, the table drops what is past its time",
  "sweeper dynamodb:DeleteItem conversations-seen": "there, the table drops what is past its time",
};

/** Requests that the engine may make and the contract does not bring about. */
const RARE: Readonly<Record<string, string>> = {
  "worker dynamodb:BatchWriteItem conversations-stage": "a redelivery that slipped past DEDUPE is dropped",
  "worker dynamodb:UpdateItem conversations-trigger-lock": "a window that stands gets its trigger sooner",
  "worker dynamodb:PutItem conversations-state": "an on-turn message tells a person's other name",
  "sweeper dynamodb:Query conversations/index/by-conversation-id":
    "an orphan of a row that another system wrote",
};
