import assert from "node:assert/strict";
import { RECENT_TURNS } from "../../core/defaults.ts";
import { providerIdsOf } from "../../core/draft.ts";
import { allSent, as, draftFor, replied, sending, sent, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { scene } from "./scene.ts";

const settling = { settleMs: 200_000 };

/** The answer is written down before it is sent: the next holder continues from there. */
export const drafts: readonly EngineCase[] = [
  scene("a crash after the draft: the next holder continues it instead of asking again", {}, async (s) => {
    const first = await s.turnFor("one");
    const draft = draftFor(first, "the answer", {
      usage: { promptTokens: 5, completionTokens: 2, totalTokens: 7 },
    });
    as("drafted", await s.engine.turns.draft(first.lease, draft));
    await s.receive("two");
    await s.leaseLapses();
    const second = await s.take();
    assert.deepEqual(second.draft, draft);
    assert.equal(second.turnId, first.turnId);
    assert.equal(second.attempt, 2);
    assert.deepEqual(textsOf(second), ["one"]);
    const [lock] = await s.locks();
    assert.ok(lock?.window, "what came meanwhile is not in this turn: its window stands");
    const { next } = as(
      "committed",
      await s.engine.turns.commit(second.lease, replied(second, allSent(draft))),
    );
    const third = as("turn", next!).taken;
    assert.deepEqual(textsOf(third), ["two"]);
    assert.notEqual(third.turnId, first.turnId);
    as("lost", await s.engine.turns.renew(second.lease));
    as("renewed", await s.engine.turns.renew(third.lease));
  }),

  scene("a draft and its chunks renew the lease", {}, async (s) => {
    const taken = await s.turnFor("hi");
    await s.passes(30_000);
    const drafted = as("drafted", await s.engine.turns.draft(taken.lease, draftFor(taken)));
    assert.equal(drafted.lease.untilAtMs, s.nowMs + s.settings.leaseMs);
    await s.passes(30_000);
    const written = as(
      "written",
      await s.engine.turns.writeChunks(taken.lease, sending(draftFor(taken), 0, s.nowMs)),
    );
    assert.equal(written.lease.untilAtMs, s.nowMs + s.settings.leaseMs);
    await s.passes(s.settings.leaseMs - 1);
    await s.nothingDue();
  }),

  scene("a crash while sending: the next holder is asked at once what became of it", settling, async (s) => {
    const first = await s.turnFor("hi");
    const draft = sending(draftFor(first, "the answer"), 0, s.nowMs + 15_000);
    as("drafted", await s.engine.turns.draft(first.lease, draft));
    await s.leaseLapses();
    const second = await s.take();
    assert.deepEqual(second.draft, draft);
    assert.equal(second.turnId, first.turnId);
    as("lost", await s.engine.turns.writeChunks(first.lease, sent(draft, 0)));
    as("released", await s.engine.turns.release(second.lease, { kind: "wait", afterMs: 5_000, draft }));
    await s.passes(4_999);
    await s.nothingDue();
    await s.passes(1);
    assert.deepEqual((await s.take()).draft, draft);
  }),

  scene("what a worker known to be dead was sending settles from its death on", settling, async (s) => {
    const doomed = await s.open("doomed");
    await s.receive("hi");
    await s.windowPasses();
    const first = await s.take(doomed);
    const draft = sending(draftFor(first), 0, s.nowMs + 15_000);
    await doomed.turns.draft(first.lease, draft);
    await s.passes(1_000);
    assert.equal(await s.engine.sweeping.freeLeases("doomed"), 1);
    const deadAtMs = s.nowMs;
    await s.passes(500);
    const { draft: found, turnId } = await s.take();
    assert.equal(turnId, first.turnId);
    assert.deepEqual(found, sending(draft, 0, deadAtMs));
  }),

  scene("a crash between chunks: what was sent stays sent", { settleMs: 0 }, async (s) => {
    const first = await s.turnFor("hi");
    const draft = draftFor(first, ["one", "two", "three"]);
    await s.engine.turns.draft(first.lease, sending(draft, 0, s.nowMs));
    const second = sending(sent(draft, 0, "p1"), 1, s.nowMs + 15_000);
    as("written", await s.engine.turns.writeChunks(first.lease, second));
    await s.leaseLapses();
    assert.deepEqual((await s.take()).draft?.chunks, second.chunks);
  }),

  scene("a worker that continues a draft is told what was sent to this person before", {}, async (s) => {
    const before = await s.talk("hi");
    const first = await s.turnFor("again");
    await s.engine.turns.draft(first.lease, draftFor(first));
    await s.leaseLapses();
    assert.deepEqual((await s.take()).recentProviderIds, [`out-${before.turnId}-0`]);
  }),

  scene("every message of a long reply is known when the next draft is continued", {}, async (s) => {
    const before = await s.turnFor("hi");
    const { replyMessagesMax } = s.own;
    const long = allSent(
      draftFor(
        before,
        Array.from({ length: replyMessagesMax }, (_, part) => `part ${part}`),
      ),
    );
    await s.engine.turns.draft(before.lease, long);
    await s.engine.turns.commit(before.lease, replied(before, long));
    const first = await s.turnFor("again");
    await s.engine.turns.draft(first.lease, draftFor(first));
    await s.leaseLapses();
    const known = (await s.take()).recentProviderIds;
    assert.deepEqual([...known].sort(), providerIdsOf(long).sort());
  }),

  scene("so are those of the latest turns, and no earlier ones", {}, async (s) => {
    const before: string[] = [];
    for (let turn = 0; turn <= RECENT_TURNS; turn += 1)
      before.push(`out-${(await s.talk(`message ${turn}`)).turnId}-0`);
    const first = await s.turnFor("again");
    await s.engine.turns.draft(first.lease, draftFor(first));
    await s.leaseLapses();
    const known = (await s.take()).recentProviderIds;
    assert.deepEqual([...known].sort(), before.slice(1).sort());
  }),

  scene("so are those of a turn that became a dead letter", {}, async (s) => {
    const dead = await s.turnFor("hi");
    const draft = sending(sent(draftFor(dead, ["one", "two"]), 0), 1, s.nowMs);
    await s.engine.turns.draft(dead.lease, draft);
    as(
      "released",
      await s.engine.turns.release(dead.lease, { kind: "dead-letter", reason: "refused for good", draft }),
    );
    const first = await s.turnFor("again");
    await s.engine.turns.draft(first.lease, draftFor(first, "one"));
    await s.leaseLapses();
    assert.deepEqual((await s.take()).recentProviderIds, [`out-${dead.turnId}-0`]);
  }),

  scene(
    "a provider's callback confirms a chunk that is being sent, and the wait for it ends",
    settling,
    async (s) => {
      const first = await s.turnFor("hi");
      await s.engine.turns.draft(first.lease, sending(draftFor(first), 0, s.nowMs + 15_000));
      await s.leaseLapses();
      const asking = await s.take();
      await s.engine.turns.release(asking.lease, { kind: "wait", afterMs: 200_000 });
      await s.nothingDue();
      const chunk = { turnId: first.turnId, chunk: 0 };
      const status = { account: "account", providerId: "p1", status: "delivered", chunk };
      assert.equal(await s.engine.receiving.recordDelivery("test", status), "confirmed");
      const second = await s.take();
      assert.deepEqual(second.draft?.chunks[0]?.state, { kind: "sent", providerId: "p1", atMs: s.nowMs });
      await s.engine.turns.commit(second.lease, replied(second, second.draft!));
      assert.deepEqual((await s.detail(second.conversation.id)).turns[0]?.providerIds, ["p1"]);
    },
  ),

  scene(
    "a callback for an earlier turn's chunk confirms nothing of the turn that is being sent",
    {},
    async (s) => {
      const before = await s.talk("hi");
      const taken = await s.turnFor("again");
      const draft = sending(draftFor(taken), 0, s.nowMs + 15_000);
      await s.engine.turns.draft(taken.lease, draft);
      const chunk = { turnId: before.turnId, chunk: 0 };
      const status = { account: "account", providerId: `out-${before.turnId}-0`, status: "delivered", chunk };
      assert.equal(await s.engine.receiving.recordDelivery("test", status), "recorded");
      await s.leaseLapses();
      assert.deepEqual((await s.take()).draft?.chunks, draft.chunks);
    },
  ),

  scene("a callback ends the wait of a turn that gave up waiting for its provider", settling, async (s) => {
    const first = await s.turnFor("hi");
    const draft = sending(draftFor(first), 0, s.nowMs + 15_000);
    await s.engine.turns.draft(first.lease, draft);
    const afterMs = s.settings.settleMs;
    await s.engine.turns.release(first.lease, {
      kind: "retry",
      afterMs,
      reason: "SEND_UNKNOWN",
      draft,
    });
    await s.nothingDue();
    const chunk = { turnId: first.turnId, chunk: 0 };
    const status = { account: "account", providerId: "p1", status: "sent", chunk };
    assert.equal(await s.engine.receiving.recordDelivery("test", status), "confirmed");
    assert.equal((await s.take()).draft?.chunks[0]?.state.kind, "sent");
  }),

  scene("a callback of another channel proves nothing about this one's send", settling, async (s) => {
    const first = await s.turnFor("hi");
    const draft = sending(draftFor(first), 0, s.nowMs + 15_000);
    await s.engine.turns.draft(first.lease, draft);
    const chunk = { turnId: first.turnId, chunk: 0 };
    const status = { account: "account", providerId: "p1", status: "sent", chunk };
    assert.equal(await s.engine.receiving.recordDelivery("sms", status), "unmatched");
    assert.equal(await s.engine.receiving.recordDelivery("test", status), "confirmed");
  }),

  scene("a callback of another address of ours proves nothing about this one's send", settling, async (s) => {
    const first = await s.turnFor("hi");
    const draft = sending(draftFor(first, "ok", { from: "+15550100" }), 0, s.nowMs + 15_000);
    await s.engine.turns.draft(first.lease, draft);
    const chunk = { turnId: first.turnId, chunk: 0 };
    const status = { account: "account", providerId: "p1", status: "sent", chunk };
    const confirm = (address: string) => s.engine.receiving.recordDelivery("test", { ...status, address });
    assert.equal(await confirm("+15550199"), "unmatched");
    assert.equal(await confirm(""), "unmatched");
    assert.equal(await confirm("15550100"), "confirmed");
  }),

  scene("a callback for a turn that has drafted nothing is for nothing that was sent", {}, async (s) => {
    const taken = await s.turnFor("hi");
    const chunk = { turnId: taken.turnId, chunk: 0 };
    const status = { account: "account", providerId: "p1", status: "sent" };
    assert.equal(await s.engine.receiving.recordDelivery("test", { ...status, chunk }), "unmatched");
    await s.reply(taken);
    assert.equal(await s.engine.receiving.recordDelivery("test", status), "unmatched");
  }),

  scene(
    "a slow worker's older copy of the draft does not undo what the callback confirmed",
    {},
    async (s) => {
      const { turns, receiving } = s.engine;
      const taken = await s.turnFor("hi");
      const older = sending(draftFor(taken, ["one", "two"]), 0, s.nowMs + 15_000);
      await turns.draft(taken.lease, older);
      const chunk = { turnId: taken.turnId, chunk: 0 };
      await receiving.recordDelivery("test", { account: "account", providerId: "p1", status: "sent", chunk });

      const written = as("written", await turns.writeChunks(taken.lease, older));
      // A worker that continued from its own copy would send it again.
      assert.equal(written.draft.chunks[0]?.state.kind, "sent");
      assert.equal(written.draft.chunks[1]?.state.kind, "pending");
      const how = { kind: "retry", afterMs: 0, reason: "timeout", draft: older } as const;
      as("released", await turns.release(taken.lease, how));
      const again = await s.take();
      assert.equal(again.draft?.chunks[0]?.state.kind, "sent");

      const unsure = {
        ...older,
        chunks: older.chunks.map((each) => ({ ...each, state: { kind: "unknown" } as const })),
      };
      as("committed", await turns.commit(again.lease, replied(again, unsure, { outcome: "unknown" })));
      const { items } = await s.engine.inspector.unknown({ limit: 10 });
      assert.deepEqual(
        items.map(({ text }) => text),
        ["two"],
      );
    },
  ),

  scene(
    "a callback for something that lull never sent is told apart from one for what it did",
    {},
    async (s) => {
      const taken = await s.talk("hi");
      const status = { account: "account", status: "delivered" };
      const mine = { ...status, providerId: `out-${taken.turnId}-0` };
      assert.equal(await s.engine.receiving.recordDelivery("test", mine), "recorded");
      assert.equal(await s.engine.receiving.recordDelivery("test", mine), "recorded");
      const foreign = { ...status, providerId: "not-ours" };
      assert.equal(await s.engine.receiving.recordDelivery("test", foreign), "unmatched");
      const chunk = { turnId: "another installation's", chunk: 0 };
      assert.equal(await s.engine.receiving.recordDelivery("test", { ...foreign, chunk }), "unmatched");
      await s.atRest();
    },
  ),

  scene("once a human took over, neither a draft nor a chunk is written", {}, async (s) => {
    const { turns, conversations } = s.engine;
    const taken = await s.turnFor("hi");
    const { id } = taken.conversation;
    await conversations.change(id, { handedOff: true, handOffReason: "asked for a person" });
    assert.deepEqual(await turns.draft(taken.lease, draftFor(taken)), { kind: "handed-off" });
    assert.equal((await s.detail(id)).lock?.draft, false);
    as("renewed", await turns.renew(taken.lease));
    assert.deepEqual(await turns.writeChunks(taken.lease, draftFor(taken)), { kind: "handed-off" });
    const commit = { outcome: "handed-off", userText: "hi", more: false } as const;
    as("committed", await turns.commit(taken.lease, commit));
    assert.equal((await conversations.get(id))?.status, "awaiting_agent");
    assert.deepEqual(
      (await conversations.history(id, 10)).map(({ role }) => role),
      ["user"],
    );
  }),

  scene("a human who takes over between two chunks is not talked over by the second", {}, async (s) => {
    const { turns, conversations } = s.engine;
    const taken = await s.turnFor("hi");
    const draft = draftFor(taken, ["one", "two"]);
    as("drafted", await turns.draft(taken.lease, sending(draft, 0, s.nowMs + 15_000)));
    await conversations.change(taken.conversation.id, { handedOff: true });
    const next = sending(sent(draft, 0), 1, s.nowMs + 15_000);
    assert.deepEqual(await turns.writeChunks(taken.lease, next), { kind: "handed-off" });
    await s.leaseLapses();
    assert.deepEqual((await s.take()).draft?.chunks[1]?.state, { kind: "pending" });
  }),

  scene("once a human took over, what the human says is still drafted and sent", {}, async (s) => {
    const { id } = (await s.talk("hi")).conversation;
    await s.engine.conversations.change(id, { handedOff: true });
    const say = {
      id: "o1",
      conversationId: id,
      channel: "test",
      to: "ana",
      texts: ["Eva here"],
      author: "eva",
    };
    await s.engine.conversations.say(say);
    const taken = await s.take();
    const draft = draftFor(taken, taken.outbound!.texts);
    as("drafted", await s.engine.turns.draft(taken.lease, draft));
    as("written", await s.engine.turns.writeChunks(taken.lease, sending(draft, 0, s.nowMs)));
  }),
];
