import assert from "node:assert/strict";
import { as, draftFor, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

const HOUR = 3_600_000;

/** An hour back, with everything that sweeps and triggers do about it. */
async function setBack(s: Scene): Promise<void> {
  await s.engine.sweeping.sweep();
  s.fixture.setClockBack(HOUR);
  await s.engine.sweeping.sweep();
}

/** A clock that is set back mutes no customer, and gives no turn to a second worker. */
export const clocks: readonly EngineCase[] = [
  scene("a clock that is set back while messages gather mutes no customer", {}, async (s) => {
    await s.receive({ text: "one", sender: "ana" });
    await s.receive({ text: "two", sender: "ben" });
    await setBack(s);
    await s.windowPasses();
    const turns = await s.turns();
    assert.deepEqual(turns.flatMap(textsOf).sort(), ["one", "two"]);
    for (const taken of turns) await s.reply(taken);
    await s.atRest();
  }),

  scene("a clock that was fast only between two sweeps mutes no customer either", {}, async (s) => {
    const other = await s.open("worker-2");
    await s.engine.sweeping.sweep();
    await s.passes(HOUR);
    await s.receive("hi", other);
    s.fixture.setClockBack(HOUR);
    await s.engine.sweeping.sweep();
    await s.windowPasses();
    assert.deepEqual(textsOf(await s.take()), ["hi"]);
  }),

  scene("what is written after the clock was set back gathers for its whole window", {}, async (s) => {
    await s.engine.sweeping.sweep();
    s.fixture.setClockBack(HOUR);
    await s.receive("hi");
    await s.engine.sweeping.sweep();
    await s.passes(9_999);
    await s.nothingDue();
    await s.passes(1);
    assert.deepEqual(textsOf(await s.take()), ["hi"]);
  }),

  scene("a clock that is set back during a turn leaves it to its holder", {}, async (s) => {
    const taken = await s.turnFor("hi");
    await setBack(s);
    await s.nothingDue();
    as("renewed", await s.engine.turns.renew(taken.lease));
    await s.passes(s.settings.leaseMs - 1);
    await s.nothingDue();
    await s.reply(taken);
    await s.atRest();
  }),

  scene(
    "a failed turn waits no longer than its pause: how much of it is over is not known",
    {},
    async (s) => {
      const first = await s.turnFor("hi");
      const afterMs = 20_000;
      await s.engine.turns.release(first.lease, { kind: "retry", afterMs, reason: "overloaded" });
      await setBack(s);
      // At once where a sweep wakes every conversation, or when its trigger arrives.
      const [atOnce] = await s.turns();
      await s.passes(20_000);
      assert.equal((atOnce ?? (await s.take())).turnId, first.turnId);
    },
  ),

  scene(
    "a pause that is longer than any allowed mutes no customer: its writer had another clock",
    {},
    async (s) => {
      const first = await s.turnFor("hi");
      await s.engine.turns.release(first.lease, {
        kind: "retry",
        afterMs: 9 * 24 * HOUR,
        reason: "overloaded",
      });
      // As long as a queue delays at most, where a worker looks only then.
      await s.passes(HOUR / 4);
      await s.engine.sweeping.sweep();
      assert.equal((await s.take()).turnId, first.turnId);
    },
  ),

  scene("a late answer is not awaited an hour longer", {}, async (s) => {
    const first = await s.turnFor("hi");
    const draft = draftFor(first, [], { awaitingUntilAtMs: s.nowMs + 60_000 });
    await s.engine.turns.release(first.lease, { kind: "wait", afterMs: 60_000, draft });
    await setBack(s);
    // A worker looks at once, or when a trigger comes: from then on it is awaited for as long as was
    // promised.
    await s.nothingDue();
    await s.passes(60_000);
    const [atOnce] = await s.turns();
    await s.passes(60_000);
    assert.equal((atOnce ?? (await s.take())).turnId, first.turnId);
  }),

  scene("a sweep tells once that the clock was set back, and whom that would have muted", {}, async (s) => {
    await s.receive("hi");
    await s.engine.sweeping.sweep();
    s.fixture.setClockBack(HOUR);
    assert.deepEqual((await s.engine.sweeping.sweep()).clockSetBack, { byMs: HOUR, conversations: 1 });
    assert.equal((await s.engine.sweeping.sweep()).clockSetBack, undefined);
    await s.passes(s.settings.sweepMs);
    assert.equal((await s.engine.sweeping.sweep()).clockSetBack, undefined);
  }),

  scene("a sweep tells whose turn was running when the clock was set back, too", {}, async (s) => {
    await s.turnFor("hi");
    await s.engine.sweeping.sweep();
    s.fixture.setClockBack(HOUR);
    assert.deepEqual((await s.engine.sweeping.sweep()).clockSetBack, { byMs: HOUR, conversations: 1 });
  }),

  scene(
    "a pause counts from when it is written, whatever the clock was when it was decided on",
    {},
    async (s) => {
      const taken = await s.turnFor("hi");
      await setBack(s);
      await s.passes(s.settings.sweepMs);
      await s.engine.sweeping.sweep();
      as("renewed", await s.engine.turns.renew(taken.lease));
      await s.engine.turns.release(taken.lease, { kind: "retry", afterMs: 1_000, reason: "overloaded" });
      await s.nothingDue();
      await s.passes(1_000);
      assert.equal((await s.take()).turnId, taken.turnId);
    },
  ),
];
