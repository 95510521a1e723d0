import assert from "node:assert/strict";
import { REMEMBERED_LONGER_MS } from "../../core/defaults.ts";
import type { Arrival } from "../../model/message.ts";
import { allSent, as, draftFor, replied, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

async function fiveTimes(s: Scene, message: Arrival): Promise<void> {
  for (let time = 0; time < 5; time += 1) {
    assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
  }
}

const ONE_DAY = { dedupeMs: 24 * 3_600_000 };

/** DEDUPE, STAGE, ARM: what is acknowledged is in exactly one turn. */
export const receiving: readonly EngineCase[] = [
  scene("the same webhook five times, before, during and after its turn, makes one turn", {}, async (s) => {
    const { message } = await s.receive("hi");
    await fiveTimes(s, message);
    await s.windowPasses();
    const taken = await s.take();
    assert.deepEqual(textsOf(taken), ["hi"]);
    await fiveTimes(s, message);
    await s.reply(taken);
    await fiveTimes(s, message);
    await s.windowPasses();
    await s.nothingDue();
    await s.atRest();
  }),

  scene("a webhook redelivered after its task was completed opens no new conversation", {}, async (s) => {
    const { message } = await s.receive("hi");
    await s.windowPasses();
    const taken = await s.take();
    await s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken)), { complete: true }));
    await fiveTimes(s, message);
    await s.windowPasses();
    await s.nothingDue();
    assert.equal((await s.conversations()).length, 1);
  }),

  scene(
    "a redelivery of what waits in a completed conversation is a duplicate, though the next one is open",
    {},
    async (s) => {
      const first = await s.turnFor("hi");
      const { message, conversationId } = await s.receive("one more thing");
      const done = replied(first, allSent(draftFor(first)), { complete: true });
      as("committed", await s.engine.turns.commit(first.lease, done));
      const next = await s.receive("something else");
      assert.notEqual(next.conversationId, conversationId);
      await fiveTimes(s, message);
      await s.windowPasses();
      const turns = await s.turns();
      assert.deepEqual(turns.map(textsOf).sort(), [["one more thing"], ["something else"]]);
      for (const taken of turns) await s.reply(taken);
      await fiveTimes(s, message);
      await s.atRest();
    },
  ),

  scene("a dead letter that was brought back is not staged in the next conversation, too", {}, async (s) => {
    const taken = await s.turnFor("hi");
    const message = taken.messages[0]!;
    await s.engine.turns.release(taken.lease, { kind: "dead-letter", reason: "this cannot be answered" });
    await s.engine.conversations.change(taken.conversation.id, { taskComplete: true });
    const next = await s.receive("something else");
    assert.notEqual(next.conversationId, taken.conversation.id);
    const [letter] = (await s.engine.inspector.dead({ limit: 1 })).items;
    assert.equal(await s.engine.repairs.retryDead(letter!.id), "retried");
    await fiveTimes(s, message);
    await s.windowPasses();
    assert.deepEqual((await s.turns()).map(textsOf).sort(), [["hi"], ["something else"]]);
  }),

  scene("the same provider id from another account or channel is another message", {}, async (s) => {
    const { message } = await s.receive({ text: "one" });
    as("staged", await s.deliver({ ...message, account: "other", text: "two" }));
    as("staged", await s.deliver({ ...message, channel: "other", text: "three" }));
    await s.windowPasses();
    const taken = await s.turns();
    assert.deepEqual(taken.flatMap(textsOf).sort(), ["one", "three", "two"]);
  }),

  scene("every message of one payload gets its own outcome, in order", {}, async (s) => {
    const known = (await s.receive("known")).message;
    const fresh = s.arrival("fresh");
    const ben = s.arrival({ sender: "ben" });
    const requests = [known, fresh, fresh, ben].map((arrival) => ({ arrival }));
    const outcomes = await s.engine.receiving.stage(requests);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["duplicate", "staged", "duplicate", "staged"],
    );
    await s.windowPasses();
    const turns = await s.turns();
    assert.deepEqual(turns.map(textsOf).sort(), [["hi"], ["known", "fresh"]]);
  }),

  scene("two first messages at the same instant on two workers make one conversation", {}, async (s) => {
    const others = [await s.open("worker-2"), await s.open("worker-3")];
    const staged = await Promise.all(
      [s.engine, ...others, s.engine, ...others].map((engine, at) => s.receive(`message ${at}`, engine)),
    );
    assert.equal(new Set(staged.map(({ conversationId }) => conversationId)).size, 1);
    assert.equal((await s.conversations()).length, 1);
    await s.windowPasses();
    assert.equal((await s.take()).messages.length, 6);
  }),

  scene("a message delivered to two workers at the same instant is staged once", {}, async (s) => {
    const other = await s.open("worker-2");
    const message = s.arrival("hi");
    const outcomes = await Promise.all(
      [s.engine, other, s.engine, other].map((engine) => s.deliver(message, engine)),
    );
    assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), [
      "duplicate",
      "duplicate",
      "duplicate",
      "staged",
    ]);
    await s.windowPasses();
    assert.deepEqual(textsOf(await s.take()), ["hi"]);
  }),

  scene("a message whose worker died right after staging it is found by another", {}, async (s) => {
    const doomed = await s.open("doomed");
    await s.receive("hi", doomed);
    await doomed.close();
    await s.windowPasses();
    assert.deepEqual(textsOf(await s.take()), ["hi"]);
  }),

  scene("a redelivered message that no worker would look at gets its window back", {}, async (s) => {
    const { conversationId, message } = await s.receive("hi");
    await s.fixture.strand!(conversationId);
    await s.passes(60_000);
    await s.nothingDue();
    assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
    assert.deepEqual(textsOf(await s.take()), ["hi"]);
  }),

  scene("a window whose trigger was never sent is looked at after a sweep", {}, async (s) => {
    const { conversationId } = await s.receive("hi");
    await s.fixture.loseTriggers?.(conversationId);
    await s.windowPasses();
    await s.passes(s.settings.graceMs);
    await s.engine.sweeping.sweep();
    assert.deepEqual(textsOf(await s.takeWoken()), ["hi"]);
  }),

  scene(
    "a window whose trigger was never sent is looked at when its message comes again, or another",
    {},
    async (s) => {
      for (const again of ["delivered again", "another"]) {
        const { conversationId, message } = await s.receive({ text: "hi", sender: again });
        await s.fixture.loseTriggers?.(conversationId);
        await s.windowPasses();
        await s.passes(s.settings.graceMs);
        const next = again === "another" ? s.arrival({ text: "are you there?", sender: again }) : message;
        await s.deliver(next);
        const texts = next === message ? ["hi"] : ["hi", "are you there?"];
        assert.deepEqual(textsOf(await s.takeWoken()), texts);
      }
    },
  ),

  scene("staged messages never expire, however late their turn comes", { dedupeMs: 60_000 }, async (s) => {
    await s.receive("hi");
    for (let day = 0; day < 30; day += 1) {
      await s.passes(24 * 3_600_000);
      await s.fixture.collectExpired?.();
      await s.engine.sweeping.sweep();
    }
    assert.deepEqual(textsOf(await s.take()), ["hi"]);
  }),

  // Shorter than anything else is kept, so that the sweep forgets only this one.
  scene(
    "a message is remembered for the dedupe time, and forgotten by a sweep soon after it",
    ONE_DAY,
    async (s) => {
      const { message } = await s.receive("hi");
      await s.windowPasses();
      await s.reply(await s.take());
      await s.passes(s.settings.dedupeMs - 1);
      await s.engine.sweeping.sweep();
      assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
      await s.passes(1 + REMEMBERED_LONGER_MS);
      assert.equal((await s.engine.sweeping.sweep()).expired, 1);
      as("staged", await s.deliver({ ...message, arrivedAtMs: s.nowMs }));
    },
  ),

  scene("it is known since when ids are, also after sweeps have noted it", ONE_DAY, async (s) => {
    for (let at = 0; at < 3; at += 1) {
      assert.equal(await s.engine.receiving.knownSinceMs(), s.nowMs - s.settings.dedupeMs);
      await s.engine.sweeping.sweep();
      await s.talk("hi");
      await s.passes(600_000);
    }
  }),

  scene("a refusal that was decided before is recorded with its reason", {}, async (s) => {
    const arrival = s.arrival("hi");
    const [outcome] = await s.engine.receiving.stage([{ arrival, refusal: "ROUTE_NOT_FOUND" }]);
    assert.equal(as("refused", outcome!).code, "ROUTE_NOT_FOUND");
    const { items } = await s.engine.inspector.refusals({ limit: 10 });
    assert.deepEqual(
      items.map(({ code, sender, channel }) => ({ code, sender, channel })),
      [{ code: "ROUTE_NOT_FOUND", sender: "ana", channel: "test" }],
    );
    await s.atRest();
  }),

  scene("a message that is too large is on record once, however often it comes", {}, async (s) => {
    const arrival = s.arrival("hi");
    for (let times = 0; times < 3; times += 1) {
      const outcomes = await s.engine.receiving.stage([{ arrival, refusal: "MESSAGE_TOO_LARGE" }]);
      assert.equal(as("refused", outcomes[0]!).code, "MESSAGE_TOO_LARGE");
    }
    assert.equal((await s.engine.inspector.counts()).refusals, 1);
    // Shortened by its sender, it may come in.
    as("staged", await s.deliver(arrival));
  }),

  scene(
    "a refusal that is not to be recorded leaves no record, and a redelivery is a duplicate",
    { admission: "known" },
    async (s) => {
      const isUnrecorded = true;
      const sender = "ben";
      for (const refusal of ["MESSAGE_TOO_LARGE", "RATE_LIMITED", "CONVERSATION_NOT_FOUND"] as const) {
        const arrival = s.arrival({ sender });
        const decided = refusal === "CONVERSATION_NOT_FOUND" ? {} : { refusal };
        const [outcome] = await s.engine.receiving.stage([{ arrival, ...decided, isUnrecorded }]);
        assert.equal(as("refused", outcome!).code, refusal);
      }
      assert.equal((await s.engine.inspector.counts()).refusals, 0);
      await s.engine.conversations.create({ channelType: "test", address: "lull", sender: "ana" });
      const { message } = await s.receive("hi");
      const again = { arrival: message, refusal: "RATE_LIMITED", isUnrecorded } as const;
      assert.deepEqual(await s.engine.receiving.stage([again]), [{ kind: "duplicate" }]);
      await s.windowPasses();
      await s.reply(await s.take());
      assert.deepEqual(await s.engine.receiving.stage([again]), [{ kind: "duplicate" }]);
      await s.atRest();
    },
  ),

  scene(
    "a redelivery of what was answered is a duplicate even where there is no route any more",
    {},
    async (s) => {
      const { message } = await s.receive("hi");
      await s.windowPasses();
      await s.reply(await s.take());
      const outcomes = await s.engine.receiving.stage([{ arrival: message, refusal: "ROUTE_NOT_FOUND" }]);
      assert.deepEqual(outcomes, [{ kind: "duplicate" }]);
      assert.equal((await s.engine.inspector.counts()).refusals, 0);
    },
  ),

  scene(
    "messages that arrive while their turn is taken are in this turn or the next, never in none",
    {},
    async (s) => {
      const other = await s.open("worker-2");
      const expected: string[] = [];
      const answered: string[] = [];
      for (let round = 0; round < 20; round += 1) {
        const texts = ["a", "b", "c"].map((each) => `${each}${round}`);
        expected.push(...texts);
        const staging = Promise.all(texts.map((text) => s.receive(text, other)));
        for (const taken of await s.turns()) {
          answered.push(...textsOf(taken));
          await s.reply(taken);
        }
        await staging;
        await s.windowPasses();
      }
      for (const taken of await s.turns()) answered.push(...textsOf(taken));
      assert.deepEqual(answered.sort(), expected.sort());
    },
  ),

  // Each in a conversation of its own: what one message strands, the next in its conversation would find.
  scene(
    "a message that comes in between any two requests of a turn is in this turn or the next, without a sweep",
    {},
    async (s) => {
      const other = await s.open("other");
      for (let nth = 1; ; nth += 1) {
        const sender = `ana-${nth}`;
        const comes = () => s.receive({ text: "late", sender }, other);
        let left = Number.POSITIVE_INFINITY;
        const worker = await s.openWatched("worker-2", async () => {
          left -= 1;
          if (left === 0) await comes();
        });
        await s.receive({ text: "early", sender });
        await s.windowPasses();
        left = nth;
        const first = await s.takeWoken(worker);
        const isOneStep = left === nth;
        if (isOneStep) await comes();
        await s.reply(first, "ok", worker);
        const isOver = left > 0;
        if (isOver && !isOneStep) await comes();
        await s.windowPasses();
        const rest = await s.woken(other);
        for (const taken of rest) await s.reply(taken, "ok", other);
        assert.deepEqual([first, ...rest].flatMap(textsOf), ["early", "late"]);
        if (isOver) return s.atRest();
      }
    },
  ),
];
