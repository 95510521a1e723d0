import assert from "node:assert/strict";
import { as, draftFor, silent, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

const honouring = { honourStatus: true } as const;

/** Longer than the longest pause between two looks. */
const SOON_MS = 60_000;

/** As long as that, on any clock. */
function honouredForMs({ settings }: Scene): number {
  return settings.honourStatusForMs + settings.clockSkewMs;
}

/** A message is due, and another system has taken its conversation. */
async function takenElsewhere(s: Scene, text = "one"): Promise<string> {
  const { conversationId } = await s.receive(text);
  await s.fixture.says!(conversationId, "processing_reply");
  await s.windowPasses();
  await s.nothingDue();
  return conversationId;
}

/** `honourStatus`: another system works on the same conversations, and its status is its lock. */
export const elsewhere: readonly EngineCase[] = [
  scene(
    "a conversation that another system processes gets its turn when that is done",
    honouring,
    async (s) => {
      const conversationId = await takenElsewhere(s);
      await s.receive("two");
      await s.passes(SOON_MS);
      await s.nothingDue();
      assert.deepEqual((await s.engine.sweeping.sweep()).orphans, []);
      await s.nothingDue();

      await s.fixture.says!(conversationId, "reply_sent");
      await s.passes(SOON_MS);
      const taken = await s.take();
      assert.deepEqual(textsOf(taken), ["one", "two"]);
      assert.deepEqual([taken.attempt, taken.isOverStale], [1, undefined]);
      await s.reply(taken);
      await s.atRest();
    },
  ),

  scene("a look that finds another system at work says so, and since when", honouring, async (s) => {
    const { conversationId } = await s.receive();
    await s.fixture.says!(conversationId, "processing_reply");
    await s.windowPasses();
    const sinceAtMs = s.nowMs;
    const first = as("later", await s.engine.turns.take(conversationId));
    assert.deepEqual(first.elsewhere, { conversationId, sinceAtMs, isFirst: true });
    assert.ok(first.dueAtMs > s.nowMs && first.dueAtMs <= s.nowMs + SOON_MS);
    await s.passes(5_000);
    const second = as("later", await s.engine.turns.take(conversationId));
    assert.deepEqual(second.elsewhere, { conversationId, sinceAtMs });
  }),

  scene("what another system left behind is honoured for its time, and not again", honouring, async (s) => {
    const conversationId = await takenElsewhere(s);
    await s.passes(honouredForMs(s) - 1);
    await s.nothingDue();
    await s.passes(1);
    const taken = await s.take();
    assert.deepEqual([taken.attempt, taken.isOverStale], [1, true]);
    await s.engine.turns.release(taken.lease, { kind: "retry", afterMs: 1_000, reason: "503" });
    await s.passes(1_000);
    const again = await s.take();
    assert.equal(again.isOverStale, undefined);
    await s.engine.turns.commit(again.lease, silent(again));
    assert.equal((await s.engine.conversations.get(conversationId))?.status, "new");
    await s.reply(await s.turnFor("two"));
    await s.atRest();
  }),

  scene("its time starts anew when the record is changed, whatever its time says", honouring, async (s) => {
    const conversationId = await takenElsewhere(s);
    await s.passes(honouredForMs(s) - 1_000);
    await s.fixture.says!(conversationId, "processing_reply", 1_000);
    await s.passes(SOON_MS);
    await s.nothingDue();
    await s.passes(honouredForMs(s) - 1);
    await s.nothingDue();
    await s.passes(1);
    await s.take();
  }),

  scene(
    "a turn is put off for its longest time at most, however often the record is changed",
    { ...honouring, honourStatusForMsMax: 1_500_000 },
    async (s) => {
      const conversationId = await takenElsewhere(s);
      const untilAtMs = s.nowMs + s.settings.honourStatusForMsMax + s.settings.clockSkewMs;
      for (let change = 1; s.nowMs + 300_000 < untilAtMs; change += 1) {
        await s.passes(300_000);
        await s.fixture.says!(conversationId, "processing_reply", change);
        await s.nothingDue();
      }
      await s.passes(untilAtMs - 1 - s.nowMs);
      await s.nothingDue();
      await s.passes(1);
      const taken = await s.take();
      assert.equal(taken.isOverStale, true);
      await s.reply(taken);
      await s.atRest();
    },
  ),

  scene(
    "a turn is put off for its longest time at most, over all its tries together",
    { ...honouring, honourStatusForMsMax: 900_000 },
    async (s) => {
      const conversationId = await takenElsewhere(s);
      await s.passes(500_000);
      await s.fixture.says!(conversationId, "reply_sent");
      await s.passes(SOON_MS);
      const first = await s.take();
      await s.engine.turns.release(first.lease, { kind: "retry", afterMs: 1_000, reason: "503" });
      await s.fixture.says!(conversationId, "processing_reply", 1);
      await s.passes(1_000);
      await s.nothingDue();
      const leftMs = s.settings.honourStatusForMsMax + s.settings.clockSkewMs - 500_000 - SOON_MS;
      await s.passes(leftMs - 1);
      await s.nothingDue();
      await s.passes(1);
      const second = await s.take();
      assert.deepEqual([second.turnId, second.attempt, second.isOverStale], [first.turnId, 2, true]);
      await s.engine.turns.release(second.lease, { kind: "retry", afterMs: 1_000, reason: "503" });
      await s.fixture.says!(conversationId, "processing_reply", 2);
      await s.passes(1_000);
      const third = await s.take();
      assert.deepEqual([third.attempt, third.isOverStale], [3, true]);
      await s.reply(third);
      await s.atRest();
    },
  ),

  ...(
    [
      ["changes", (s: Scene, id: string) => s.engine.conversations.change(id, { projectStatus: "active" })],
      [
        "changes an attribute of",
        (s: Scene, id: string) =>
          s.engine.conversations.changeAttribute(id, { name: "note", was: undefined, to: "x" }),
      ],
    ] as const
  ).map(([does, change]) =>
    scene(`what an operator ${does} is no new processing of the other system`, honouring, async (s) => {
      const conversationId = await takenElsewhere(s);
      await s.passes(honouredForMs(s) - 1);
      await change(s, conversationId);
      await s.nothingDue();
      await s.passes(1);
      assert.equal((await s.take()).isOverStale, true);
    }),
  ),

  scene("a turn that waits for another system is shown, and since when", honouring, async (s) => {
    const shown = async () => {
      const { items } = await s.engine.inspector.locks({ limit: 10 });
      const lock = (await s.engine.inspector.conversation(conversationId))?.lock;
      assert.deepEqual(lock?.elsewhere, items[0]?.elsewhere);
      return items.map(({ elsewhere: waits }) => waits);
    };
    const { conversationId } = await s.receive();
    assert.deepEqual(await shown(), [undefined]);
    await s.fixture.says!(conversationId, "processing_reply");
    await s.windowPasses();
    const sinceAtMs = s.nowMs;
    await s.nothingDue();
    assert.deepEqual(await shown(), [{ sinceAtMs }]);
    await s.fixture.says!(conversationId, "processing_reply", 1_000);
    await s.passes(SOON_MS);
    await s.nothingDue();
    assert.deepEqual(await shown(), [{ sinceAtMs }]);
    await s.fixture.says!(conversationId, "reply_sent");
    await s.passes(SOON_MS);
    const taken = await s.take();
    assert.deepEqual(await shown(), [undefined]);
    await s.reply(taken);
    await s.atRest();
  }),

  scene("time in which a turn was not due is none that it waited for another", honouring, async (s) => {
    const conversationId = await takenElsewhere(s);
    await s.engine.conversations.change(conversationId, { paused: true });
    await s.passes(SOON_MS);
    await s.nothingDue();
    await s.passes(s.settings.honourStatusForMsMax);
    await s.nothingDue();
    await s.engine.conversations.change(conversationId, { paused: false });
    await s.passes(SOON_MS);
    await s.nothingDue();
    await s.fixture.says!(conversationId, "reply_sent");
    await s.passes(SOON_MS);
    assert.equal((await s.take()).isOverStale, undefined);
  }),

  scene("another system that takes it anew is honoured anew", honouring, async (s) => {
    const conversationId = await takenElsewhere(s);
    await s.passes(honouredForMs(s) - SOON_MS);
    await s.fixture.says!(conversationId, "reply_sent");
    await s.receive("two");
    await s.passes(SOON_MS);
    const taken = await s.take();
    await s.reply(taken);
    await s.receive("three");
    await s.fixture.says!(conversationId, "processing_reply");
    await s.windowPasses();
    await s.nothingDue();
    await s.passes(SOON_MS);
    await s.nothingDue();
  }),

  scene("a turn of ours is never put off by its own status", honouring, async (s) => {
    await s.turnFor("hi");
    await s.leaseLapses();
    const second = await s.take();
    await s.engine.turns.release(second.lease, { kind: "retry", afterMs: 1_000, reason: "503" });
    await s.passes(1_000);
    const third = await s.take();
    assert.equal(third.isOverStale, undefined);
    await s.engine.turns.release(third.lease, { kind: "put-back" });
    await s.reply(await s.take());
    await s.atRest();
  }),

  scene("between two attempts another system may take the conversation", honouring, async (s) => {
    const first = await s.turnFor("hi");
    const { id } = first.conversation;
    await s.engine.turns.release(first.lease, { kind: "retry", afterMs: 1_000, reason: "503" });
    await s.fixture.says!(id, "processing_reply");
    await s.passes(1_000);
    await s.nothingDue();
    await s.fixture.says!(id, "reply_sent");
    await s.passes(SOON_MS);
    assert.equal((await s.take()).attempt, 2);
  }),

  scene("a reply that is still to be sent waits for the other system", honouring, async (s) => {
    const taken = await s.turnFor("hi");
    const draft = draftFor(taken);
    as("drafted", await s.engine.turns.draft(taken.lease, draft));
    await s.engine.turns.release(taken.lease, { kind: "retry", afterMs: 1_000, reason: "503", draft });
    await s.fixture.says!(taken.conversation.id, "processing_reply");
    await s.receive("two");
    await s.windowPasses();
    await s.nothingDue();
    await s.fixture.says!(taken.conversation.id, "reply_sent");
    await s.passes(SOON_MS);
    const again = await s.take();
    assert.equal(again.draft?.turnId, taken.turnId);
  }),

  scene("what a person says waits for the other system", honouring, async (s) => {
    const { conversation } = await s.talk("hi");
    await s.fixture.says!(conversation.id, "processing_reply");
    const said = {
      id: "said",
      conversationId: conversation.id,
      channel: "test",
      to: "ana",
      texts: ["hello"],
    };
    assert.equal(await s.engine.conversations.say({ ...said, author: "operator" }), "staged");
    await s.nothingDue();
    await s.fixture.says!(conversation.id, "reply_sent");
    await s.passes(SOON_MS);
    assert.deepEqual((await s.take()).outbound?.texts, ["hello"]);
  }),

  scene(
    "messages that are out of attempts wait for the other system",
    { ...honouring, attemptsMax: 1 },
    async (s) => {
      const { lease, conversation } = await s.turnFor("hi");
      await s.engine.turns.release(lease, { kind: "retry", afterMs: 1_000, reason: "odd" });
      await s.fixture.says!(conversation.id, "processing_reply");
      await s.passes(1_000);
      await s.nothingDue();
      assert.equal((await s.dead()).length, 0);
      await s.fixture.says!(conversation.id, "reply_sent");
      await s.passes(SOON_MS);
      await s.nothingDue();
      assert.equal((await s.dead()).length, 1);
    },
  ),

  scene(
    "rejecting: while another system processes it nothing is staged, and the customer is told once",
    { ...honouring, whileBusy: "reject" },
    async (s) => {
      const { conversation } = await s.talk("hi");
      await s.fixture.says!(conversation.id, "processing_reply", s.nowMs);
      const tells = [];
      for (const text of ["one", "two"]) {
        const refused = as("refused", await s.deliver(s.arrival(text)));
        assert.equal(refused.code, "CONVERSATION_LOCKED");
        tells.push(refused.tellBusy);
      }
      assert.deepEqual(tells, [true, false]);
      await s.atRest();
      await s.fixture.says!(conversation.id, "reply_sent");
      assert.deepEqual(textsOf(await s.turnFor("three")), ["three"]);
    },
  ),

  scene(
    "rejecting: a status that has stood for too long locks no customer out",
    { ...honouring, whileBusy: "reject" },
    async (s) => {
      const { conversation } = await s.talk("hi");
      await s.fixture.says!(conversation.id, "processing_reply", s.nowMs);
      await s.passes(honouredForMs(s));
      await s.receive("two");
      await s.windowPasses();
      await s.nothingDue();
      await s.passes(honouredForMs(s));
      assert.deepEqual(textsOf(await s.take()), ["two"]);
    },
  ),

  scene("unless it is asked for, another system's status puts nothing off", {}, async (s) => {
    const { conversationId } = await s.receive("one");
    await s.fixture.says!(conversationId, "processing_reply");
    await s.windowPasses();
    await s.reply(await s.take());
    await s.atRest();
  }),
];
