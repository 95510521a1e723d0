import assert from "node:assert/strict";
import { REASON_LENGTH_MAX } from "../../core/defaults.ts";
import type { Taken } from "../../model/take.ts";
import { allSent, as, draftFor, replied, sending, sent, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

/** A turn for "one" that failed in an outage, taken again with "two", which came meanwhile. */
async function joined(s: Scene): Promise<Taken> {
  const { lease } = await s.turnFor("one");
  const how = { kind: "retry", afterMs: 0, reason: "down", outageSinceAtMs: 7 } as const;
  await s.engine.turns.release(lease, how);
  await s.receive("two");
  return s.take();
}

/** Failing: attempts, backoff, dead letters, and what operators do about those. */
export const attempts: readonly EngineCase[] = [
  scene(
    "a batch that kills its worker every time becomes a dead letter of exactly its messages",
    {},
    async (s) => {
      await s.receive("one");
      const { id } = await s.receive("two");
      await s.windowPasses();
      for (let attempt = 1; attempt <= s.settings.attemptsMax; attempt += 1) {
        const taken = await s.take();
        assert.equal(taken.attempt, attempt);
        if (attempt === s.settings.attemptsMax) await s.receive("newer");
        await s.leaseLapses();
      }
      const newer = await s.take();
      assert.deepEqual(textsOf(newer), ["newer"]);
      assert.equal(newer.attempt, 1);
      const [letter, ...others] = await s.dead();
      assert.deepEqual(others, []);
      assert.deepEqual(
        letter?.messages.map(({ text }) => text),
        ["one", "two"],
      );
      assert.equal(letter?.messages[1]?.id, id);
      assert.equal(letter?.attempts, s.settings.attemptsMax);
      assert.match(letter!.reason, /died/);
      await s.reply(newer);
      await s.atRest();
    },
  ),

  scene(
    "a dead letter that a look makes names its conversation and its turn",
    { attemptsMax: 1 },
    async (s) => {
      const { turnId, conversation } = await s.turnFor("one");
      await s.leaseLapses();
      const { deadLettered = [] } = await s.engine.turns.take(conversation.id);
      const named = deadLettered.map((each) => [each.conversationId, each.turnId, each.deadLetterId]);
      assert.deepEqual(named, [[conversation.id, turnId, (await s.dead())[0]?.id]]);
    },
  ),

  scene(
    "messages that joined a later attempt are not counted for the earlier ones",
    { attemptsMax: 2 },
    async (s) => {
      await s.turnFor("one");
      await s.receive("two");
      await s.leaseLapses();
      assert.deepEqual(textsOf(await s.take()), ["one", "two"]);
      await s.leaseLapses();
      const taken = await s.take();
      assert.deepEqual(textsOf(taken), ["two"]);
      assert.equal(taken.attempt, 1);
      assert.deepEqual(
        (await s.dead()).map(({ messages }) => messages.map(({ text }) => text)),
        [["one"]],
      );
    },
  ),

  scene(
    "a failed turn comes back at its time and not before, with what is newer and its attempts",
    {},
    async (s) => {
      const first = await s.turnFor("one");
      const afterMs = 20_000;
      await s.engine.turns.release(first.lease, { kind: "retry", afterMs, reason: "overloaded" });
      await s.passes(5_000);
      await s.receive("two");
      await s.passes(14_999);
      await s.nothingDue();
      await s.passes(1);
      const second = await s.take();
      assert.deepEqual(textsOf(second), ["one", "two"]);
      assert.equal(second.turnId, first.turnId);
      assert.equal(second.attempt, 2);
    },
  ),

  scene(
    "a message that joined a failed turn is dead-lettered with it, and is not answered again",
    {},
    async (s) => {
      const second = await joined(s);
      assert.deepEqual(textsOf(second), ["one", "two"]);
      const draft = sent(draftFor(second, ["to both", "and more"]), 0, "p1");
      await s.engine.turns.draft(second.lease, draft);
      as(
        "released",
        await s.engine.turns.release(second.lease, { kind: "dead-letter", reason: "refused", draft }),
      );
      const [letter] = await s.dead();
      assert.deepEqual(
        letter?.messages.map(({ text }) => text),
        ["one", "two"],
      );
      await s.atRest();
    },
  ),

  scene(
    "what joined a failed turn of which nothing was sent stays, and gets a turn of its own",
    {},
    async (s) => {
      const second = await joined(s);
      const draft = draftFor(second, "to both");
      await s.engine.turns.draft(second.lease, draft);
      as(
        "released",
        await s.engine.turns.release(second.lease, { kind: "dead-letter", reason: "refused", draft }),
      );
      const [letter] = await s.dead();
      assert.deepEqual(
        letter?.messages.map(({ text }) => text),
        ["one"],
      );
      await s.windowPasses();
      assert.deepEqual(textsOf(await s.take()), ["two"]);
    },
  ),

  scene(
    "an outage is not counted: its turn comes back as often as it is released, with its start",
    { attemptsMax: 2 },
    async (s) => {
      const { turnId } = await s.turnFor("one").then(async (first) => {
        const how = { kind: "retry", afterMs: 0, reason: "down", outageSinceAtMs: 7 } as const;
        as("released", await s.engine.turns.release(first.lease, how));
        return first;
      });
      await s.receive("two");
      for (const attempt of [2, 3, 4, 5]) {
        const taken = await s.take();
        assert.deepEqual([taken.turnId, taken.attempt, taken.counted], [turnId, attempt, 1]);
        assert.equal(taken.failingSinceAtMs, 7);
        assert.deepEqual(textsOf(taken), ["one", "two"]);
        const how = { kind: "retry", afterMs: 0, reason: "down", outageSinceAtMs: 7 } as const;
        as("released", await s.engine.turns.release(taken.lease, how));
      }
      const last = await s.take();
      const { items: locks } = await s.engine.inspector.locks({ limit: 1 });
      assert.equal(locks[0]?.attempts, 6);
      as(
        "released",
        await s.engine.turns.release(last.lease, { kind: "dead-letter", reason: "down too long" }),
      );
      const [letter] = await s.dead();
      assert.equal(letter?.attempts, 6);
      // A message that joined the outage later has not waited as long.
      assert.deepEqual(
        letter?.messages.map(({ text }) => text),
        ["one"],
      );
      await s.windowPasses();
      const newer = await s.take();
      assert.deepEqual([textsOf(newer), newer.attempt, newer.failingSinceAtMs], [["two"], 1, undefined]);
    },
  ),

  scene(
    "a crash after the send in the last attempt is asked about, not dead-lettered",
    { attemptsMax: 1 },
    async (s) => {
      const first = await s.turnFor("hi");
      const draft = sending(draftFor(first, "the answer"), 0, s.nowMs + 15_000);
      await s.engine.turns.draft(first.lease, draft);
      await s.leaseLapses();
      const second = await s.take();
      assert.deepEqual([second.draft, second.counted], [draft, 2]);
      as("committed", await s.engine.turns.commit(second.lease, replied(second, allSent(draft))));
      assert.deepEqual(await s.dead(), []);
      await s.atRest();
    },
  ),

  scene(
    "out of attempts after failures, the dead letter tells the last reason",
    { attemptsMax: 2 },
    async (s) => {
      await s.receive("hi");
      await s.windowPasses();
      for (const reason of ["first reason", "last reason"]) {
        const { lease } = await s.take();
        await s.engine.turns.release(lease, { kind: "retry", afterMs: 0, reason });
      }
      await s.nothingDue();
      assert.deepEqual(
        (await s.dead()).map(({ reason }) => reason),
        ["last reason"],
      );
      await s.atRest();
    },
  ),

  scene("a reason of any length is kept short enough to read and to store", { attemptsMax: 1 }, async (s) => {
    const reason = "r".repeat(1_000_000);
    for (const how of [{ kind: "retry", afterMs: 0 }, { kind: "dead-letter" }] as const) {
      const { lease, conversation } = await s.turnFor("one");
      as("released", await s.engine.turns.release(lease, { ...how, reason }));
      await s.engine.turns.take(conversation.id);
    }
    const lengths = (await s.dead()).map((letter) => letter.reason.length);
    assert.deepEqual(lengths, [REASON_LENGTH_MAX, REASON_LENGTH_MAX]);
  }),

  scene(
    "what no attempt can mend is dead-lettered at once, with reason and draft; newer messages go on",
    {},
    async (s) => {
      const first = await s.turnFor("one");
      const { dueAtMs } = await s.receive("two");
      const draft = sent(draftFor(first, ["part one", "part two"]), 0, "p1");
      const how = { kind: "dead-letter", reason: "NOT_SENT: number does not exist", draft } as const;
      const { deadLetterId } = as("released", await s.engine.turns.release(first.lease, how));
      const [letter] = await s.dead();
      assert.equal(letter?.id, deadLetterId);
      assert.equal(letter?.reason, how.reason);
      assert.equal(letter?.attempts, 1);
      assert.deepEqual(letter?.draft, draft);
      assert.equal((await s.engine.conversations.get(first.conversation.id))?.status, "processing_error");
      await s.passes(dueAtMs - s.nowMs - 1);
      await s.nothingDue();
      await s.passes(1);
      assert.deepEqual(textsOf(await s.take()), ["two"]);
    },
  ),

  scene(
    "a dead letter takes the written draft along, and later messages do not continue it",
    { attemptsMax: 1 },
    async (s) => {
      const first = await s.turnFor("one");
      const draft = draftFor(first, "half an answer");
      await s.engine.turns.draft(first.lease, draft);
      await s.leaseLapses();
      await s.nothingDue();
      assert.deepEqual((await s.dead())[0]?.draft, draft);
      const next = await s.turnFor("two");
      assert.equal(next.draft, undefined);
      assert.deepEqual(textsOf(next), ["two"]);
    },
  ),

  scene("messages in a dead letter are remembered: their redelivery is a duplicate", {}, async (s) => {
    const { message } = await s.receive("hi");
    await s.windowPasses();
    const { lease } = await s.take();
    await s.engine.turns.release(lease, { kind: "dead-letter", reason: "broken" });
    assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
    await s.windowPasses();
    await s.nothingDue();
  }),

  scene("retrying a dead letter moves its messages back once, as a new turn", {}, async (s) => {
    const first = await s.turnFor("one", "two");
    await s.engine.turns.release(first.lease, { kind: "dead-letter", reason: "broken" });
    const [letter] = await s.dead();
    const retries = await Promise.all([1, 2, 3].map(() => s.engine.repairs.retryDead(letter!.id)));
    assert.deepEqual(retries.sort(), ["not-found", "not-found", "retried"]);
    assert.deepEqual(await s.dead(), []);
    const second = await s.take();
    assert.deepEqual(textsOf(second), ["one", "two"]);
    assert.notEqual(second.turnId, first.turnId);
    assert.equal(second.attempt, 1);
    await s.reply(second);
    assert.deepEqual(await s.deliver({ ...second.messages[0]! }), { kind: "duplicate" });
    await s.atRest();
  }),

  scene("a retried dead letter that dies again is a dead letter again", { attemptsMax: 1 }, async (s) => {
    await s.turnFor("hi");
    await s.leaseLapses();
    await s.nothingDue();
    await s.engine.repairs.retryDead((await s.dead())[0]!.id);
    await s.take();
    await s.leaseLapses();
    await s.nothingDue();
    assert.equal((await s.dead()).length, 1);
  }),

  scene("a discarded dead letter is gone, and its messages stay answered for", {}, async (s) => {
    const { message } = await s.receive("hi");
    await s.windowPasses();
    const { lease } = await s.take();
    await s.engine.turns.release(lease, { kind: "dead-letter", reason: "spam" });
    const [letter] = await s.dead();
    assert.equal(await s.engine.repairs.discardDead(letter!.id), "discarded");
    assert.equal(await s.engine.repairs.discardDead(letter!.id), "not-found");
    assert.equal(await s.engine.repairs.retryDead(letter!.id), "not-found");
    assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
    await s.nothingDue();
  }),

  scene("waiting and releasing are not counted as attempts", {}, async (s) => {
    const first = await s.turnFor("hi");
    await s.engine.turns.release(first.lease, { kind: "put-back" });
    const second = await s.take();
    assert.deepEqual([second.turnId, second.attempt], [first.turnId, 1]);
    await s.engine.turns.release(second.lease, { kind: "wait", afterMs: 7_000 });
    await s.passes(6_999);
    await s.nothingDue();
    await s.passes(1);
    const third = await s.take();
    assert.deepEqual([third.turnId, third.attempt], [first.turnId, 1]);
  }),

  scene(
    "a turn is a suspect when an attempt ended with its holder, and stays one whatever else fails",
    {},
    async (s) => {
      const first = await s.turnFor("hi");
      assert.equal(first.isSuspect, undefined);
      await s.leaseLapses();
      const second = await s.take();
      assert.equal(second.isSuspect, true);
      await s.engine.turns.release(second.lease, { kind: "wait", afterMs: 1_000 });
      await s.passes(1_000);
      const third = await s.take();
      assert.deepEqual([third.attempt, third.isSuspect], [2, true]);
      await s.engine.turns.release(third.lease, { kind: "retry", afterMs: 0, reason: "a bug" });
      const fourth = await s.take();
      assert.deepEqual([fourth.attempt, fourth.isSuspect], [3, true]);
    },
  ),

  scene("one that only failed is none, until its holder dies as well", {}, async (s) => {
    const first = await s.turnFor("hi");
    await s.engine.turns.release(first.lease, { kind: "retry", afterMs: 0, reason: "a bug" });
    const second = await s.take();
    assert.deepEqual([second.attempt, second.isSuspect], [2, undefined]);
    await s.leaseLapses();
    const third = await s.take();
    assert.deepEqual([third.attempt, third.isSuspect], [3, true]);
  }),

  scene("a continued draft asks no responder, and is no suspect", { settleMs: 0 }, async (s) => {
    const first = await s.turnFor("hi");
    await s.engine.turns.draft(first.lease, draftFor(first));
    await s.leaseLapses();
    const second = await s.take();
    assert.equal(second.attempt, 2);
    assert.equal(second.isSuspect, undefined);
  }),

  scene("a commit clears the attempts: the next turn starts at one", {}, async (s) => {
    await s.turnFor("one");
    await s.leaseLapses();
    await s.reply(await s.take());
    const next = await s.turnFor("two");
    assert.equal(next.attempt, 1);
    const { turns } = await s.detail(next.conversation.id);
    assert.deepEqual(
      turns.map(({ attempts: counted }) => counted),
      [2],
    );
  }),
];
