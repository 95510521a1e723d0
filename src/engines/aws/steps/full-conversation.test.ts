import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";

it("a count is believed for a minute, and then one of the next messages counts again", async () => {
  const { s, fixture } = await memoryScene({ stagedMessagesMax: 1 });
  const taken = await s.turnFor("one");
  await s.engine.turns.release(taken.lease, { kind: "retry", afterMs: 3_600_000, reason: "overloaded" });
  const queries = async () => {
    const before = fixture.requests.length;
    expect((await s.deliver(s.arrival())).kind).toBe("refused");
    return fixture.requests.slice(before).filter((name) => name === "request.query").length;
  };
  const lookedUp = await queries();
  await s.passes(59_999);
  expect(await queries()).toBe(lookedUp);
  await s.passes(1);
  expect(await queries()).toBe(lookedUp + 1);
  expect(await queries()).toBe(lookedUp);
});

it("a mark that is past its time says nothing, though the table still has it", async () => {
  const { s, fixture } = await memoryScene({ stagedMessagesMax: 1 });
  const message = s.arrival("one");
  await s.deliver(message);
  await s.windowPasses();
  const taken = await s.take();
  await s.reply(taken);
  await s.passes(s.settings.dedupeMs - 1);
  expect((await s.deliver(message)).kind).toBe("duplicate");
  await s.passes(1);
  expect((await s.deliver({ ...message, arrivedAtMs: s.nowMs })).kind).toBe("staged");
  expect(fixture.told("store.quarantined")).toEqual([]);
});
