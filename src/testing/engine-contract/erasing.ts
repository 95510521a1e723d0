import assert from "node:assert/strict";
import type { Arrival } from "../../model/message.ts";
import type { Taken } from "../../model/take.ts";
import { allSent, as, draftFor, replied, textsOf, unknown } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { Scene, scene } from "./scene.ts";

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
    await engine.turns.release((await s.turnFor("two")).lease, { kind: "dead-letter", reason: "broken" });
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
    as("lost", await s.engine.turns.writeChunks(taken.lease, draftFor(taken)));
    as("lost", await s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken)))));
    as("lost", await s.engine.turns.release(taken.lease, { kind: "dead-letter", reason: "x" }));
    assert.equal(await s.engine.conversations.answer({ turnId: taken.turnId, texts: ["late"] }), "stale");
    const chunk = { turnId: taken.turnId, chunk: 0 };
    const status = { account: "account", providerId: "p1", status: "delivered", chunk };
    assert.equal(await s.engine.receiving.recordDelivery("test", status), "unmatched");
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
    await s.engine.turns.release((await s.take()).lease, { kind: "dead-letter", reason: "broken" });
    const waiting = await s.receive("waiting");
    await s.engine.conversations.erase(waiting.conversationId);
    for (const message of [answered, dead, waiting.message]) {
      assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
    }
    assert.deepEqual(await s.conversations(), []);
    await s.atRest();
  }),

  scene(
    "what the provider told of an erased person's sends goes, whatever became of their turns",
    {},
    async (s) => {
      const { engine } = s;
      const sentIn = async (taken: Taken) => {
        const draft = allSent(draftFor(taken));
        as("drafted", await engine.turns.draft(taken.lease, draft));
        const status = { account: "account", providerId: `out-${taken.turnId}-0`, status: "sent" };
        const chunk = { turnId: taken.turnId, chunk: 0 };
        assert.equal(await engine.receiving.recordDelivery("test", { ...status, chunk }), "recorded");
        return { draft, status };
      };
      const answered = await s.turnFor("answered");
      const first = await sentIn(answered);
      as("committed", await engine.turns.commit(answered.lease, replied(answered, first.draft)));
      const dead = await s.turnFor("dead");
      const second = await sentIn(dead);
      await engine.turns.release(dead.lease, { kind: "dead-letter", reason: "broken", draft: second.draft });
      const third = await sentIn(await s.turnFor("running"));
      const told = () =>
        Promise.all(
          [first, second, third].map(({ status }) => engine.receiving.recordDelivery("test", status)),
        );
      assert.deepEqual(await told(), ["recorded", "recorded", "recorded"]);
      assert.equal(await engine.conversations.erase(answered.conversation.id), "erased");
      assert.deepEqual(await told(), ["unmatched", "unmatched", "unmatched"]);
    },
  ),

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

  scene(
    "erasing takes along the person's other conversations, under every name, and what was refused of them",
    {},
    async (s) => {
      const { engine } = s;
      const { conversationId: bens } = await s.receive({ sender: "ben", senderAlias: "+15550102" });
      const first = await turnOf(s, { ...ANA, text: "first task" });
      await engine.turns.commit(first.lease, replied(first, allSent(draftFor(first)), { complete: true }));
      const second = await turnOf(s, { ...ANA, sender: ANA.senderAlias, senderAlias: ANA.sender });
      await s.reply(second);
      assert.notEqual(first.conversation.id, second.conversation.id);
      for (const sender of [ANA.sender, ANA.senderAlias, "ben"])
        await engine.receiving.stage([{ arrival: s.arrival({ sender }), refusal: "ROUTE_NOT_FOUND" }]);

      assert.equal(await engine.conversations.erase(second.conversation.id), "erased");
      assert.deepEqual(
        (await s.conversations()).map(({ id }) => id),
        [bens],
      );
      assert.deepEqual(await engine.conversations.history(first.conversation.id, 10), []);
      const { items } = await engine.inspector.refusals({ limit: 10 });
      assert.deepEqual(
        items.map(({ sender }) => sender),
        ["ben"],
      );
      assert.equal(await engine.conversations.erase(first.conversation.id), "not-found");
      const { turns, staged } = await engine.inspector.counts();
      assert.deepEqual({ turns, staged }, { turns: 0, staged: 1 });
    },
  ),

  scene(
    "messages that never had a conversation can be erased by the id that their dead letter names",
    { validation: "on-turn", admission: "known" },
    async (s) => {
      const { message } = await s.receive({ ...ANA, text: "let me in" });
      await s.windowPasses();
      await s.nothingDue();
      const [letter] = await s.dead();
      assert.equal(await s.engine.conversations.erase(letter!.conversationId), "erased");
      assert.deepEqual(await s.dead(), []);
      assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
      assert.equal(await s.engine.conversations.erase(letter!.conversationId), "not-found");
    },
  ),

  scene("nothing of an erased person is left in whatever the engine keeps", {}, async (s) => {
    const { engine } = s;
    const secrets = ["SECRET", ...Object.values(ANA)];
    await s.receive({ sender: "ben", text: "neighbour" });
    const first = await turnOf(s, { ...ANA, text: `SECRET one ${"long ".repeat(3_000)}` });
    await engine.turns.commit(
      first.lease,
      replied(first, allSent(draftFor(first, "SECRET answer")), { complete: true }),
    );
    const lost = await turnOf(s, { ...ANA, text: "SECRET two" });
    const { id } = lost.conversation;
    await engine.turns.commit(
      lost.lease,
      replied(lost, unknown(draftFor(lost, "SECRET lost"), 0), { outcome: "unknown" }),
    );
    const failed = await turnOf(s, { ...ANA, text: "SECRET three", media: [PICTURE] });
    await engine.turns.release(failed.lease, { kind: "dead-letter", reason: "cannot read SECRET three" });
    await engine.receiving.stage([{ arrival: s.arrival(ANA), refusal: "ROUTE_NOT_FOUND" }]);
    await engine.conversations.change(id, { projectStatus: "archived" });
    await s.deliver(s.arrival({ ...ANA, text: "SECRET refused" }));
    await engine.conversations.change(id, { projectStatus: "active", attributes: { name: "SECRET name" } });
    await s.receive({ ...ANA, text: "SECRET spoilt" });
    await s.fixture.spoil?.(id, "staged", "foreign");
    const answered = await turnOf(s, { ...ANA, text: "SECRET four" });
    await s.reply(answered, "SECRET reply");
    const running = await turnOf(s, { ...ANA, text: "SECRET five" });
    await engine.turns.draft(running.lease, draftFor(running, "SECRET draft"));
    await engine.conversations.say({
      id: "o1",
      conversationId: id,
      channel: "test",
      to: ANA.sender,
      texts: ["SECRET said"],
      author: "eva",
    });
    await s.receive({ ...ANA, text: "SECRET six" });
    const found = await s.fixture.keeps?.();
    if (found) for (const secret of secrets) assert.ok(found.includes(secret), `${secret} was not kept`);

    assert.equal(await engine.conversations.erase(id), "erased");
    const left = (await s.fixture.keeps?.()) ?? "";
    assert.deepEqual(
      secrets.filter((secret) => left.includes(secret)),
      [],
    );
    if (found) assert.ok(left.includes("neighbour"));
  }),

  {
    title: "an id does not tell whose it is: in another installation the same person has another one",
    async run(harness) {
      const worlds = [await harness.fixture(), await harness.fixture()];
      const ids = await Promise.all(
        worlds.map(
          async (fixture) => (await new Scene(fixture, await fixture.open()).receive()).conversationId,
        ),
      );
      assert.notEqual(ids[0], ids[1]);
      await Promise.all(worlds.map((fixture) => fixture.close()));
    },
  },

  scene("workers of one installation agree on a person's next conversation", {}, async (s) => {
    const engines = [s.engine, await s.open("worker-2"), await s.open("worker-3")];
    const found = await Promise.all(engines.map((engine) => s.receive({}, engine)));
    assert.equal(new Set(found.map(({ conversationId }) => conversationId)).size, 1);
  }),
];

const ANA = { sender: "user-ana-0001", senderAlias: "+15550101", replyTo: "test:+15550101" };
const PICTURE = { url: "https://example.test/SECRET.jpg", contentType: "image/jpeg" };

/** This message arrives, its window passes, and its turn is taken; other due turns wait. */
async function turnOf(s: Scene, given: Partial<Arrival>): Promise<Taken> {
  await s.receive(given);
  await s.windowPasses();
  const turns = await s.turns();
  for (const other of turns.filter((taken) => !isOf(taken, given.sender)))
    await s.engine.turns.release(other.lease, { kind: "wait", afterMs: 0 });
  const found = turns.find((taken) => isOf(taken, given.sender));
  assert.ok(found, `no turn of ${given.sender} is due`);
  return found;
}

function isOf({ messages }: Taken, sender: string | undefined): boolean {
  return messages.some((message) => message.sender === sender);
}
