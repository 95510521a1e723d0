import assert from "node:assert/strict";
import { allSent, as, draftFor, replied, textsOf, unknown } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { scene } from "./scene.ts";

/** Erasing a person: nothing stays but the memory that these messages were seen. */
export const erasing: readonly EngineCase[] = [
  scene("erasing removes everything of the conversation, and nothing of its neighbour's", {}, async (s) => {
    const { engine } = s;
    await s.receive({ sender: "ben", text: "neighbour" });
    const first = await s.receive("one");
    await s.windowPasses();
    const [bens, anas] = (await s.turns()).sort((a, b) =>
      b.conversation.sender.localeCompare(a.conversation.sender),
    );
    await s.reply(bens!);
    await engine.turns.commit(
      anas!.lease,
      replied(anas!, unknown(draftFor(anas!), 0), { outcome: "unknown" }),
    );
    await engine.turns.giveBack((await s.turnFor("two")).lease, { kind: "bury", reason: "broken" });
    await engine.conversations.change(first.conversationId, { projectStatus: "archived" });
    await s.deliver(s.arrival("refused"));
    await engine.conversations.change(first.conversationId, { projectStatus: "active" });
    await s.receive("three");

    assert.equal(await engine.conversations.erase(first.conversationId), "erased");
    assert.equal(await engine.conversations.erase(first.conversationId), "not-found");
    assert.equal(await engine.conversations.get(first.conversationId), undefined);
    assert.equal(await engine.inspector.conversation(first.conversationId), undefined);
    assert.deepEqual(await engine.conversations.history(first.conversationId, 10), []);
    const { quarantined = 0, ...counts } = await engine.inspector.counts();
    assert.equal(quarantined, 0);
    assert.deepEqual(counts, {
      conversations: 1,
      staged: 0,
      windows: 0,
      leases: 0,
      turns: 1,
      dead: 0,
      unknown: 0,
      refusals: 0,
      paused: false,
    });
    assert.equal((await s.detail(bens!.conversation.id)).messages.length, 2);
    await s.windowPasses();
    await s.nothingDue();
  }),

  scene("a turn that was running cannot write an erased person back", {}, async (s) => {
    const taken = await s.turnFor("hi");
    const { id } = taken.conversation;
    await s.engine.turns.draft(taken.lease, draftFor(taken));
    await s.engine.conversations.erase(id);
    as("lost", await s.engine.turns.renew(taken.lease));
    as("lost", await s.engine.turns.mark(taken.lease, draftFor(taken)));
    as("lost", await s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken)))));
    as("lost", await s.engine.turns.giveBack(taken.lease, { kind: "bury", reason: "x" }));
    assert.equal(await s.engine.conversations.answer({ turnId: taken.turnId, texts: ["late"] }), "stale");
    const chunk = { turnId: taken.turnId, chunk: 0 };
    const status = { account: "account", providerId: "p1", status: "delivered", chunk };
    assert.equal(await s.engine.receiving.settle("test", status), "unmatched");
    assert.deepEqual(await s.conversations(), []);
    assert.deepEqual(await s.engine.conversations.history(id, 10), []);
    assert.deepEqual(await s.dead(), []);
    await s.leaseLapses();
    await s.nothingDue();
  }),

  scene("redeliveries after erasing are duplicates: answered, staged or dead before", {}, async (s) => {
    const answered = (await s.receive("answered")).message;
    await s.windowPasses();
    await s.reply(await s.take());
    const dead = (await s.receive("dead")).message;
    await s.windowPasses();
    await s.engine.turns.giveBack((await s.take()).lease, { kind: "bury", reason: "broken" });
    const waiting = await s.receive("waiting");
    await s.engine.conversations.erase(waiting.conversationId);
    for (const message of [answered, dead, waiting.message]) {
      assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
    }
    assert.deepEqual(await s.conversations(), []);
    await s.atRest();
  }),

  scene("an erased person can write again, and starts from nothing", {}, async (s) => {
    const before = await s.turnFor("hi");
    await s.engine.conversations.erase(before.conversation.id);
    const taken = await s.turnFor("hello again");
    assert.deepEqual(textsOf(taken), ["hello again"]);
    assert.deepEqual(await s.engine.conversations.history(taken.conversation.id, 10), []);
    as("lost", await s.engine.turns.commit(before.lease, replied(before, allSent(draftFor(before)))));
    await s.reply(taken);
    assert.equal((await s.detail(taken.conversation.id)).turns.length, 1);
  }),

  scene("what was to be said to an erased person is not said", {}, async (s) => {
    const { conversationId } = await s.receive("hi");
    const say = { id: "o1", conversationId, channel: "test", to: "ana", texts: ["hello"], author: "eva" };
    await s.engine.conversations.say(say);
    await s.engine.conversations.erase(conversationId);
    await s.nothingDue();
    assert.equal(await s.engine.conversations.say({ ...say, id: "o2" }), "not-found");
    await s.atRest();
  }),
];
