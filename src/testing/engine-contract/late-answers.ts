import assert from "node:assert/strict";
import type { Taken } from "../../model/take.ts";
import { allSent, as, draftFor, replied, silent, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

const LATER_MS = 300_000;

/** The responder says that its answer comes later. */
async function awaits(s: Scene, taken: Taken): Promise<number> {
  const untilAtMs = s.nowMs + LATER_MS;
  const draft = draftFor(taken, [], { awaitingUntilAtMs: untilAtMs });
  as("released", await s.engine.turns.release(taken.lease, { kind: "wait", afterMs: LATER_MS, draft }));
  return untilAtMs;
}

/** A responder that answers later leaves a draft that waits, with a deadline. */
export const lateAnswers: readonly EngineCase[] = [
  scene("a late answer continues its turn at once, with all that goes with it", {}, async (s) => {
    const first = await s.turnFor("hi");
    await awaits(s, first);
    await s.passes(100_000);
    await s.nothingDue();
    const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
    const media = [{ url: "https://example.test/menu.pdf", contentType: "application/pdf" }];
    const late = {
      turnId: first.turnId,
      texts: ["here", "you are"],
      media,
      usage,
      complete: true,
      handOff: "done",
    };
    assert.equal(await s.engine.conversations.answer(late), "accepted");
    const second = await s.take();
    assert.deepEqual([second.turnId, second.attempt], [first.turnId, 1]);
    const { draft } = second;
    assert.deepEqual(
      draft?.chunks.map(({ text, state }) => [text, state.kind]),
      [
        ["here", "pending"],
        ["you are", "pending"],
      ],
    );
    assert.deepEqual(draft?.chunks[0]?.media, media);
    assert.deepEqual([draft?.usage, draft?.complete, draft?.handOff], [usage, true, "done"]);
    assert.deepEqual([draft?.to, draft?.channel, draft?.awaitingUntilAtMs], ["ana", "test", undefined]);
    as("committed", await s.engine.turns.commit(second.lease, replied(second, allSent(draft!))));
    await s.atRest();
  }),

  scene("an answer that is quicker than the word that it comes later is not lost", {}, async (s) => {
    const first = await s.turnFor("one", "two");
    assert.equal(await s.engine.conversations.answer({ turnId: first.turnId, texts: ["quick"] }), "accepted");
    await awaits(s, first);
    const second = await s.take();
    assert.equal(second.turnId, first.turnId);
    assert.deepEqual(textsOf(second), ["one", "two"]);
    assert.deepEqual(
      second.draft?.chunks.map(({ text }) => text),
      ["quick"],
    );
    assert.deepEqual(
      second.draft?.messageIds,
      first.messages.map(({ id }) => id),
    );
    assert.equal(second.draft?.to, "ana");
  }),

  scene(
    "where an outage is not waited out, a late answer that does not come ends its turn",
    { retryForMs: 0, attemptsMax: 1 },
    async (s) => {
      await awaits(s, await s.turnFor("hi"));
      await s.passes(LATER_MS);
      await s.nothingDue();
      const [letter] = await s.dead();
      assert.equal(letter?.reason, "no answer came in time");
      await s.atRest();
    },
  ),

  scene("nor is it when the responder says something itself: what was accepted is sent", {}, async (s) => {
    const { lease, turnId, ...first } = await s.turnFor("one");
    assert.equal(await s.engine.conversations.answer({ turnId, texts: ["quick"] }), "accepted");
    const own = draftFor({ lease, turnId, ...first }, "its own");
    const { draft } = as("drafted", await s.engine.turns.draft(lease, own));
    assert.deepEqual(
      draft.chunks.map(({ text }) => text),
      ["quick"],
    );
  }),

  scene("nor when that one says nothing: nothing is committed, and the answer goes out", {}, async (s) => {
    const first = await s.turnFor("one");
    assert.equal(await s.engine.conversations.answer({ turnId: first.turnId, texts: ["quick"] }), "accepted");
    for (const outcome of ["no-reply", "queued"] as const)
      assert.deepEqual(await s.engine.turns.commit(first.lease, silent(first, { outcome })), {
        kind: "answered",
      });
    as("released", await s.engine.turns.release(first.lease, { kind: "put-back" }));
    const second = await s.take();
    assert.deepEqual([second.turnId, second.draft?.chunks[0]?.text], [first.turnId, "quick"]);
  }),

  scene("nor when asking fails for good: no dead letter is made of an answered turn", {}, async (s) => {
    const first = await s.turnFor("one");
    assert.equal(await s.engine.conversations.answer({ turnId: first.turnId, texts: ["quick"] }), "accepted");
    const failed = { kind: "dead-letter", reason: "it said nonsense", isUnanswered: true } as const;
    assert.deepEqual(await s.engine.turns.release(first.lease, failed), { kind: "answered" });
    as("released", await s.engine.turns.release(first.lease, { kind: "put-back" }));
    const second = await s.take();
    assert.deepEqual([second.turnId, second.draft?.chunks[0]?.text], [first.turnId, "quick"]);
    assert.deepEqual(await s.dead(), []);
  }),

  scene(
    "nor when the turn starts over, for its customer went on writing",
    { whileBusy: "restart" },
    async (s) => {
      const first = await s.turnFor("one");
      assert.equal(
        await s.engine.conversations.answer({ turnId: first.turnId, texts: ["quick"] }),
        "accepted",
      );
      await s.receive({ text: "two" });
      as("released", await s.engine.turns.release(first.lease, { kind: "restart" }));
      await s.windowPasses();
      const second = await s.take();
      assert.deepEqual([second.turnId, second.draft?.chunks[0]?.text], [first.turnId, "quick"]);
    },
  ),

  scene("an answer that is quicker goes to where the newest message came from", {}, async (s) => {
    await s.receive({ text: "one", replyTo: "ana at home" });
    await s.passes(1);
    await s.receive({ text: "two", replyTo: "ana on the road" });
    await s.windowPasses();
    const first = await s.take();
    assert.deepEqual(textsOf(first), ["one", "two"]);
    assert.equal(await s.engine.conversations.answer({ turnId: first.turnId, texts: ["quick"] }), "accepted");
    await awaits(s, first);
    assert.equal((await s.take()).draft?.to, "ana on the road");
  }),

  scene("an answer for a turn that is over, drafted, or never was is stale", {}, async (s) => {
    const answer = (turnId: string) => s.engine.conversations.answer({ turnId, texts: ["late"] });
    assert.equal(await answer("no-such-turn"), "stale");
    const over = await s.talk("one");
    assert.equal(await answer(over.turnId), "stale");
    const drafted = await s.turnFor("two");
    await s.engine.turns.draft(drafted.lease, draftFor(drafted));
    assert.equal(await answer(drafted.turnId), "stale");
  }),

  scene("an answer is taken once: the second one is stale", {}, async (s) => {
    const first = await s.turnFor("hi");
    await awaits(s, first);
    const both = [1, 2].map((n) =>
      s.engine.conversations.answer({ turnId: first.turnId, texts: [`answer ${n}`] }),
    );
    assert.deepEqual((await Promise.all(both)).sort(), ["accepted", "stale"]);
    const second = await s.take();
    assert.equal(second.draft?.chunks.length, 1);
  }),

  scene(
    "once a human has the conversation, no late answer is awaited: what the human says goes out",
    {},
    async (s) => {
      const first = await s.turnFor("hi");
      await awaits(s, first);
      const { id } = first.conversation;
      await s.engine.conversations.change(id, { handedOff: true });
      const said = {
        conversationId: id,
        id: "1",
        channel: "test",
        to: "ana",
        texts: ["I am here"],
        author: "eve",
      };
      assert.equal(await s.engine.conversations.say(said), "staged");
      const outbound = await s.take();
      assert.deepEqual(outbound.outbound?.texts, ["I am here"]);
      const draft = allSent(draftFor(outbound, "I am here", { author: "eve" }));
      const { next } = as("committed", await s.engine.turns.commit(outbound.lease, replied(outbound, draft)));
      const again = as("turn", next!).taken;
      assert.deepEqual([again.turnId, again.draft], [first.turnId, undefined]);
      as("committed", await s.engine.turns.commit(again.lease, silent(again, { outcome: "handed-off" })));
      await s.atRest();
    },
  ),

  scene("an answer for a turn that failed and backs off is stale: it will be asked again", {}, async (s) => {
    const { lease, turnId } = await s.turnFor("hi");
    await s.engine.turns.release(lease, {
      kind: "retry",
      afterMs: 5_000,
      reason: "overloaded",
    });
    assert.equal(await s.engine.conversations.answer({ turnId, texts: ["late"] }), "stale");
  }),

  scene("when the deadline passes the turn is asked again, as after any outage", {}, async (s) => {
    const first = await s.turnFor("hi");
    const untilAtMs = await awaits(s, first);
    await s.passes(untilAtMs - s.nowMs - 1);
    await s.nothingDue();
    await s.passes(1);
    const second = await s.take();
    assert.equal(second.draft, undefined);
    assert.deepEqual([second.turnId, second.attempt, second.counted], [first.turnId, 2, 1]);
    assert.equal(second.failingSinceAtMs, untilAtMs);
    assert.deepEqual(textsOf(second), ["hi"]);
  }),

  scene(
    "a responder that always promises and never answers ends as a dead letter",
    { retryForMs: 2 * LATER_MS, attemptsMax: 3 },
    async (s) => {
      await s.receive("hi");
      await s.windowPasses();
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        const taken = await s.take();
        assert.equal(taken.attempt, attempt);
        await awaits(s, taken);
        await s.passes(LATER_MS);
      }
      await s.nothingDue();
      const [letter] = await s.dead();
      assert.match(letter!.reason, /no answer/);
      await s.atRest();
    },
  ),

  scene("messages that come while an answer is awaited get their own turn after it", {}, async (s) => {
    const first = await s.turnFor("one");
    await awaits(s, first);
    await s.receive("two");
    await s.windowPasses();
    await s.nothingDue();
    await s.engine.conversations.answer({ turnId: first.turnId, texts: ["late"] });
    const second = await s.take();
    assert.deepEqual(textsOf(second), ["one"]);
    const { next } = as(
      "committed",
      await s.engine.turns.commit(second.lease, replied(second, allSent(second.draft!))),
    );
    assert.deepEqual(textsOf(as("turn", next!).taken), ["two"]);
  }),
];
