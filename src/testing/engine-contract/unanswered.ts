import assert from "node:assert/strict";
import { latestWithin } from "../../core/history.ts";
import type { Taken } from "../../model/take.ts";
import { allSent, draftFor, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

/** A turn for these messages that no second try can mend. */
async function dead(s: Scene, ...texts: string[]): Promise<Taken> {
  const taken = await s.turnFor(...texts);
  await s.engine.turns.release(taken.lease, { kind: "dead-letter", reason: "no", isUnanswered: true });
  return taken;
}

const told = async (s: Scene, id: string, max = 10) =>
  (await s.engine.conversations.history(id, max)).map(
    ({ role, text, unanswered }) => `${role}: ${text}${unanswered ? " (unanswered)" : ""}`,
  );

/** What became a dead letter is part of what was said: the next turn is shown it, as not answered. */
export const unanswered: readonly EngineCase[] = [
  scene("what became a dead letter stands in the history, where it was said", {}, async (s) => {
    const { conversation } = await s.talk("one", "first");
    await dead(s, "two", "three");
    await s.passes(1_000);
    await s.talk("four", "second");
    const all = await told(s, conversation.id);
    assert.deepEqual(all, [
      "user: one",
      "assistant: first",
      "user: two\nthree (unanswered)",
      "user: four",
      "assistant: second",
    ]);
    assert.deepEqual(await told(s, conversation.id, 3), all.slice(-3));
    assert.deepEqual(await told(s, conversation.id, 0), []);
    const [letter] = await s.dead();
    const [, , said] = await s.engine.conversations.history(conversation.id, 10);
    assert.equal(said?.turnId, letter?.id);
    assert.deepEqual(
      said?.parts?.map(({ text }) => text),
      ["two", "three"],
    );
  }),

  scene(
    "the turn after it is shown it as well, in what is brought along",
    { bringsHistory: true },
    async (s) => {
      await s.talk("one", "first");
      await dead(s, "two");
      const taken = await s.turnFor("three");
      const read = await s.engine.conversations.history(taken.conversation.id, s.own.historyMessagesMax);
      assert.deepEqual(
        read.map(({ text }) => text),
        ["one", "first", "two"],
      );
      if (taken.history) assert.deepEqual(taken.history, read);
      await s.reply(taken);
      await dead(s, "four");
      const next = await s.turnFor("five");
      const later = await s.engine.conversations.history(next.conversation.id, s.own.historyMessagesMax);
      assert.deepEqual(
        later.slice(-1).map(({ text, unanswered: is }) => [text, is]),
        [["four", true]],
      );
      if (next.history) assert.deepEqual(next.history, later);
    },
  ),

  scene("retried and answered it is what any turn leaves", {}, async (s) => {
    const { conversation } = await dead(s, "one");
    const [letter] = await s.dead();
    assert.equal(await s.engine.repairs.retryDead(letter!.id), "retried");
    assert.deepEqual(await told(s, conversation.id), []);
    const taken = await s.take();
    assert.deepEqual(textsOf(taken), ["one"]);
    await s.reply(taken, "at last");
    assert.deepEqual(await told(s, conversation.id), ["user: one", "assistant: at last"]);
  }),

  scene("discarded it is no longer shown", {}, async (s) => {
    const { conversation } = await dead(s, "one");
    const [letter] = await s.dead();
    assert.equal(await s.engine.repairs.discardDead(letter!.id), "discarded");
    assert.deepEqual(await told(s, conversation.id), []);
  }),

  scene("erasing a person takes it", {}, async (s) => {
    const { conversation } = await dead(s, "one");
    await s.engine.conversations.erase(conversation.id);
    assert.deepEqual(await told(s, conversation.id), []);
  }),

  scene("what went out of a reply before it died was said, and its messages are answered", {}, async (s) => {
    const taken = await s.turnFor("one");
    const draft = allSent(draftFor(taken, "a reply"));
    await s.engine.turns.release(taken.lease, { kind: "dead-letter", reason: "no", draft });
    assert.deepEqual(await told(s, taken.conversation.id), ["user: one", "assistant: a reply"]);
  }),

  scene("it weighs as what was answered does", {}, async (s) => {
    const { conversation } = await s.talk("x".repeat(2_000), "first");
    await dead(s, "y".repeat(2_000));
    const all = await s.engine.conversations.history(conversation.id, 10);
    for (const bytesMax of [1, 1_500, 3_500, 6_000, 100_000]) {
      const read = await s.engine.conversations.history(conversation.id, 10, bytesMax);
      assert.ok(read.length >= 1 && read.length <= all.length);
      assert.deepEqual(read, all.slice(-read.length));
      assert.ok(read.length >= latestWithin(all, bytesMax / 2).length);
    }
  }),
];
