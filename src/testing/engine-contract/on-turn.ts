import assert from "node:assert/strict";
import { allSent, as, draftFor, replied, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

const onTurn = { validation: "on-turn" } as const;
const ana = { channelType: "test", address: "lull", sender: "ana" };

/** A first task, asked and completed. */
async function completedTask(s: Scene): Promise<string> {
  await s.receive("first task");
  await s.windowPasses();
  const taken = await takeSoon(s);
  await s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken)), { complete: true }));
  return taken.conversation.id;
}

/** A move to the conversation's own place may take one more look. */
async function takeSoon(s: Scene) {
  for (let look = 0; look < 3; look += 1) {
    const [taken] = await s.turns();
    if (taken) return taken;
  }
  return assert.fail("no turn is due");
}

/** `validation: "on-turn"`: conversation and rules are looked at when the turn starts. */
export const onTurnValidation: readonly EngineCase[] = [
  scene(
    "checked on its turn, a message is staged first and its conversation made when the turn starts",
    onTurn,
    async (s) => {
      await s.receive("hi");
      assert.deepEqual(await s.conversations(), []);
      await s.windowPasses();
      const taken = await s.take();
      assert.equal(taken.conversation.sender, "ana");
      await s.reply(taken);
      assert.deepEqual(
        (await s.conversations()).map(({ id }) => id),
        [taken.conversation.id],
      );
    },
  ),

  scene(
    "checked on its turn, a message whose project is inactive is staged and refused by its turn",
    onTurn,
    async (s) => {
      await s.engine.conversations.create({ ...ana, projectStatus: "archived" });
      await s.receive("hi");
      await s.windowPasses();
      assert.equal((await s.take()).conversation.projectStatus, "archived");
    },
  ),

  scene(
    "checked on its turn, a message without a conversation becomes a dead letter that can be retried",
    { ...onTurn, admission: "known" },
    async (s) => {
      const { id } = await s.receive("hi");
      await s.windowPasses();
      await s.nothingDue();
      const [letter] = await s.dead();
      assert.equal(letter?.reason, "CONVERSATION_NOT_FOUND");
      assert.deepEqual(
        letter?.messages.map((message) => message.id),
        [id],
      );
      await s.atRest();

      await s.engine.conversations.create(ana);
      assert.equal(await s.engine.repairs.retryDead(letter!.id), "retried");
      assert.deepEqual(textsOf(await takeSoon(s)), ["hi"]);
    },
  ),

  scene(
    "checked on its turn, the next message after a completed task gets a new conversation",
    onTurn,
    async (s) => {
      const firstId = await completedTask(s);
      await s.receive("second task");
      await s.windowPasses();
      const second = await takeSoon(s);
      assert.notEqual(second.conversation.id, firstId);
      await s.reply(second);
      const { messages } = await s.detail(second.conversation.id);
      assert.deepEqual(
        messages.map(({ text }) => text),
        ["second task", "ok"],
      );
      await s.atRest();
    },
  ),

  scene(
    "checked on its turn, a second conversation's turns and outbounds run one at a time too",
    onTurn,
    async (s) => {
      await completedTask(s);
      await s.receive("second task");
      await s.windowPasses();
      const { conversation, lease } = await takeSoon(s);
      const say = {
        id: "o1",
        conversationId: conversation.id,
        channel: "test",
        to: "ana",
        texts: ["hello"],
        author: "eva",
      };
      assert.equal(await s.engine.conversations.say(say), "staged");
      await s.nothingDue();
      assert.equal((await s.engine.turns.renew(lease)).kind, "renewed");
    },
  ),

  scene(
    "checked on its turn, what arrived while the task was completed still gets its turn, once",
    onTurn,
    async (s) => {
      const first = await s.turnFor("first task");
      const { message } = await s.receive("late");
      await s.engine.turns.commit(first.lease, replied(first, allSent(draftFor(first)), { complete: true }));
      await s.windowPasses();
      const second = await takeSoon(s);
      assert.deepEqual(textsOf(second), ["late"]);
      assert.notEqual(second.conversation.id, first.conversation.id);
      assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
      await s.reply(second);
      assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
      await s.windowPasses();
      await s.nothingDue();
      await s.atRest();
    },
  ),

  scene(
    "checked on its turn, a message that arrived during completion goes to the newer conversation",
    onTurn,
    async (s) => {
      const first = await s.turnFor("first task");
      await s.receive("late");
      await s.engine.turns.commit(first.lease, replied(first, allSent(draftFor(first)), { complete: true }));
      const { conversation } = await s.engine.conversations.create(ana);
      await s.windowPasses();
      const second = await takeSoon(s);
      assert.deepEqual([second.conversation.id, textsOf(second)], [conversation.id, ["late"]]);
      await s.reply(second);
      await s.atRest();
      assert.equal((await s.conversations()).length, 2);
    },
  ),

  scene(
    "checked on its turn, a message that arrived during completion goes to the newest of several",
    onTurn,
    async (s) => {
      const earlier: string[] = [];
      for (let task = 0; task < 6; task += 1) earlier.push(await completedTask(s));
      const last = await s.turnFor("last task");
      await s.receive("late");
      await s.engine.turns.commit(last.lease, replied(last, allSent(draftFor(last)), { complete: true }));
      for (const id of earlier) await s.engine.conversations.change(id, { taskComplete: false });
      await s.windowPasses();
      assert.equal((await takeSoon(s)).conversation.id, earlier.at(-1));
    },
  ),

  scene(
    "checked on its turn, a draft of a completed task is continued, and its message answered once",
    onTurn,
    async (s) => {
      const first = await s.turnFor("hi");
      as("drafted", await s.engine.turns.draft(first.lease, draftFor(first)));
      await s.engine.conversations.change(first.conversation.id, { taskComplete: true });
      await s.leaseLapses();
      const again = await takeSoon(s);
      assert.deepEqual([again.turnId, textsOf(again)], [first.turnId, ["hi"]]);
      as("committed", await s.engine.turns.commit(again.lease, replied(again, allSent(again.draft!))));
      await s.windowPasses();
      await s.nothingDue();
      await s.atRest();
      assert.equal((await s.conversations()).length, 1);
    },
  ),

  scene(
    "checked on its turn, a failed turn is tried again as the same one, even if its task is complete",
    onTurn,
    async (s) => {
      const first = await s.turnFor("hi");
      await s.engine.turns.release(first.lease, { kind: "retry", afterMs: 1_000, reason: "broken" });
      await s.engine.conversations.change(first.conversation.id, { taskComplete: true });
      await s.passes(1_000);
      const again = await takeSoon(s);
      assert.deepEqual([again.turnId, again.attempt, textsOf(again)], [first.turnId, 2, ["hi"]]);
      await s.reply(again);
      await s.atRest();
    },
  ),

  scene(
    "checked on its turn, erasing the second conversation takes its running turn and its messages along",
    onTurn,
    async (s) => {
      await completedTask(s);
      await s.receive("second task");
      await s.windowPasses();
      const taken = await takeSoon(s);
      await s.receive("more");
      assert.equal(await s.engine.conversations.erase(taken.conversation.id), "erased");
      as("lost", await s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken)))));
      assert.deepEqual(await s.engine.conversations.history(taken.conversation.id, 10), []);
      await s.windowPasses();
      await s.nothingDue();
      await s.atRest();
    },
  ),
];
