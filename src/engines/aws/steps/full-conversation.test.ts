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
  // The first is told as well, which asks for more.
  await queries();
  const lookedUp = await queries();
  await s.passes(59_999);
  expect(await queries()).toBe(lookedUp);
  await s.passes(1);
  expect(await queries()).toBe(lookedUp + 1);
  expect(await queries()).toBe(lookedUp);
});

it("a note that is past its time says nothing, though the table still has it", async () => {
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

/** Of one customer as much waits as may, and a worker has counted it. */
async function fullScene() {
  const { s, fixture } = await memoryScene({ stagedMessagesMax: 1 });
  const { conversationId } = await s.receive("one");
  await s.windowPasses();
  const { lease } = await s.take();
  await s.engine.turns.release(lease, { kind: "retry", afterMs: 3_600_000, reason: "overloaded" });
  return { s, fixture, conversationId };
}

it.each(["request.put", "request.update"] as const)(
  "a customer is told by the next message if the store was away at %s, and once",
  async (name) => {
    const { s, fixture } = await fullScene();
    const told: unknown[] = [];
    fixture.before(name, async () => {
      throw new Error("away");
    });
    await expect(s.deliver(s.arrival())).rejects.toThrow("away");
    for (let at = 0; at < 3; at += 1) {
      expect((await s.deliver(s.arrival())).kind).toBe("refused");
      for (const taken of await s.turns()) {
        told.push(taken.outbound?.texts);
        await s.reply(taken);
      }
    }
    expect(told).toEqual([[s.own.busyText]]);
    expect((await s.engine.inspector.counts()).refusals).toBe(1);
  },
);

it("what another system left there keeps no conversation full", async () => {
  const { s, fixture, conversationId } = await fullScene();
  const theirs = { conversation_id: conversationId, body: "theirs", bytes: 1e12 };
  for (const message_sid of ["SM1", "SM2"]) fixture.write("stage", { ...theirs, message_sid });
  expect((await s.deliver(s.arrival())).kind).toBe("refused");
  for (let round = 0; round < 3; round += 1) {
    await s.passes(3_600_000);
    for (const taken of await s.turns()) await s.reply(taken);
  }
  expect((await s.engine.inspector.counts()).staged).toBe(0);
  expect((await s.deliver(s.arrival())).kind).toBe("staged");
});

it("the note is erased with its conversation", async () => {
  const { s, fixture, conversationId } = await fullScene();
  expect(await fixture.keeps?.()).toContain(`full-note/${conversationId}`);
  expect(await s.engine.conversations.erase(conversationId)).toBe("erased");
  expect(await fixture.keeps?.()).not.toContain("full-note/");
});

it("a full conversation without a record is told once it has one", async () => {
  const { s } = await memoryScene({ stagedMessagesMax: 1, validation: "on-turn", admission: "known" });
  await s.receive("one");
  await s.windowPasses();
  await s.nothingDue();
  expect(await s.deliver(s.arrival())).toMatchObject({ kind: "refused", tellBusy: true });
  expect(await s.deliver(s.arrival())).toMatchObject({ kind: "refused", tellBusy: false });
  await s.engine.conversations.create({ channelType: "test", address: "lull", sender: "ana" });
  for (let at = 0; at < 2; at += 1)
    expect(await s.deliver(s.arrival())).toMatchObject({ kind: "refused", tellBusy: false });
  const taken = await s.take();
  expect(taken.outbound?.texts).toEqual([s.own.busyText]);
  await s.reply(taken);
  await s.nothingDue();
  expect((await s.engine.inspector.counts()).refusals).toBe(1);
});
