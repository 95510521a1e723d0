import assert from "node:assert/strict";
import { textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { scene } from "./scene.ts";

/** Pausing answers: messages stay staged, nothing is lost, resuming goes on. */
export const pausing: readonly EngineCase[] = [
  scene("a paused conversation gathers its messages and answers them when it is resumed", {}, async (s) => {
    const { conversationId } = await s.receive("one");
    await s.engine.conversations.change(conversationId, { paused: true });
    await s.windowPasses();
    await s.nothingDue();
    await s.passes(3_600_000);
    await s.receive("two");
    await s.nothingDue();
    await s.receive({ sender: "ben" });
    await s.windowPasses();
    assert.equal((await s.take()).conversation.sender, "ben");

    const resumed = await s.engine.conversations.change(conversationId, { paused: false });
    assert.equal(resumed?.paused, false);
    assert.deepEqual(textsOf(await s.take()), ["one", "two"]);
  }),

  scene("resuming does not cut a window short", {}, async (s) => {
    const { conversationId } = await s.receive("one");
    await s.engine.conversations.change(conversationId, { paused: true });
    await s.passes(5_000);
    await s.engine.conversations.change(conversationId, { paused: false });
    await s.nothingDue();
    await s.passes(4_999);
    await s.nothingDue();
    await s.passes(1);
    await s.take();
  }),

  scene(
    "paused everywhere, nothing is answered and everything is kept until it is resumed",
    {},
    async (s) => {
      const other = await s.open("worker-2");
      const { conversationId } = await s.receive({ sender: "ana" });
      await s.engine.conversations.pauseAll(true);
      assert.equal((await s.engine.inspector.counts()).paused, true);
      await s.receive({ sender: "ben" });
      await s.passes(3_600_000);
      await s.nothingDue();
      await s.nothingDue(other);
      assert.notEqual((await other.turns.take(conversationId)).kind, "turn");
      await s.engine.sweeping.sweep();
      await s.nothingDue();

      await s.engine.conversations.pauseAll(false);
      assert.equal((await s.engine.inspector.counts()).paused, false);
      assert.equal((await s.turns(other)).length, 2);
    },
  ),

  scene("a turn that runs while everything is paused may finish", {}, async (s) => {
    const taken = await s.turnFor("hi");
    await s.engine.conversations.pauseAll(true);
    await s.reply(taken);
    await s.atRest();
  }),

  scene("a conversation that does not exist cannot be changed", {}, async (s) => {
    assert.equal(await s.engine.conversations.change("no-such-id", { paused: true }), undefined);
    assert.equal(await s.engine.conversations.get("no-such-id"), undefined);
  }),
];
