import assert from "node:assert/strict";
import type { OutboundRequest } from "../../model/outbound.ts";
import { as, draftFor, replied, textsOf, unknown } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

function outbound(conversationId: string, given: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    id: "o1",
    conversationId,
    channel: "test",
    to: "ana",
    texts: ["Eva here"],
    author: "eva",
    ...given,
  };
}

async function newConversation(s: Scene, sender = "ana"): Promise<string> {
  const key = { channelType: "test", address: "lull", sender };
  return (await s.engine.conversations.create(key)).conversation.id;
}

/** Everything that is said is a turn: there is no second way to the provider. */
export const outbounds: readonly EngineCase[] = [
  scene("something to be said is a turn of its own, at once, without messages", {}, async (s) => {
    const id = await newConversation(s);
    assert.equal(await s.engine.conversations.say(outbound(id, { texts: ["one", "two"] })), "staged");
    const taken = await s.take();
    assert.deepEqual(taken.messages, []);
    assert.deepEqual(taken.outbound?.texts, ["one", "two"]);
    const { channel, to, author } = taken.outbound!;
    assert.deepEqual({ channel, to, author }, { channel: "test", to: "ana", author: "eva" });
    await s.nothingDue();
    await s.reply(taken, "one");
    const [said, ...others] = await s.engine.conversations.history(id, 10);
    assert.deepEqual(others, []);
    assert.deepEqual([said?.role, said?.text, said?.author], ["assistant", "one", "eva"]);
    await s.atRest();
  }),

  scene("something to be shown goes with the words, or without any", {}, async (s) => {
    const id = await newConversation(s);
    const media = [{ url: "https://example.test/a.pdf", contentType: "application/pdf" }];
    await s.engine.conversations.say(outbound(id, { media }));
    await s.engine.conversations.say(outbound(id, { id: "o2", texts: [], media }));
    const first = await s.take();
    assert.deepEqual([first.outbound?.texts, first.outbound?.media], [["Eva here"], media]);
    const second = as("turn", (await s.reply(first)).next!).taken;
    assert.deepEqual([second.outbound?.texts, second.outbound?.media], [[], media]);
  }),

  scene("a notice keeps whose answer is late, and is told where answering is paused", {}, async (s) => {
    const { conversationId: id, id: about } = await s.receive("one");
    await s.engine.conversations.say(outbound(id, { about }));
    const taken = await s.take();
    assert.deepEqual([taken.outbound?.about, taken.isPaused], [about, undefined]);
    await s.engine.turns.release(taken.lease, { kind: "put-back" });
    await s.engine.conversations.change(id, { paused: true });
    const again = await s.take();
    assert.deepEqual([again.outbound?.about, again.isPaused], [about, true]);
    await s.reply(again);
    await s.nothingDue();
  }),

  scene("asked twice it is said once, before its turn and after it", {}, async (s) => {
    const id = await newConversation(s);
    const both = await Promise.all([1, 2].map(() => s.engine.conversations.say(outbound(id))));
    assert.deepEqual(both.sort(), ["duplicate", "staged"]);
    await s.reply(await s.take());
    assert.equal(await s.engine.conversations.say(outbound(id)), "duplicate");
    await s.nothingDue();
  }),

  scene("one id is two things to say in two conversations, one after the other", {}, async (s) => {
    const [ana, ben] = [await newConversation(s), await newConversation(s, "ben")];
    assert.equal(await s.engine.conversations.say(outbound(ana, { texts: ["to ana"] })), "staged");
    await s.reply(await s.take());
    assert.equal(await s.engine.conversations.say(outbound(ben, { texts: ["to ben"] })), "staged");
    const taken = await s.take();
    assert.deepEqual([taken.conversation.id, taken.outbound?.texts], [ben, ["to ben"]]);
    await s.reply(taken);
    for (const id of [ana, ben]) assert.equal(await s.engine.conversations.say(outbound(id)), "duplicate");
    await s.nothingDue();
    await s.atRest();
  }),

  scene("one id is two things to say in two conversations, at once", {}, async (s) => {
    const both = [await newConversation(s), await newConversation(s, "ben")];
    const said = both.flatMap((id) => [1, 2].map(() => s.engine.conversations.say(outbound(id))));
    const [one, again, other, otherAgain] = await Promise.all(said);
    assert.deepEqual([one, again].sort(), ["duplicate", "staged"]);
    assert.deepEqual([other, otherAgain].sort(), ["duplicate", "staged"]);
    const turns = await s.turns();
    assert.deepEqual(turns.map(({ conversation }) => conversation.id).sort(), both.toSorted());
    for (const taken of turns) await s.reply(taken);
    await s.nothingDue();
    for (const id of both) assert.equal((await s.engine.conversations.history(id, 10)).length, 1);
    await s.atRest();
  }),

  scene(
    "what a channel named outbound brings shares no id with what is said",
    { channels: { outbound: { type: "test", window: { kind: "fixed", lengthMs: 10_000 } } } },
    async (s) => {
      const id = await newConversation(s);
      await s.receive({ channel: "outbound", account: "a", providerId: "1" });
      assert.equal(await s.engine.conversations.say(outbound(id, { id: "a/1" })), "staged");
      assert.equal(await s.engine.conversations.say(outbound(id, { id: "a/2" })), "staged");
      await s.receive({ channel: "outbound", account: "a", providerId: "2" });
    },
  ),

  scene("what an earlier version remembers as said is not said again", {}, async (s) => {
    const id = await newConversation(s);
    // Its ids were those of messages that such a channel would bring.
    await s.receive({ channel: "outbound", account: "a", providerId: "1" });
    await s.windowPasses();
    await s.reply(await s.take());
    assert.equal(await s.engine.conversations.say(outbound(id, { id: "a/1" })), "duplicate");
    await s.nothingDue();
  }),

  scene("nothing can be said in a conversation that does not exist", {}, async (s) => {
    assert.equal(await s.engine.conversations.say(outbound("no-such-id")), "not-found");
    await s.atRest();
  }),

  scene("an outbound does not make waiting messages due early", {}, async (s) => {
    const { conversationId, dueAtMs } = await s.receive("hi");
    await s.passes(3_000);
    await s.engine.conversations.say(outbound(conversationId));
    const first = await s.take();
    assert.deepEqual(first.messages, []);
    assert.equal((await s.reply(first)).next?.kind, "later");
    await s.passes(dueAtMs - s.nowMs - 1);
    await s.nothingDue();
    await s.passes(1);
    assert.deepEqual(textsOf(await s.take()), ["hi"]);
  }),

  scene("an outbound waits for the running turn, and comes right after it", {}, async (s) => {
    const first = await s.turnFor("hi");
    await s.engine.conversations.say(outbound(first.conversation.id));
    await s.nothingDue();
    await s.reply(first);
    assert.equal((await s.take()).outbound?.author, "eva");
  }),

  scene("outbounds keep their order, one turn each", {}, async (s) => {
    const id = await newConversation(s);
    for (const text of ["one", "two", "three"]) {
      await s.engine.conversations.say(outbound(id, { id: text, texts: [text] }));
    }
    const said: string[] = [];
    let taken = await s.take();
    for (;;) {
      said.push(...taken.outbound!.texts);
      const { next } = await s.reply(taken);
      if (next?.kind !== "turn") break;
      taken = next.taken;
    }
    assert.deepEqual(said, ["one", "two", "three"]);
  }),

  scene("an outbound goes out while its conversation is paused; messages wait", {}, async (s) => {
    const { conversationId } = await s.receive("hi");
    await s.engine.conversations.change(conversationId, { paused: true });
    await s.windowPasses();
    await s.nothingDue();
    await s.engine.conversations.say(outbound(conversationId));
    const taken = await s.take();
    assert.equal(taken.outbound?.author, "eva");
    await s.reply(taken);
    await s.nothingDue();
    await s.engine.conversations.change(conversationId, { paused: false });
    assert.deepEqual(textsOf(await s.take()), ["hi"]);
  }),

  scene("an outbound goes out while everything is paused; messages wait", {}, async (s) => {
    const { conversationId } = await s.receive("hi");
    await s.receive({ sender: "ben" });
    await s.engine.conversations.pauseAll(true);
    await s.windowPasses();
    await s.nothingDue();
    await s.engine.conversations.say(outbound(conversationId));
    const taken = await s.take();
    assert.equal(taken.outbound?.author, "eva");
    assert.notEqual((await s.reply(taken)).next?.kind, "turn");
    await s.nothingDue();
    await s.engine.conversations.pauseAll(false);
    assert.equal((await s.turns()).length, 2);
  }),

  scene(
    "an outbound that fails comes back at its time, paused or not, and ends as a dead letter",
    { attemptsMax: 2 },
    async (s) => {
      const { conversationId } = await s.receive("hi");
      await s.engine.conversations.change(conversationId, { paused: true });
      await s.engine.conversations.say(outbound(conversationId));
      const how = { kind: "retry", afterMs: 2_000, reason: "provider is down" } as const;
      await s.engine.turns.release((await s.take()).lease, how);
      await s.passes(1_999);
      await s.nothingDue();
      await s.passes(1);
      const second = await s.take();
      assert.equal(second.attempt, 2);
      await s.engine.turns.release(second.lease, { kind: "dead-letter", reason: "provider is gone" });
      assert.deepEqual(
        (await s.dead()).map(({ reason }) => reason),
        ["provider is gone"],
      );
      await s.engine.conversations.change(conversationId, { paused: false });
      await s.windowPasses();
      assert.deepEqual(textsOf(await s.take()), ["hi"]);
    },
  ),

  scene("a dead letter shows what was to be said, and by whom", {}, async (s) => {
    const id = await newConversation(s);
    const media = [{ url: "https://x.example/a.png", contentType: "image/png" }];
    await s.engine.conversations.say({ ...outbound(id), texts: ["one", "two"], media, author: "Eva" });
    await s.engine.turns.release((await s.take()).lease, { kind: "dead-letter", reason: "broken" });
    const [letter] = await s.dead();
    assert.deepEqual(letter!.messages, []);
    assert.deepEqual(
      letter!.outbounds.map(({ author, texts, media }) => ({ author, texts, media })),
      [{ author: "Eva", texts: ["one", "two"], media }],
    );
  }),

  scene("a retried dead outbound is said, once", {}, async (s) => {
    const id = await newConversation(s);
    await s.engine.conversations.say(outbound(id));
    await s.engine.turns.release((await s.take()).lease, { kind: "dead-letter", reason: "broken" });
    assert.equal(await s.engine.conversations.say(outbound(id)), "duplicate");
    await s.engine.repairs.retryDead((await s.dead())[0]!.id);
    await s.reply(await s.take());
    await s.nothingDue();
    await s.atRest();
  }),

  scene(
    "a crash in an outbound's turn is healed like any other, and waiting messages keep their time",
    {},
    async (s) => {
      const { conversationId } = await s.receive("hi");
      await s.engine.conversations.say(outbound(conversationId));
      const first = await s.take();
      await s.leaseLapses();
      const second = await s.take();
      assert.deepEqual([second.turnId, second.attempt], [first.turnId, 2]);
      const next = as("turn", (await s.reply(second)).next!).taken;
      assert.deepEqual(textsOf(next), ["hi"]);
    },
  ),

  scene(
    "a send whose outcome is unknown is listed at the commit, and the conversation goes on",
    {},
    async (s) => {
      const taken = await s.turnFor("hi");
      const draft = unknown(draftFor(taken, "the answer"), 0);
      await s.engine.turns.commit(taken.lease, replied(taken, draft, { outcome: "unknown" }));
      const { items } = await s.engine.inspector.unknown({ limit: 10 });
      assert.deepEqual(
        items.map(({ turnId, chunk, text, to, channel, conversationId }) => ({
          turnId,
          chunk,
          text,
          to,
          channel,
          conversationId,
        })),
        [
          {
            turnId: taken.turnId,
            chunk: 0,
            text: "the answer",
            to: "ana",
            channel: "test",
            conversationId: taken.conversation.id,
          },
        ],
      );
      assert.equal((await s.detail(taken.conversation.id)).turns[0]?.outcome, "unknown");
      await s.talk("go on");
    },
  ),
];
