import assert from "node:assert/strict";
import type { StageOutcome } from "../../ports/engine.ts";
import { as, draftFor, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { scene } from "./scene.ts";

const reject = { whileBusy: "reject" } as const;
const restart = { whileBusy: "restart" } as const;

function toldBusy(outcome: StageOutcome): boolean {
  const { code, tellBusy } = as("refused", outcome);
  assert.equal(code, "CONVERSATION_LOCKED");
  return tellBusy === true;
}

/** A message arrives during a turn: `reject` and `restart`. (`queue` is the default everywhere else.) */
export const whileBusy: readonly EngineCase[] = [
  scene("rejecting: during a turn nothing is staged, and the customer is told once", reject, async (s) => {
    await s.receive("before");
    await s.receive("still gathering");
    await s.windowPasses();
    const taken = await s.take();
    assert.equal(toldBusy(await s.deliver(s.arrival("one"))), true);
    assert.equal(toldBusy(await s.deliver(s.arrival("two"))), false);
    assert.equal(toldBusy(await s.deliver(s.arrival("three"))), false);
    const { refusals, staged } = await s.detail(taken.conversation.id);
    assert.deepEqual(
      refusals.map(({ code }) => code),
      Array(3).fill("CONVERSATION_LOCKED"),
    );
    assert.equal(staged.length, 2);
    await s.reply(taken);
    await s.atRest();

    const next = await s.turnFor("after");
    assert.deepEqual(textsOf(next), ["after"]);
    assert.equal(toldBusy(await s.deliver(s.arrival("four"))), true);
  }),

  scene(
    "rejecting: the customer is told once per turn, however many attempts it takes",
    reject,
    async (s) => {
      const first = await s.turnFor("hi");
      assert.equal(toldBusy(await s.deliver(s.arrival())), true);
      await s.engine.turns.release(first.lease, {
        kind: "retry",
        afterMs: 0,
        reason: "overloaded",
      });
      const second = await s.take();
      assert.equal(toldBusy(await s.deliver(s.arrival())), false);
      const draft = draftFor(second, [], { awaitingUntilAtMs: s.nowMs + 60_000 });
      await s.engine.turns.release(second.lease, { kind: "wait", afterMs: 60_000, draft });
      assert.equal(toldBusy(await s.deliver(s.arrival())), false);
    },
  ),

  scene(
    "rejecting: a redelivery of what is being answered is a duplicate and earns no busy text",
    reject,
    async (s) => {
      const { message } = await s.receive("hi");
      await s.windowPasses();
      await s.take();
      assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
      assert.equal((await s.engine.inspector.counts()).refusals, 0);
      assert.equal(toldBusy(await s.deliver(s.arrival())), true);
    },
  ),

  scene("rejecting: a lapsed lease locks no customer out", reject, async (s) => {
    await s.turnFor("one");
    await s.leaseLapses();
    await s.receive("two");
    assert.deepEqual(textsOf(await s.take()), ["one", "two"]);
  }),

  scene(
    "restarting: a draft finds newer messages, and the answer starts over with everything",
    restart,
    async (s) => {
      const first = await s.turnFor("one");
      await s.passes(3_000);
      assert.equal(await s.engine.turns.hasNewer(first.lease), false);
      const { dueAtMs } = await s.receive("two");
      assert.equal(await s.engine.turns.hasNewer(first.lease), true);
      assert.deepEqual(await s.engine.turns.draft(first.lease, draftFor(first)), { kind: "newer" });
      as("released", await s.engine.turns.release(first.lease, { kind: "restart" }));
      await s.passes(dueAtMs - s.nowMs - 1);
      await s.nothingDue();
      await s.passes(1);
      const second = await s.take();
      assert.deepEqual(textsOf(second), ["one", "two"]);
      assert.equal(second.turnId, first.turnId);
      assert.deepEqual([second.attempt, second.restarts], [1, 1]);
      await s.reply(second);
      await s.atRest();
    },
  ),

  scene(
    "restarting: the newer messages' own quiet window counts, and it slides",
    {
      ...restart,
      window: { kind: "quiet", quietMs: 4_000, maxMs: 20_000 },
    },
    async (s) => {
      await s.receive("one");
      await s.passes(4_000);
      const first = await s.take();
      await s.receive("two");
      await s.engine.turns.release(first.lease, { kind: "restart" });
      await s.passes(3_000);
      await s.receive("three");
      await s.passes(3_999);
      await s.nothingDue();
      await s.passes(1);
      assert.deepEqual(textsOf(await s.take()), ["one", "two", "three"]);
    },
  ),

  scene(
    "restarting: at most restartsMax times, then the newer messages wait for their own turn",
    restart,
    async (s) => {
      let taken = await s.turnFor("0");
      for (let restarts = 0; restarts < s.own.restartsMax; restarts += 1) {
        await s.receive(`${restarts + 1}`);
        assert.equal((await s.engine.turns.draft(taken.lease, draftFor(taken))).kind, "newer");
        await s.engine.turns.release(taken.lease, { kind: "restart" });
        await s.windowPasses();
        taken = await s.take();
      }
      assert.equal(taken.restarts, s.own.restartsMax);
      assert.equal(taken.attempt, 1);
      await s.receive("last");
      await s.reply(taken);
      assert.deepEqual(textsOf(taken), ["0", "1", "2"]);
      await s.windowPasses();
      const next = await s.take();
      assert.deepEqual(textsOf(next), ["last"]);
      assert.equal(next.restarts, 0);
    },
  ),

  scene(
    "restarting: all who joined are counted together from then on",
    { ...restart, attemptsMax: 1 },
    async (s) => {
      const first = await s.turnFor("one");
      await s.receive("two");
      await s.engine.turns.release(first.lease, { kind: "restart" });
      await s.windowPasses();
      await s.take();
      await s.leaseLapses();
      await s.nothingDue();
      const [letter] = await s.dead();
      assert.deepEqual(
        letter?.messages.map(({ text }) => text),
        ["one", "two"],
      );
    },
  ),

  scene(
    "restarting: what a limit left behind is not newer",
    { ...restart, batchMessagesMax: 1 },
    async (s) => {
      const first = await s.turnFor("one", "two");
      assert.deepEqual(textsOf(first), ["one"]);
      assert.equal(await s.engine.turns.hasNewer(first.lease), false);
      assert.deepEqual(textsOf(as("turn", (await s.reply(first)).next!).taken), ["two"]);
    },
  ),

  scene("queueing: newer messages do not stop the draft", {}, async (s) => {
    const first = await s.turnFor("one");
    await s.receive("two");
    as("drafted", await s.engine.turns.draft(first.lease, draftFor(first)));
  }),
];
