import assert from "node:assert/strict";
import { REMEMBERED_LONGER_MS } from "../../core/defaults.ts";
import { as, draftFor, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Everything listed now stays listed until that much time has passed, and then nothing is. */
async function refusalsLast(s: Scene, ms: number): Promise<void> {
  const shown = async () => {
    const { items } = await s.engine.inspector.refusals({ limit: 10 });
    assert.equal((await s.engine.inspector.counts()).refusals, items.length);
    return items.length;
  };
  const before = await shown();
  assert.ok(before > 0);
  await s.passes(ms - HOUR);
  await s.engine.sweeping.sweep();
  assert.equal(await shown(), before);
  await s.passes(2 * HOUR);
  await sweepWhile(s, async () => (await shown()) > 0);
  assert.equal(await shown(), 0);
}

/** As many as would have run: a single sweep does not believe that so much time has passed. */
async function sweepWhile(s: Scene, isThere: () => Promise<boolean>): Promise<void> {
  for (let sweeps = 0; sweeps < 1_000 && (await isThere()); sweeps += 1) await s.engine.sweeping.sweep();
}

/** It heals alone: stranded work is found, and what has expired is removed. */
export const sweeping: readonly EngineCase[] = [
  scene("stranded messages are found, counted, and get their turn", {}, async (s) => {
    const { conversationId, dueAtMs } = await s.receive("hi");
    await s.fixture.strand!(conversationId);
    await s.passes(dueAtMs + s.settings.graceMs - s.nowMs - 1);
    assert.deepEqual((await s.engine.sweeping.sweep()).orphans, []);
    await s.nothingDue();
    await s.passes(1);
    assert.deepEqual((await s.engine.sweeping.sweep()).orphans, [conversationId]);
    assert.deepEqual(textsOf(await s.take()), ["hi"]);
    assert.deepEqual((await s.engine.sweeping.sweep()).orphans, []);
  }),

  scene("where nothing waits a sweep finds nothing", {}, async (s) => {
    await s.talk("hi");
    const { orphans, retriggered, freed, expired } = await s.engine.sweeping.sweep();
    assert.deepEqual(
      { orphans, retriggered, freed, expired },
      { orphans: [], retriggered: 0, freed: 0, expired: 0 },
    );
  }),

  scene("an outbound that no worker would look at is found as well", {}, async (s) => {
    const key = { channelType: "test", address: "lull", sender: "ana" };
    const { conversation } = await s.engine.conversations.create(key);
    const say = {
      id: "o1",
      conversationId: conversation.id,
      channel: "test",
      to: "ana",
      texts: ["hello"],
      author: "eva",
    };
    await s.engine.conversations.say(say);
    await s.fixture.strand!(conversation.id);
    await s.passes(s.settings.graceMs);
    assert.deepEqual((await s.engine.sweeping.sweep()).orphans, [conversation.id]);
    assert.deepEqual((await s.take()).outbound?.texts, ["hello"]);
  }),

  scene("a message that arrives at a stranded conversation brings everything back", {}, async (s) => {
    const { conversationId } = await s.receive("one");
    await s.fixture.strand!(conversationId);
    await s.passes(60_000);
    await s.receive("two");
    await s.windowPasses();
    assert.deepEqual(textsOf(await s.take()), ["one", "two"]);
  }),

  scene("a sweep is bounded, and the next one goes on where it stopped", { sweepRowsMax: 3 }, async (s) => {
    for (let at = 0; at < 8; at += 1) {
      const { conversationId } = await s.receive({ sender: `person-${at}` });
      await s.fixture.strand!(conversationId);
    }
    await s.passes(60_000);
    const found: number[] = [];
    for (let round = 0; round < 4; round += 1) found.push((await s.engine.sweeping.sweep()).orphans.length);
    assert.ok(
      found.every((orphans) => orphans <= 3),
      `found ${found}`,
    );
    assert.equal(
      found.reduce((sum, orphans) => sum + orphans, 0),
      8,
    );
    assert.equal((await s.turns()).length, 8);
  }),

  scene(
    "what is past its time goes in bounded rounds, and each says whether there is more",
    { sweepRowsMax: 3, dedupeMs: 1_000 },
    async (s) => {
      for (let at = 0; at < 20; at += 1) await s.receive();
      await s.windowPasses();
      await s.reply(await s.take());
      await s.passes(1_000 + s.settings.clockSkewMs + REMEMBERED_LONGER_MS);
      const rounds: number[] = [];
      for (let hasMore = true; hasMore; ) {
        const report = await s.engine.sweeping.sweep();
        rounds.push(report.expired);
        hasMore = report.hasMore === true;
        assert.ok(rounds.length <= 50, `no end after ${rounds.length} rounds`);
      }
      assert.ok(Math.max(...rounds) <= 3, `removed ${rounds}`);
      assert.equal(
        rounds.reduce((sum, expired) => sum + expired, 0),
        20,
      );
    },
  ),

  ...[
    { retentionMs: 1 * DAY, keptMs: 1 * DAY, title: "as long as the retention says, where that is shorter" },
    { retentionMs: 30 * DAY, keptMs: 7 * DAY, title: "seven days, where the retention is longer" },
    { retentionMs: 0, keptMs: 7 * DAY, title: "seven days, where everything else is kept for good" },
  ].map(({ retentionMs, keptMs, title }) =>
    scene(`it is known what was sent: ${title}`, { retentionMs }, async (s) => {
      const { turnId } = await s.talk("hi");
      const status = { account: "account", status: "delivered", providerId: `out-${turnId}-0` };
      const record = () => s.engine.receiving.recordDelivery("test", status);
      await s.passes(keptMs - HOUR);
      await s.engine.sweeping.sweep();
      assert.equal(await record(), "recorded");
      await s.passes(2 * HOUR);
      await sweepWhile(s, async () => (await record()) === "recorded");
      assert.equal(await record(), "unmatched");
    }),
  ),

  scene("a healthy store has no orphans: gathering, held, waiting, paused", {}, async (s) => {
    await s.receive({ sender: "held" });
    await s.receive({ sender: "waiting" });
    await s.windowPasses();
    const [, second] = await s.turns();
    await s.engine.turns.release(second!.lease, {
      kind: "retry",
      afterMs: HOUR,
      reason: "overloaded",
    });
    const { conversationId } = await s.receive({ sender: "paused" });
    await s.engine.conversations.change(conversationId, { paused: true });
    await s.windowPasses();
    await s.nothingDue();
    await s.receive({ sender: "gathering" });
    await s.passes(s.settings.graceMs);
    assert.deepEqual((await s.engine.sweeping.sweep()).orphans, []);
  }),

  scene(
    "a draft stays past the retention time, with the messages that it answers",
    { retentionMs: 24 * HOUR },
    async (s) => {
      const taken = await s.turnFor("hi");
      as("drafted", await s.engine.turns.draft(taken.lease, draftFor(taken, "the answer")));
      await s.passes(25 * HOUR);
      for (let sweeps = 0; sweeps < 12; sweeps += 1) await s.engine.sweeping.sweep();
      const [lock] = await s.locks();
      assert.deepEqual([lock?.draft, lock?.staged], [true, 1]);
    },
  ),

  scene(
    "old messages and turns go after the retention time; staged and dead ones stay",
    { retentionMs: 24 * HOUR },
    async (s) => {
      const { id } = (await s.talk("old")).conversation;
      await s.engine.turns.release((await s.turnFor("dead")).lease, {
        kind: "dead-letter",
        reason: "broken",
      });
      await s.engine.conversations.change(id, { paused: true });
      await s.receive("staged");
      await s.passes(23 * HOUR);
      await s.engine.sweeping.sweep();
      assert.equal((await s.detail(id)).messages.length, 2);
      await s.passes(2 * HOUR);
      // As many as would have run: a single sweep does not believe that so much time has passed.
      for (let sweeps = 0; sweeps < 12; sweeps += 1) await s.engine.sweeping.sweep();
      const { messages, turns, staged } = await s.detail(id);
      assert.deepEqual([messages.length, turns.length, staged.length], [0, 0, 1]);
      assert.equal((await s.dead()).length, 1);
    },
  ),

  scene(
    "refusals, which name who wrote, go after the retention time as well",
    { retentionMs: 24 * HOUR },
    async (s) => {
      const { conversationId } = await s.receive("hi");
      await s.engine.conversations.change(conversationId, { projectStatus: "archived" });
      await s.deliver(s.arrival("refused"));
      await s.engine.receiving.stage([{ arrival: s.arrival({ sender: "ben" }), refusal: "ROUTE_NOT_FOUND" }]);
      await refusalsLast(s, 24 * HOUR);
      assert.deepEqual((await s.detail(conversationId)).refusals, []);
    },
  ),

  scene(
    "and after 30 days where there is none, or a longer one",
    { retentionMs: 400 * 24 * HOUR },
    async (s) => {
      await s.engine.receiving.stage([{ arrival: s.arrival(), refusal: "ROUTE_NOT_FOUND" }]);
      await refusalsLast(s, 30 * 24 * HOUR);
    },
  ),

  scene("without a retention time messages are kept for good", {}, async (s) => {
    const { id } = (await s.talk("hi")).conversation;
    await s.passes(10_000 * HOUR);
    await s.engine.sweeping.sweep();
    assert.equal((await s.detail(id)).messages.length, 2);
  }),
];
