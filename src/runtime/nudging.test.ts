import { afterEach, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { aroundEngine } from "../testing/around-engine.ts";
import { type TestLull, type TestLullConfig, testLull } from "../testing/test-lull.ts";

/** No worker polls for an hour: whatever happens in time happens because a worker was nudged. */
const RARELY = { pollSeconds: 3_600 };

let lull: TestLull;
afterEach(() => lull.stop());
const open = (config: Partial<TestLullConfig> = {}) => {
  lull = testLull({
    window: { seconds: 10 },
    respond: (turn) => `heard ${turn.text}`,
    limits: RARELY,
    ...config,
  });
};
const texts = () => lull.sent.map(({ text }) => text);

it("a turn begins the moment it is due, though the worker sleeps for longer", async () => {
  open();
  await lull.receive("ana", "hi");
  await lull.advance(9_999);
  expect(texts()).toEqual([]);
  await lull.advance(1);
  expect(texts()).toEqual(["heard hi"]);
});

it("what is due sooner is not kept waiting by what is due later", async () => {
  open();
  await lull.receive("ana", "hi");
  await lull.advance(10_000);
  await lull.receive("ana", "again");
  await lull.advance(1_000);
  const { items } = await (await lull.service.engine()).inspector.conversations({ limit: 1 });
  await lull.service.say({ conversationId: items[0]!.id, text: "by the way", author: "eva" });
  await lull.advance(1);
  expect(texts()).toEqual(["heard hi", "by the way"]);
  await lull.advance(9_000);
  expect(texts()).toEqual(["heard hi", "by the way", "heard again"]);
});

it("a turn that waits for a free place gets it the moment there is one", async () => {
  open({
    limits: { ...RARELY, concurrency: 1 },
    respond: async (turn) => {
      await lull.clock.sleep(3_000);
      return `heard ${turn.text}`;
    },
  });
  await lull.receive("ana", "one");
  await lull.receive("bea", "two");
  await lull.advance(13_000);
  expect(texts()).toEqual(["heard one"]);
  await lull.advance(3_000);
  expect(texts()).toEqual(["heard one", "heard two"]);
});

it("a turn costs one look: neither what it was taken with nor its end is a reason for another", async () => {
  let looks = 0;
  const engine = aroundEngine(memory(), () => (name, _input, call) => {
    looks += name === "turns.takeDue" ? 1 : 0;
    return call();
  });
  open({ engine });
  for (const [at, text] of ["one", "two", "three"].entries()) {
    await lull.receive("ana", text);
    await lull.advance(10_000);
    expect([texts().at(-1), looks]).toEqual([`heard ${text}`, 1 + (at + 1)]);
  }
});

it("what comes in while the store is being asked is not forgotten", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  let looks = 0;
  const engine = aroundEngine(memory(), () => async (name, _input, call) => {
    const result = await call();
    looks += name === "turns.takeDue" ? 1 : 0;
    if (name === "turns.takeDue" && looks === 2) {
      asked.resolve();
      await answer.promise;
    }
    return result;
  });
  open({ engine });
  await lull.receive("ana", "hi");
  const advanced = lull.advance(10_000);
  await asked.promise;
  await lull.receive("bea", "hello");
  answer.resolve();
  await advanced;
  await lull.advance(10_000);
  expect(texts().toSorted()).toEqual(["heard hello", "heard hi"]);
});

it("a customer who waited for a pause to end is answered when it ends", async () => {
  open();
  const { conversations } = await lull.service.engine();
  await conversations.pauseAll(true);
  await lull.receive("ana", "hi");
  await lull.advance(20_000);
  expect(texts()).toEqual([]);
  await conversations.pauseAll(false);
  await lull.advance(1);
  expect(texts()).toEqual(["heard hi"]);
});
