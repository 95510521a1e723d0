import assert from "node:assert/strict";
import { LEASE_MS_MAX } from "../../core/defaults.ts";
import { allSent, as, draftFor, replied, sending, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

/** What a refused write must leave as it was. */
async function everything(s: Scene, conversationId: string) {
  const detail = await s.detail(conversationId);
  return { detail, dead: await s.dead(), counts: await s.engine.inspector.counts() };
}

/** One at a time: which worker may work, and what one finds that no longer may. */
export const leases: readonly EngineCase[] = [
  scene(
    "a wake-up while the lease is held is told when to come again, and comes again then",
    {},
    async (s) => {
      const taken = await s.turnFor("hi");
      const outcome = as("busy", await s.engine.turns.take(taken.lease.conversationId));
      assert.equal(outcome.untilAtMs, taken.lease.untilAtMs);
      assert.equal(outcome.conversationId, taken.lease.conversationId);
      const { holder, takenAtMs } = (await s.detail(taken.conversation.id)).lock!.lease!;
      assert.deepEqual([outcome.holder, outcome.sinceAtMs], [holder, takenAtMs]);
      await s.passes(s.settings.leaseMs + s.settings.clockSkewMs - 1);
      assert.deepEqual(await s.woken(), []);
      await s.passes(1);
      assert.equal((await s.takeWoken()).turnId, taken.turnId);
    },
  ),

  scene("a message tells whether it opened a window, or joined one", {}, async (s) => {
    const joined = async (text: string) => as("staged", await s.deliver(s.arrival(text))).isJoined;
    assert.equal(await joined("hi"), undefined);
    assert.equal(await joined("are you there?"), true);
    await s.windowPasses();
    await s.take();
    assert.equal(await joined("this one comes while the turn runs"), undefined);
    assert.equal(await joined("and this one, too"), true);
  }),

  scene("a lapsed lease is taken by another worker: new token, same turn, second attempt", {}, async (s) => {
    const other = await s.open("worker-2");
    const first = await s.turnFor("one", "two");
    await s.leaseLapses();
    const second = await s.take(other);
    assert.notEqual(second.lease.token, first.lease.token);
    assert.equal(second.turnId, first.turnId);
    assert.deepEqual([first.attempt, second.attempt], [1, 2]);
    assert.deepEqual(textsOf(second), ["one", "two"]);
    await s.reply(second, "ok", other);
    await s.atRest();
  }),

  scene(
    "a lapsed lease is left alone for as long as two clocks may be apart",
    { clockSkewMs: 2_000 },
    async (s) => {
      const { turnId } = await s.turnFor("hi");
      await s.passes(s.settings.leaseMs + 1_999);
      await s.nothingDue();
      await s.passes(1);
      assert.equal((await s.take()).turnId, turnId);
    },
  ),

  scene(
    "the longest lease has a limit, and until then no other worker gets it",
    { leaseMs: 2 * LEASE_MS_MAX },
    async (s) => {
      const other = await s.open("worker-2");
      const { conversation } = await s.turnFor("hi");
      as("busy", await other.turns.take(conversation.id));
      await s.passes(LEASE_MS_MAX - 1);
      as("busy", await other.turns.take(conversation.id));
      await s.leaseLapses();
      await s.take(other);
    },
  ),

  scene("a renewed lease lasts from its renewal", {}, async (s) => {
    const { lease } = await s.turnFor("hi");
    await s.passes(s.settings.renewMs);
    const renewal = as("renewed", await s.engine.turns.renew(lease));
    assert.equal(renewal.lease.untilAtMs, s.nowMs + s.settings.leaseMs);
    await s.passes(s.settings.leaseMs - 1);
    assert.equal((await s.engine.sweeping.sweep()).retriggered, 0);
    await s.nothingDue();
  }),

  scene("a look that finds nothing leaves no lease behind", {}, async (s) => {
    const { conversationId } = await s.receive("hi");
    await s.windowPasses();
    await s.reply(await s.take());
    for (let look = 0; look < 3; look += 1) {
      assert.deepEqual(await s.engine.turns.take(conversationId), { kind: "nothing" });
    }
    await s.atRest();
    assert.equal((await s.detail(conversationId)).lock, undefined);
    await s.receive("again");
    await s.windowPasses();
    await s.take();
  }),

  scene("a wake-up for a conversation that does not exist is dropped", {}, async (s) => {
    assert.deepEqual(await s.engine.turns.take("no-such-id"), { kind: "nothing" });
    await s.atRest();
  }),

  scene("a worker that dies right after its commit leaves no second turn", {}, async (s) => {
    const doomed = await s.open("doomed");
    const message = s.arrival("hi");
    await s.deliver(message, doomed);
    await s.windowPasses();
    const taken = await s.take(doomed);
    await s.reply(taken, "ok", doomed);
    await doomed.close();
    await s.deliver(message);
    await s.leaseLapses();
    await s.engine.sweeping.sweep();
    await s.nothingDue();
    assert.equal((await s.detail(taken.conversation.id)).turns.length, 1);
    as("lost", await s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken)))));
    assert.equal((await s.detail(taken.conversation.id)).messages.length, 2);
  }),

  scene("a worker that dies before any request of its commit leaves no second turn", {}, async (s) => {
    for (let nth = 1; ; nth += 1) {
      const sender = `ana-${nth}`;
      let left = Number.POSITIVE_INFINITY;
      const doomed = await s.openWatched(`doomed-${nth}`, async () => {
        left -= 1;
        if (left === 0) throw new Error("the worker died");
      });
      const { conversationId, message } = await s.receive({ sender });
      await s.windowPasses();
      const taken = await s.take(doomed);
      const draft = draftFor(taken);
      as("drafted", await doomed.turns.draft(taken.lease, draft));
      as("written", await doomed.turns.writeChunks(taken.lease, allSent(draft)));
      left = nth;
      await doomed.turns.commit(taken.lease, replied(taken, allSent(draft))).catch(() => {});
      const isOver = left > 0;
      await s.deliver(message);
      await s.leaseLapses();
      await s.engine.sweeping.sweep();
      for (const next of await s.turns()) {
        if (!next.draft) await s.reply(next);
        else as("committed", await s.engine.turns.commit(next.lease, replied(next, next.draft)));
      }
      await s.windowPasses();
      await s.nothingDue();
      const { turns, messages } = await s.detail(conversationId);
      assert.deepEqual([turns.length, messages.length], [1, 2]);
      if (isOver) return s.atRest();
    }
  }),

  scene("a worker that lost its lease finds every write refused, and nothing changed", {}, async (s) => {
    const other = await s.open("worker-2");
    const stale = await s.turnFor("hi");
    await s.leaseLapses();
    const fresh = await s.take(other);
    const before = await everything(s, fresh.conversation.id);
    const { turns } = s.engine;
    const draft = sending(draftFor(stale, "stale"), 0, s.nowMs);
    const lost = { kind: "lost" };
    assert.deepEqual(await turns.renew(stale.lease), lost);
    assert.deepEqual(await turns.draft(stale.lease, draft), lost);
    assert.deepEqual(await turns.writeChunks(stale.lease, draft), lost);
    assert.deepEqual(await turns.commit(stale.lease, replied(stale, allSent(draft))), lost);
    for (const how of [
      { kind: "retry", afterMs: 0, reason: "stale", draft },
      { kind: "dead-letter", reason: "stale" },
      { kind: "wait", afterMs: 0, draft },
      { kind: "restart" },
      { kind: "put-back" },
    ] as const) {
      assert.deepEqual(await turns.release(stale.lease, how), lost);
    }
    assert.equal(await turns.hasNewer(stale.lease), false);
    assert.deepEqual(await everything(s, fresh.conversation.id), before);
    await s.reply(fresh, "ok", other);
    const { messages } = await s.detail(fresh.conversation.id);
    assert.deepEqual(
      messages.map(({ text }) => text),
      ["hi", "ok"],
    );
  }),

  scene("a lease that was released or committed is not good for another write", {}, async (s) => {
    const first = await s.turnFor("hi");
    await s.engine.turns.release(first.lease, { kind: "put-back" });
    as("lost", await s.engine.turns.renew(first.lease));
    const second = await s.take();
    await s.reply(second);
    as("lost", await s.engine.turns.commit(second.lease, replied(second, allSent(draftFor(second)))));
    as("lost", await s.engine.turns.release(second.lease, { kind: "put-back" }));
    await s.atRest();
  }),

  scene("time alone takes nothing away: a slow worker that was not replaced goes on", {}, async (s) => {
    const taken = await s.turnFor("hi");
    await s.leaseLapses();
    as("renewed", await s.engine.turns.renew(taken.lease));
    await s.nothingDue();
    await s.reply(taken);
    await s.atRest();
  }),

  scene(
    "many takes of one conversation from several workers at once give exactly one turn",
    {},
    async (s) => {
      const engines = [s.engine, await s.open("worker-2"), await s.open("worker-3")];
      const { conversationId } = await s.receive("hi");
      await s.windowPasses();
      const takes = Array.from({ length: 30 }, (_, at) => engines[at % 3]!.turns.take(conversationId));
      const due = engines.map((engine) => s.fixture.takeDue(engine));
      const outcomes = [...(await Promise.all(takes)), ...(await Promise.all(due)).flat()];
      assert.equal(outcomes.filter(({ kind }) => kind === "turn").length, 1);
    },
  ),

  scene("the leases of a worker known to be dead are free at once, and only those", {}, async (s) => {
    const doomed = await s.open("doomed");
    await s.receive({ sender: "ana" });
    await s.receive({ sender: "ben" });
    await s.windowPasses();
    const [first] = await s.turns(doomed, 1);
    const [second] = await s.turns(s.engine, 1);
    assert.equal(await s.engine.sweeping.freeLeases("doomed"), 1);
    const again = await s.takeWoken();
    assert.equal(again.turnId, first?.turnId);
    assert.equal(again.attempt, 2);
    as("renewed", await s.engine.turns.renew(second!.lease));
    as("lost", await s.engine.turns.renew(first!.lease));
    assert.equal(await s.engine.sweeping.freeLeases("no-such-worker"), 0);
  }),

  scene("a crashed worker's customer need not write again, nor wait for a restart", {}, async (s) => {
    const doomed = await s.open("doomed");
    const { message } = await s.receive("hi", doomed);
    await s.windowPasses();
    await s.take(doomed);
    await doomed.close();
    await s.leaseLapses();
    await s.engine.sweeping.sweep();
    const taken = await s.takeWoken();
    assert.deepEqual(textsOf(taken), ["hi"]);
    await s.reply(taken);
    assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
  }),

  scene("conversations do not wait for each other", {}, async (s) => {
    await s.receive({ sender: "ana" });
    await s.windowPasses();
    await s.take();
    await s.receive({ sender: "ben" });
    await s.windowPasses();
    assert.equal((await s.take()).conversation.sender, "ben");
  }),
];
