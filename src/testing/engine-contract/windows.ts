import assert from "node:assert/strict";
import { as, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { scene } from "./scene.ts";

const fixed = (lengthMs: number) => ({ kind: "fixed", lengthMs }) as const;
const quiet = { kind: "quiet", quietMs: 4_000, maxMs: 20_000 } as const;

/** When messages gather, and when their turn is due. */
export const windows: readonly EngineCase[] = [
  scene("a turn is due exactly when its window ends and not before", { window: fixed(10_000) }, async (s) => {
    const { dueAtMs } = await s.receive("hi");
    assert.equal(dueAtMs, s.nowMs + 10_000);
    await s.passes(9_999);
    await s.nothingDue();
    await s.passes(1);
    const taken = await s.take();
    assert.deepEqual(textsOf(taken), ["hi"]);
    assert.deepEqual([taken.dueAtMs, taken.takenAtMs], [dueAtMs, dueAtMs]);
  }),

  scene("later messages do not move a fixed window", { window: fixed(10_000) }, async (s) => {
    const { dueAtMs } = await s.receive("one");
    await s.passes(6_000);
    assert.equal((await s.receive("two")).dueAtMs, dueAtMs);
    await s.passes(3_999);
    await s.receive("three");
    await s.nothingDue();
    await s.passes(1);
    assert.deepEqual(textsOf(await s.take()), ["one", "two", "three"]);
  }),

  scene("a quiet window slides with every message", { window: quiet }, async (s) => {
    await s.receive("one");
    await s.passes(3_999);
    await s.receive("two");
    await s.passes(3_999);
    await s.nothingDue();
    await s.receive("three");
    await s.passes(3_999);
    await s.nothingDue();
    await s.passes(1);
    assert.deepEqual(textsOf(await s.take()), ["one", "two", "three"]);
  }),

  scene(
    "a quiet window closes at its maximum however long the customer writes",
    { window: quiet },
    async (s) => {
      for (let at = 0; at < 18_000; at += 3_000) {
        await s.receive(`at ${at}`);
        await s.passes(3_000);
        await s.nothingDue();
      }
      await s.receive("at 18000");
      await s.passes(1_999);
      await s.nothingDue();
      await s.passes(1);
      assert.equal((await s.take()).messages.length, 7);
    },
  ),

  scene(
    "a channel's own window counts for its messages",
    { window: fixed(10_000), channels: { quick: { type: "test", window: fixed(2_000) } } },
    async (s) => {
      await s.receive({ channel: "quick", sender: "ben" });
      await s.receive({ channel: "slow", sender: "ana" });
      await s.passes(1_999);
      await s.nothingDue();
      await s.passes(1);
      assert.equal((await s.take()).conversation.sender, "ben");
      await s.passes(8_000);
      assert.equal((await s.take()).conversation.sender, "ana");
    },
  ),

  scene("a conversation's own window wins over its channel's", { window: fixed(10_000) }, async (s) => {
    const key = { channelType: "test", address: "lull", sender: "ana" };
    const { conversation } = await s.engine.conversations.create({ ...key, window: fixed(30_000) });
    await s.receive("hi");
    await s.passes(29_999);
    await s.nothingDue();
    await s.passes(1);
    await s.reply(await s.take());

    await s.engine.conversations.change(conversation.id, { window: fixed(2_000) });
    await s.receive("quick");
    await s.passes(2_000);
    await s.reply(await s.take());

    await s.engine.conversations.change(conversation.id, { window: null });
    await s.receive("again");
    await s.passes(10_000);
    assert.deepEqual(textsOf(await s.take()), ["again"]);
  }),

  scene(
    "windows go by our arrival time, whatever the provider's clock says",
    { window: fixed(10_000) },
    async (s) => {
      await s.receive({ sentAtMs: s.nowMs - 3_600_000 });
      await s.passes(9_999);
      await s.nothingDue();
      await s.passes(1);
      await s.take();
    },
  ),

  scene("an early look decides nothing: the window stays and its turn comes on time", {}, async (s) => {
    const { conversationId, dueAtMs } = await s.receive("hi");
    await s.passes(5_000);
    assert.deepEqual(await s.engine.turns.take(conversationId), { kind: "later", dueAtMs });
    await s.passes(4_999);
    await s.nothingDue();
    await s.passes(1);
    await s.take();
  }),

  scene("an overdue window keeps its id and due time when more messages come", {}, async (s) => {
    const { dueAtMs } = await s.receive("one");
    const before = (await s.locks())[0]?.window;
    await s.passes(3_600_000);
    assert.equal((await s.receive("two")).dueAtMs, dueAtMs);
    assert.deepEqual((await s.locks())[0]?.window, before);
    assert.deepEqual(textsOf(await s.take()), ["one", "two"]);
  }),

  scene("the customer who has waited longest is taken first", {}, async (s) => {
    for (const sender of ["ana", "ben", "cyd"]) {
      await s.receive({ sender });
      await s.passes(1_000);
    }
    await s.windowPasses();
    // Ana goes on writing: that must not cost her place.
    await s.receive({ sender: "ana" });
    const order: string[] = [];
    for (const _ of "abc")
      order.push(...(await s.turns(s.engine, 1)).map(({ conversation }) => conversation.sender));
    assert.deepEqual(order, ["ana", "ben", "cyd"]);
  }),

  scene("a message that arrives mid-turn opens its own window and gets its own turn", {}, async (s) => {
    const first = await s.turnFor("one");
    const { dueAtMs } = await s.receive("two");
    assert.equal(dueAtMs, s.nowMs + 10_000);
    assert.equal(await s.engine.turns.hasNewer(first.lease), true);
    await s.reply(first);
    await s.passes(9_999);
    await s.nothingDue();
    await s.passes(1);
    const second = await s.take();
    assert.deepEqual(textsOf(second), ["two"]);
    assert.notEqual(second.turnId, first.turnId);
  }),

  scene("a message whose window ends while a turn runs is taken when that turn is over", {}, async (s) => {
    const first = await s.turnFor("one");
    await s.receive("two");
    await s.passes(15_000);
    assert.deepEqual(await s.woken(), []);
    await s.reply(first);
    assert.deepEqual(textsOf(await s.takeWoken()), ["two"]);
  }),

  scene("a turn after a reply starts from nothing: no window, no lease, nothing staged", {}, async (s) => {
    const { lease } = await s.talk("hi");
    await s.atRest();
    assert.deepEqual(await s.engine.turns.take(lease.conversationId), { kind: "nothing" });
    const { dueAtMs } = await s.receive("again");
    assert.equal(as("staged", await s.deliver(s.arrival("and again"))).dueAtMs, dueAtMs);
  }),
];
