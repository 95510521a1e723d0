import assert from "node:assert/strict";
import { allSent, draftFor, replied } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { completeAll, OTHER, PHONE, placeOf, reached } from "./people.ts";
import { type Scene, scene } from "./scene.ts";

const ANA = "SV.aaaaaaaa";
const BEN = "SV.bbbbbbbb";
const KEY = { channelType: "test", address: "lull" };

const ids = async (s: Scene) => (await s.conversations()).map(({ id }) => id).sort();
const anas = (senderAlias: string) => ({ sender: ANA, senderAlias });
const bens = (senderAlias: string) => ({ sender: BEN, senderAlias });

/** Ana has left the number, and a stranger writes with it. */
async function leftBehind(s: Scene): Promise<{ ana: string; stranger: string }> {
  const ana = await placeOf(s, anas(PHONE));
  await placeOf(s, anas(OTHER));
  const stranger = await placeOf(s, { sender: PHONE });
  assert.notEqual(stranger, ana);
  return { ana, stranger };
}

/** Where a number leads that changes hands: refused, at once, on the turn, and once its people are erased. */
export const numbers: readonly EngineCase[] = [
  scene("erasing a person leaves the stranger who has the number that they left", {}, async (s) => {
    const { ana, stranger } = await leftBehind(s);
    assert.equal(await s.engine.conversations.erase(ana), "erased");
    assert.deepEqual(await ids(s), [stranger]);
    assert.equal(await placeOf(s, { sender: PHONE }), stranger);
  }),

  scene("erasing a stranger leaves the person who had the number before", {}, async (s) => {
    const { ana, stranger } = await leftBehind(s);
    assert.equal(await s.engine.conversations.erase(stranger), "erased");
    assert.deepEqual(await ids(s), [ana]);
    assert.deepEqual(await reached(s, ana), [OTHER]);
  }),

  scene("an ownerless conversation stays so when all who had its number are erased", {}, async (s) => {
    const ana = await placeOf(s, { sender: ANA });
    const bare = await placeOf(s, { sender: PHONE });
    assert.equal(await placeOf(s, anas(PHONE)), ana);
    const ben = await placeOf(s, bens(PHONE));
    await s.engine.conversations.erase(ana);
    await s.engine.conversations.erase(ben);
    assert.notEqual(await placeOf(s, { sender: PHONE }), bare);
    assert.deepEqual(await reached(s, bare), [undefined]);
  }),

  scene(
    "a message that is refused while its turn runs passes the number on",
    { whileBusy: "reject" },
    async (s) => {
      const ana = await placeOf(s, anas(PHONE));
      await placeOf(s, bens(OTHER));
      await s.windowPasses();
      for (const taken of await s.turns()) if (taken.conversation.id === ana) await s.reply(taken);
      assert.equal((await s.deliver(s.arrival(bens(PHONE)))).kind, "refused");
      await notIn(s, ana);
    },
  ),

  scene("a message of a person who may not write passes the number on", { admission: "known" }, async (s) => {
    const { conversation } = await s.engine.conversations.create({ ...KEY, ...anas(PHONE) });
    assert.equal((await s.deliver(s.arrival(bens(PHONE)))).kind, "refused");
    await notIn(s, conversation.id);
  }),

  scene("a message that is too large passes the number on", {}, async (s) => {
    const ana = await placeOf(s, anas(PHONE));
    await s.engine.receiving.stage([{ arrival: s.arrival(bens(PHONE)), refusal: "MESSAGE_TOO_LARGE" }]);
    await notIn(s, ana);
  }),

  scene("creating a conversation that is there passes the number on", {}, async (s) => {
    const ana = await placeOf(s, anas(PHONE));
    const ben = await placeOf(s, bens(OTHER));
    const { created, conversation } = await s.engine.conversations.create({ ...KEY, ...bens(PHONE) });
    assert.deepEqual([created, conversation.id], [false, ben]);
    assert.equal(await placeOf(s, { sender: PHONE }), ben);
    await notIn(s, ana);
  }),

  scene("two people who come with one number at once have two conversations", {}, async (s) => {
    const other = await s.open("worker-2");
    await placeOf(s, { sender: PHONE });
    const [ana, ben] = await Promise.all([s.receive(anas(PHONE)), s.receive(bens(PHONE), other)]);
    assert.notEqual(ana.conversationId, ben.conversationId);
  }),

  scene("likewise in one payload", {}, async (s) => {
    await placeOf(s, { sender: PHONE });
    const requests = [anas(PHONE), bens(PHONE)].map((given) => ({ arrival: s.arrival(given) }));
    const [ana, ben] = await s.engine.receiving.stage(requests);
    assert.ok(ana?.kind === "staged" && ben?.kind === "staged");
    assert.notEqual(ana.conversationId, ben.conversationId);
  }),

  scene("likewise where the number comes first, and nothing is known", {}, async (s) => {
    const other = await s.open("worker-2");
    const [ana, ben] = await Promise.all([
      s.receive({ sender: PHONE, senderAlias: ANA }),
      s.receive({ sender: PHONE, senderAlias: BEN }, other),
    ]);
    assert.notEqual(ana.conversationId, ben.conversationId);
  }),

  scene("a number alone, and with an id at the same time, leads its next owner nowhere", {}, async (s) => {
    const other = await s.open("worker-2");
    const [, ben] = await Promise.all([
      s.receive({ sender: PHONE }),
      s.receive({ sender: PHONE, senderAlias: BEN }, other),
    ]);
    assert.equal(await placeOf(s, bens(OTHER)), ben.conversationId);
    await notIn(s, ben.conversationId);
  }),

  scene("two people who wait under one number wait apart", { validation: "on-turn" }, async (s) => {
    await s.receive({ sender: PHONE, senderAlias: ANA, text: "of ana" });
    await s.receive({ sender: PHONE, senderAlias: BEN, text: "of ben" });
    await s.windowPasses();
    const texts = (await s.turns()).map(({ messages }) => messages.map(({ text }) => text));
    assert.deepEqual(texts.sort(), [["of ana"], ["of ben"]]);
  }),

  scene(
    "the owner of a number when a message was staged decides, not its owner on the turn",
    { validation: "on-turn" },
    async (s) => {
      await s.receive({ sender: PHONE, text: "first" });
      await s.receive({ ...anas(PHONE), text: "ana" });
      await s.receive({ ...bens(PHONE), text: "ben" });
      await s.receive({ sender: PHONE, text: "ben again" });
      const said: Record<string, string[]> = {};
      for (let round = 0; round < 4; round += 1) {
        await s.windowPasses();
        for (const taken of await s.turns()) {
          const { sender } = taken.conversation;
          said[sender] = [...(said[sender] ?? []), ...taken.messages.map(({ text }) => text)];
          await s.reply(taken);
        }
      }
      assert.deepEqual(said, { [PHONE]: ["first"], [ANA]: ["ana"], [BEN]: ["ben", "ben again"] });
    },
  ),

  scene(
    "what waits under a name stays that person's when the number passes on before its turn",
    { validation: "on-turn" },
    async (s) => {
      await s.receive({ ...anas(PHONE), text: "of ana" });
      await s.receive({ sender: PHONE, text: "also of ana" });
      await s.receive({ ...bens(PHONE), text: "of ben" });
      assert.deepEqual(await answered(s), { [ANA]: ["of ana", "also of ana"], [BEN]: ["of ben"] });
      await completeAll(s);
    },
  ),

  scene(
    "likewise where the task was complete when it was written, and where the conversation is a number's",
    { validation: "on-turn" },
    async (s) => {
      await s.receive({ sender: PHONE, text: "first" });
      await answered(s);
      await s.receive({ ...anas(PHONE), text: "it is me" });
      await s.windowPasses();
      const [taken] = await s.turns();
      await s.engine.turns.commit(
        taken!.lease,
        replied(taken!, allSent(draftFor(taken!)), { complete: true }),
      );
      await s.receive({ ...anas(PHONE), text: "of ana" });
      await s.receive({ ...bens(PHONE), text: "of ben" });
      assert.deepEqual(await answered(s), { [ANA]: ["of ana"], [BEN]: ["of ben"] });
    },
  ),

  scene(
    "a conversation completed while a message waits leads to its person, not to its number's owner",
    { validation: "on-turn" },
    async (s) => {
      await s.receive({ sender: PHONE, text: "first" });
      await answered(s);
      const ana = await placeOf(s, { ...anas(PHONE), text: "of ana" });
      await s.engine.conversations.change(ana, { taskComplete: true });
      await s.receive({ ...bens(PHONE), text: "of ben" });
      assert.deepEqual(await answered(s), { [ANA]: ["of ana"], [BEN]: ["of ben"] });
    },
  ),

  scene(
    "what came with nothing but the number before its owner did is answered, and not shown to the next",
    { validation: "on-turn" },
    async (s) => {
      await s.receive({ sender: PHONE, text: "first" });
      await s.receive({ ...anas(PHONE), text: "of ana" });
      await answered(s);
      await s.receive({ ...anas(OTHER), text: "moved" });
      await answered(s);
      await s.receive({ sender: PHONE, text: "a stranger" });
      await s.windowPasses();
      const [taken] = await s.turns();
      assert.deepEqual(await s.engine.conversations.history(taken!.conversation.id, 10), []);
    },
  ),

  scene(
    "a conversation that became a person's by a message that was refused is found by their own name",
    { whileBusy: "reject" },
    async (s) => {
      const first = await placeOf(s, { sender: PHONE });
      await s.windowPasses();
      const [taken] = await s.turns();
      assert.equal((await s.deliver(s.arrival(anas(PHONE)))).kind, "refused");
      await s.reply(taken!);
      assert.equal(await placeOf(s, { sender: ANA }), first);
      assert.equal(await placeOf(s, anas(OTHER)), first);
    },
  ),

  scene(
    "a conversation that became a person's while a message waits is found by their own name",
    { validation: "on-turn" },
    async (s) => {
      await s.receive({ sender: PHONE, text: "first" });
      await answered(s);
      const place = await placeOf(s, anas(PHONE));
      assert.equal(await placeOf(s, { sender: ANA }), place);
      assert.equal(await placeOf(s, anas(OTHER)), place);
    },
  ),

  scene(
    "a hundred strangers, one after the other, with one number have a hundred conversations",
    {},
    async (s) => {
      const seen = new Set<string>();
      for (let n = 0; n < 110; n += 1) {
        seen.add(await placeOf(s, { sender: PHONE }));
        await placeOf(s, anas(PHONE));
        await placeOf(s, anas(OTHER));
      }
      // The first was Ana's: she joined it.
      assert.equal(seen.size, 110);
    },
  ),

  scene("a person of many numbers goes on in one conversation, and is erased whole", {}, async (s) => {
    const first = await placeOf(s, { sender: PHONE });
    for (let n = 0; n < 20; n += 1)
      assert.equal(await placeOf(s, anas(n === 0 ? PHONE : `+1555020${n}`)), first);
    await completeAll(s);
    const next = await placeOf(s, { sender: ANA });
    assert.equal(await s.engine.conversations.erase(next), "erased");
    assert.deepEqual(await ids(s), []);
    assert.ok(!((await s.fixture.keeps?.()) ?? "").includes(ANA));
  }),
];

/** A bare number is not found there, and nothing said there is sent to it. */
async function notIn(s: Scene, id: string): Promise<void> {
  const outcome = await s.deliver(s.arrival({ sender: PHONE }));
  assert.notEqual("conversationId" in outcome && outcome.conversationId, id);
  assert.notDeepEqual(await reached(s, id), [PHONE]);
}

/** What was asked in whose conversation, by the lasting name where it is known, until nothing waits. */
async function answered(s: Scene): Promise<Record<string, string[]>> {
  const asked: Record<string, string[]> = {};
  for (let round = 0; round < 4; round += 1) {
    await s.windowPasses();
    for (const taken of await s.turns()) {
      const { sender, senderAlias } = taken.conversation;
      const name = [sender, senderAlias].find((each) => each?.startsWith("SV.")) ?? sender;
      asked[name] = [...(asked[name] ?? []), ...taken.messages.map(({ text }) => text)];
      await s.reply(taken);
    }
  }
  return asked;
}
