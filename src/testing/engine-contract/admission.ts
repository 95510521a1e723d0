import assert from "node:assert/strict";
import { allSent, as, draftFor, replied, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

const ana = { channelType: "test", address: "lull", sender: "ana" };

async function refusalCodes(s: Scene): Promise<string[]> {
  const { items } = await s.engine.inspector.refusals({ limit: 10 });
  return items.map(({ code }) => code);
}

/** Whose conversation a message belongs to, and whether it may come in. */
export const admission: readonly EngineCase[] = [
  scene(
    "with known admission an unknown customer is refused, and the reason is listed",
    { admission: "known" },
    async (s) => {
      const outcome = as("refused", await s.deliver(s.arrival("hi")));
      assert.equal(outcome.code, "CONVERSATION_NOT_FOUND");
      assert.notEqual(outcome.tellBusy, true);
      assert.deepEqual(await refusalCodes(s), ["CONVERSATION_NOT_FOUND"]);
      await s.atRest();
      assert.deepEqual(await s.conversations(), []);
    },
  ),

  scene("with known admission a conversation that exists is answered", { admission: "known" }, async (s) => {
    const { created, conversation } = await s.engine.conversations.create(ana);
    assert.equal(created, true);
    assert.equal((await s.receive("hi")).conversationId, conversation.id);
    await s.windowPasses();
    assert.equal((await s.take()).conversation.id, conversation.id);
  }),

  scene("creating a conversation twice finds the first one, under either name", {}, async (s) => {
    const first = await s.engine.conversations.create({ ...ana, senderAlias: "+4912" });
    const again = await s.engine.conversations.create(ana);
    const byPhone = await s.engine.conversations.create({ ...ana, sender: "+4912" });
    assert.deepEqual([again.created, byPhone.created], [false, false]);
    assert.deepEqual(
      [again.conversation.id, byPhone.conversation.id],
      [first.conversation.id, first.conversation.id],
    );
  }),

  scene("an inactive project's messages are refused, and the conversation shows why", {}, async (s) => {
    const { conversation } = await s.engine.conversations.create({ ...ana, projectStatus: "archived" });
    assert.equal(as("refused", await s.deliver(s.arrival("hi"))).code, "PROJECT_INACTIVE");
    assert.deepEqual(
      (await s.detail(conversation.id)).refusals.map(({ code }) => code),
      ["PROJECT_INACTIVE"],
    );
    await s.engine.conversations.change(conversation.id, { projectStatus: "active" });
    await s.receive("again");
  }),

  scene(
    "a channel is allowed by its type, not by its name",
    { channels: { wati: { type: "whatsapp", window: { kind: "fixed", lengthMs: 1_000 } } } },
    async (s) => {
      const key = { ...ana, channelType: "whatsapp" };
      const { conversation } = await s.engine.conversations.create({ ...key, allowedChannels: ["whatsapp"] });
      await s.receive({ channel: "wati" });
      await s.engine.conversations.change(conversation.id, { allowedChannels: ["sms"] });
      assert.equal(
        as("refused", await s.deliver(s.arrival({ channel: "wati" }))).code,
        "CHANNEL_NOT_ALLOWED",
      );
      assert.deepEqual(await refusalCodes(s), ["CHANNEL_NOT_ALLOWED"]);
    },
  ),

  scene(
    "a person known by phone is found when a business id comes with it, and by that id alone later",
    {},
    async (s) => {
      const { conversationId } = await s.receive({ sender: "+4912" });
      assert.equal(
        (await s.receive({ sender: "user-7", senderAlias: "+4912" })).conversationId,
        conversationId,
      );
      assert.equal((await s.receive({ sender: "user-7" })).conversationId, conversationId);
      assert.equal((await s.receive({ sender: "+4912" })).conversationId, conversationId);
      assert.equal((await s.conversations()).length, 1);
    },
  ),

  scene("a person known by business id is found by the phone that came with it", {}, async (s) => {
    const { conversationId } = await s.receive({ sender: "user-7", senderAlias: "+4912" });
    assert.equal((await s.receive({ sender: "+4912" })).conversationId, conversationId);
    assert.equal((await s.receive({ sender: "user-7" })).conversationId, conversationId);
    assert.notEqual((await s.receive({ sender: "+4999" })).conversationId, conversationId);
  }),

  scene("a phone that comes with a later message is learnt, and not forgotten", {}, async (s) => {
    const { conversationId } = await s.receive({ sender: "user-7" });
    await s.receive({ sender: "user-7", senderAlias: "+4912" });
    await s.receive({ sender: "user-7" });
    assert.equal((await s.receive({ sender: "+4912" })).conversationId, conversationId);
  }),

  scene("one person at two of our addresses has two conversations", {}, async (s) => {
    const { conversationId } = await s.receive({ address: "sales" });
    assert.notEqual((await s.receive({ address: "support" })).conversationId, conversationId);
  }),

  scene("the first message after a completed task opens a conversation with a new id", {}, async (s) => {
    const first = await s.turnFor("book a table");
    await s.engine.turns.commit(first.lease, replied(first, allSent(draftFor(first)), { complete: true }));
    const { conversationId } = await s.receive("another one");
    assert.notEqual(conversationId, first.conversation.id);
    await s.windowPasses();
    const second = await s.take();
    assert.equal(second.conversation.id, conversationId);
    assert.deepEqual(await s.engine.conversations.history(conversationId, 10), []);
    const all = await s.conversations();
    assert.deepEqual(
      all.map(({ taskComplete }) => taskComplete),
      [false, true],
    );
  }),

  scene(
    "a message staged before its task was completed is answered in its own conversation",
    {},
    async (s) => {
      const first = await s.turnFor("one");
      const { conversationId } = await s.receive("two");
      await s.engine.turns.commit(first.lease, replied(first, allSent(draftFor(first)), { complete: true }));
      await s.windowPasses();
      const second = await s.take();
      assert.deepEqual(
        [second.conversation.id, conversationId],
        [first.conversation.id, first.conversation.id],
      );
      assert.deepEqual(textsOf(second), ["two"]);
    },
  ),
];
