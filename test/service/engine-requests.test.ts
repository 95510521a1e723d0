import { afterEach, expect, it } from "vitest";
import { memory } from "../../src/engines/memory/index.ts";
import { aroundEngine } from "../../src/testing/around-engine.ts";
import { type TestLull, testLull } from "../../src/testing/test-lull.ts";

/** What a service asks of its engine. On SQLite each crosses to another thread, on AWS each is requests. */
const PER_MESSAGE = { "receiving.stage": 1 };
const PER_TURN = { "turns.takeDue": 1, "turns.draft": 1, "turns.commit": 1 };

/** What comes by the clock, whether or not there is work. */
const RARELY = { pollSeconds: 3_600, sweepSeconds: 3_600 };

let lull: TestLull | undefined;
let asked: Record<string, number> = {};

afterEach(async () => {
  await lull?.stop();
});

function open(): TestLull {
  const engine = aroundEngine(memory(), () => (name, _input, call) => {
    asked[name] = (asked[name] ?? 0) + 1;
    return call();
  });
  const respond = async () => "hello";
  lull = testLull({ engine, limits: RARELY, respond: Object.assign(respond, { readsHistory: true }) });
  return lull;
}

async function askedBy(work: () => Promise<unknown>): Promise<Record<string, number>> {
  asked = {};
  await work();
  return asked;
}

it("a message is one request to the engine, and a turn three", async () => {
  const service = open();
  await service.receive("ana", "hi");
  await service.advance(10_000);
  expect(await askedBy(() => service.receive("ana", "are you open?"))).toEqual(PER_MESSAGE);
  expect(await askedBy(() => service.receive("ana", "on sunday?"))).toEqual(PER_MESSAGE);
  expect(await askedBy(() => service.advance(10_000))).toEqual(PER_TURN);
  expect(service.sent).toHaveLength(2);
});
