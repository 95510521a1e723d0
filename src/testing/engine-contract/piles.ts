import assert from "node:assert/strict";
import type { Taken } from "../../model/take.ts";
import type { StageOutcome } from "../../ports/engine.ts";
import { as, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

/** Longer than any engine goes on refusing because of an old count. */
const COUNTED_AGAIN_MS = 60_000;

function refusedAsFull(outcome: StageOutcome): boolean {
  const { code, tellBusy } = as("refused", outcome);
  assert.equal(code, "RATE_LIMITED");
  return tellBusy === true;
}

/** A worker looks, and what waits goes on waiting: an outage. By then every engine has counted. */
async function lookInVain(s: Scene, forMs = 3_600_000): Promise<void> {
  const taken = await s.take();
  const afterMs = forMs;
  as("released", await s.engine.turns.release(taken.lease, { kind: "retry", afterMs, reason: "overloaded" }));
}

async function refusals(s: Scene): Promise<string[]> {
  return (await s.engine.inspector.refusals({ limit: 100 })).items.map(({ code }) => code);
}

/** The turn that tells the customer that it is full. */
async function takeTelling(s: Scene): Promise<Taken> {
  const taken = await s.take();
  assert.deepEqual(taken.outbound?.texts, [s.own.busyText]);
  return taken;
}

/** What waits in one conversation has a limit. */
export const piles: readonly EngineCase[] = [
  scene(
    "a conversation with as many waiting messages as allowed is full: more is refused, told once",
    { stagedMessagesMax: 3 },
    async (s) => {
      for (const text of ["one", "two", "three"]) await s.receive(text);
      await s.windowPasses();
      await lookInVain(s, 30_000);
      assert.equal(refusedAsFull(await s.deliver(s.arrival("four"))), true);
      for (let at = 0; at < 5; at += 1) assert.equal(refusedAsFull(await s.deliver(s.arrival())), false);
      assert.deepEqual(await refusals(s), ["RATE_LIMITED"]);
      await s.receive({ sender: "ben", text: "not my fault" });

      await s.reply(await takeTelling(s));
      await s.passes(30_000);
      const turns = await s.turns();
      const taken = turns.find(({ conversation }) => conversation.sender === "ana")!;
      assert.deepEqual(textsOf(taken), ["one", "two", "three"]);
      await s.reply(taken);
    },
  ),

  scene(
    "of several that find a conversation full at the same instant, one is told",
    { stagedMessagesMax: 1 },
    async (s) => {
      const workers = [s.engine, await s.open("worker-2"), await s.open("worker-3")];
      await s.receive("one");
      await s.windowPasses();
      await lookInVain(s);
      const outcomes = await Promise.all(workers.map((worker) => s.deliver(s.arrival(), worker)));
      assert.equal(outcomes.filter(refusedAsFull).length, 1);
      assert.deepEqual(await refusals(s), ["RATE_LIMITED"]);
      await s.reply(await takeTelling(s));
      await s.nothingDue();
    },
  ),

  scene(
    "a redelivery of what waits in a full conversation is a duplicate",
    { stagedMessagesMax: 2 },
    async (s) => {
      const { message } = await s.receive("one");
      await s.receive("two");
      await s.windowPasses();
      await lookInVain(s);
      assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
      assert.deepEqual(await refusals(s), []);
      assert.equal(refusedAsFull(await s.deliver(s.arrival("three"))), true);
    },
  ),

  scene(
    "a message that found the conversation full is staged when it comes again and there is room",
    { stagedMessagesMax: 2 },
    async (s) => {
      await s.receive("one");
      await s.receive("two");
      await s.windowPasses();
      await lookInVain(s, 1_000);
      const third = s.arrival("three");
      assert.equal(refusedAsFull(await s.deliver(third)), true);
      await s.reply(await takeTelling(s));
      await s.passes(1_000);
      await s.reply(await s.take());
      await s.passes(COUNTED_AGAIN_MS);
      as("staged", await s.deliver(third));
      await s.windowPasses();
      assert.deepEqual(textsOf(await s.take()), ["three"]);
    },
  ),

  scene("each time it is full the customer is told anew", { stagedMessagesMax: 1 }, async (s) => {
    for (let round = 0; round < 2; round += 1) {
      await s.receive(`round ${round}`);
      await s.windowPasses();
      await lookInVain(s, 1_000);
      assert.equal(refusedAsFull(await s.deliver(s.arrival())), true);
      assert.equal(refusedAsFull(await s.deliver(s.arrival())), false);
      await s.reply(await takeTelling(s));
      await s.passes(1_000);
      await s.reply(await s.take());
      await s.passes(COUNTED_AGAIN_MS);
    }
    assert.equal((await refusals(s)).length, 2);
  }),

  ...(["sent", "dead-lettered"] as const).map((what) =>
    scene(
      `a full conversation is told once: that the text which says so is ${what} makes no room`,
      { stagedMessagesMax: 2 },
      async (s) => {
        await s.receive("one");
        await s.receive("two");
        await s.windowPasses();
        await lookInVain(s);
        assert.equal(refusedAsFull(await s.deliver(s.arrival("three"))), true);
        const taken = await takeTelling(s);
        if (what === "sent") await s.reply(taken, "busy");
        else await s.engine.turns.release(taken.lease, { kind: "dead-letter", reason: "refused" });
        assert.equal(refusedAsFull(await s.deliver(s.arrival("four"))), false);
        assert.deepEqual(await refusals(s), ["RATE_LIMITED"]);
      },
    ),
  ),

  ...(["on-receipt", "on-turn"] as const).map((validation) =>
    scene(
      `a new customer's full conversation is told behind a pause of everything (${validation})`,
      { stagedMessagesMax: 2, validation },
      async (s) => {
        await s.engine.conversations.pauseAll(true);
        await s.receive("one");
        await s.receive("two");
        await s.windowPasses();
        await s.nothingDue();
        assert.equal(refusedAsFull(await s.deliver(s.arrival("three"))), true);
        const taken = await takeTelling(s);
        assert.deepEqual([taken.outbound?.to, taken.outbound?.author], ["ana", "busy"]);
        await s.reply(taken);
        assert.equal(refusedAsFull(await s.deliver(s.arrival("four"))), false);
        await s.nothingDue();
        assert.deepEqual(await refusals(s), ["RATE_LIMITED"]);
      },
    ),
  ),

  scene(
    "a full conversation whose customer writes under both names is told once",
    { stagedMessagesMax: 2 },
    async (s) => {
      const both = { sender: "SV.ana", senderAlias: "+15550101" };
      const number = { sender: "+15550101" };
      await s.receive(both);
      await s.receive(number);
      await s.windowPasses();
      await lookInVain(s);
      const told: boolean[] = [];
      for (const names of [number, both, number, both])
        told.push(refusedAsFull(await s.deliver(s.arrival(names))));
      assert.deepEqual(told, [true, false, false, false]);
      await s.reply(await takeTelling(s));
      await s.nothingDue();
    },
  ),

  scene(
    "that a number's former owner has too much waiting is nothing to its next one",
    { stagedMessagesMax: 3 },
    async (s) => {
      const number = "+15550101";
      const { conversationId } = await s.receive({ sender: "SV.ana", senderAlias: number });
      await s.engine.conversations.change(conversationId, { paused: true });
      await s.receive({ sender: number });
      await s.receive({ sender: number });
      await s.windowPasses();
      await s.nothingDue();
      refusedAsFull(await s.deliver(s.arrival({ sender: number })));
      refusedAsFull(await s.deliver(s.arrival({ sender: "SV.ana", senderAlias: "+15550102" })));
      for (let at = 0; at < 3; at += 1) {
        as("staged", await s.deliver(s.arrival({ sender: number, text: "another person's" })));
        await s.passes(COUNTED_AGAIN_MS + 1_000);
        for (const taken of await s.turns()) await s.reply(taken);
      }
    },
  ),

  scene("bytes fill a conversation as well as messages do", { stagedBytesMax: 1_000 }, async (s) => {
    // The first one always has a place: refusing it would not make it smaller.
    await s.receive("x".repeat(2_000));
    await s.windowPasses();
    await lookInVain(s);
    assert.equal(refusedAsFull(await s.deliver(s.arrival("x"))), true);
  }),

  scene("what comes beside the text has its weight as well", { stagedBytesMax: 1_000 }, async (s) => {
    const media = [{ url: `https://example.test/${"x".repeat(3_000)}`, contentType: "image/png" }];
    await s.receive({ sender: "ana", text: "", media });
    await s.receive({ sender: "ben", fields: { profile: "x".repeat(3_000) } });
    await s.windowPasses();
    for (const { lease } of await s.turns()) {
      const afterMs = 3_600_000;
      await s.engine.turns.release(lease, { kind: "retry", afterMs, reason: "overloaded" });
    }
    assert.equal(refusedAsFull(await s.deliver(s.arrival({ sender: "ana" }))), true);
    assert.equal(refusedAsFull(await s.deliver(s.arrival({ sender: "ben" }))), true);
  }),

  scene(
    "checked on turn, a conversation that no worker has looked up yet is full as well",
    { stagedMessagesMax: 2, validation: "on-turn" },
    async (s) => {
      await s.receive("one");
      await s.receive("two");
      await s.windowPasses();
      await lookInVain(s);
      assert.equal(refusedAsFull(await s.deliver(s.arrival("three"))), true);
      assert.equal(refusedAsFull(await s.deliver(s.arrival("four"))), false);
    },
  ),

  scene(
    "that a conversation without a record is full is on record, once",
    { stagedMessagesMax: 2, validation: "on-turn", admission: "known" },
    async (s) => {
      await s.receive("one");
      await s.receive("two");
      const before = await s.deliver(s.arrival("three"));
      // A worker looks: by then every engine has counted, at the latest.
      await s.windowPasses();
      await s.nothingDue();
      const since = [await s.deliver(s.arrival("four")), await s.deliver(s.arrival("five"))];
      assert.ok([before, ...since].some(({ kind }) => kind === "refused"));
      assert.deepEqual(await refusals(s), ["RATE_LIMITED"]);
    },
  ),

  scene("not one message more is staged than may wait", { stagedMessagesMax: 3 }, async (s) => {
    const outcomes = await s.engine.receiving.stage(
      ["one", "two", "three", "four", "five"].map((text) => ({ arrival: s.arrival(text) })),
    );
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["staged", "staged", "staged", "refused", "refused"],
    );
    assert.deepEqual(await refusals(s), ["RATE_LIMITED"]);
    const [conversation] = await s.conversations();
    assert.equal((await s.detail(conversation!.id)).staged.length, 3);
  }),
];
