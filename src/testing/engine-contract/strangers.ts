import assert from "node:assert/strict";
import { textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { completeAll, OTHER, PHONE, placeOf, reached } from "./people.ts";
import { type Scene, scene } from "./scene.ts";

const ANA = "SV.aaaaaaaa";
const BEN = "SV.bbbbbbbb";
const KEY = { channelType: "test", address: "lull" };
const onTurn = { validation: "on-turn" } as const;

const came = (sender: string, senderAlias: string, text = "hi") => ({ sender, senderAlias, text });
const bare = (text = "hi") => ({ sender: PHONE, text });
const ids = async (s: Scene) => (await s.conversations()).map(({ id }) => id).sort();

/** All that waits is answered; the texts of each turn. */
async function answered(s: Scene): Promise<string[][]> {
  const asked: string[][] = [];
  for (let round = 0; round < 4; round += 1) {
    await s.windowPasses();
    for (const taken of await s.turns()) {
      asked.push(textsOf(taken));
      await s.reply(taken);
    }
  }
  return asked;
}

/** Ana comes with the number and leaves it for another one. The id of her conversation. */
async function anaWasThere(s: Scene): Promise<string> {
  await s.receive(came(ANA, PHONE));
  await answered(s);
  await s.receive(came(ANA, OTHER));
  await answered(s);
  const all = await s.conversations();
  return all.find(({ sender, senderAlias }) => [sender, senderAlias].includes(ANA))!.id;
}

/** What the turn of the next message with nothing but the number is shown of earlier ones. */
async function historyOfNext(s: Scene): Promise<string[]> {
  await s.receive(bare("a stranger"));
  await s.windowPasses();
  const taken = (await s.turns()).find((each) => textsOf(each).includes("a stranger"))!;
  const history = await s.engine.conversations.history(taken.conversation.id, 10);
  return [...history.map(({ text }) => text), ...textsOf(taken)];
}

/**
 * People who have nothing but a number which others had before them, or will have. If it cannot be told whose
 * something is, it is ownerless: no message finds it, nothing is said to it, and it is erased with no person.
 */
export const strangers: readonly EngineCase[] = [
  scene(
    "erasing a stranger by their dead letter leaves the person who had the number before",
    { ...onTurn, admission: "known" },
    async (s) => {
      await s.engine.conversations.create({ ...KEY, ...came(ANA, PHONE) });
      const ana = await anaWasThere(s);
      await s.receive(bare());
      await answered(s);
      const [letter] = await s.dead();
      assert.equal(letter?.reason, "CONVERSATION_NOT_FOUND");
      assert.equal(await s.engine.conversations.erase(letter!.conversationId), "erased");
      assert.deepEqual(await s.dead(), []);
      assert.deepEqual(await ids(s), [ana]);
      assert.deepEqual(await reached(s, ana), [OTHER]);
    },
  ),

  scene("likewise by the place where their message waits", onTurn, async (s) => {
    const ana = await anaWasThere(s);
    await s.receive(bare());
    const [lock] = await s.locks();
    assert.equal(await s.engine.conversations.erase(lock!.conversationId), "erased");
    assert.deepEqual(await ids(s), [ana]);
    await s.atRest();
  }),

  scene(
    "a message of a person that waits leads to that person, though it names only the number",
    onTurn,
    async (s) => {
      await s.receive(came(ANA, PHONE));
      await completeAll(s);
      const { conversationId } = await s.receive(bare());
      assert.equal(await s.engine.conversations.erase(conversationId), "erased");
      assert.deepEqual(await ids(s), []);
      await s.atRest();
    },
  ),

  scene("erasing a person leaves what a stranger with their former number has waiting", onTurn, async (s) => {
    const ana = await anaWasThere(s);
    const { message } = await s.receive(bare("of a stranger"));
    assert.equal(await s.engine.conversations.erase(ana), "erased");
    assert.deepEqual(await answered(s), [["of a stranger"]]);
    assert.deepEqual(await s.deliver(message), { kind: "duplicate" });
  }),

  scene("likewise what was refused of the stranger", {}, async (s) => {
    const ana = await anaWasThere(s);
    await s.engine.receiving.stage([{ arrival: s.arrival(bare()), refusal: "ROUTE_NOT_FOUND" }]);
    assert.equal(await s.engine.conversations.erase(ana), "erased");
    assert.equal((await s.engine.inspector.refusals({ limit: 10 })).items.length, 1);
  }),

  scene("erasing a stranger takes all that waits or was refused under the number", onTurn, async (s) => {
    const ana = await anaWasThere(s);
    await s.receive(bare());
    await answered(s);
    const { conversationId } = await s.receive(bare());
    await s.engine.receiving.stage([{ arrival: s.arrival(bare()), refusal: "ROUTE_NOT_FOUND" }]);
    assert.equal(await s.engine.conversations.erase(conversationId), "erased");
    assert.deepEqual(await ids(s), [ana]);
    assert.deepEqual((await s.engine.inspector.refusals({ limit: 10 })).items, []);
    await s.atRest();
  }),

  ...(["on-receipt", "on-turn"] as const).map((validation) =>
    scene(
      `a person who comes back to a number is not the stranger who had it: ${validation}`,
      { validation },
      async (s) => {
        const ana = await anaWasThere(s);
        await s.engine.conversations.change(ana, { taskComplete: true });
        const stranger = await historyOfNext(s);
        assert.deepEqual(stranger, ["a stranger"]);
        await s.leaseLapses();
        await answered(s);
        await s.receive(came(ANA, PHONE, "ana is back"));
        await s.windowPasses();
        const taken = await s.take();
        assert.deepEqual(await s.engine.conversations.history(taken.conversation.id, 10), []);
      },
    ),
  ),

  ...(["on-receipt", "on-turn"] as const).map((validation) =>
    scene(
      `nor is a person who comes with it for the first time: ${validation}`,
      { validation },
      async (s) => {
        await anaWasThere(s);
        const stranger = await placeOf(s, bare("a stranger"));
        await s.receive(came(BEN, PHONE, "ben"));
        await s.windowPasses();
        const taken = (await s.turns()).find((each) => textsOf(each).includes("ben"))!;
        assert.notEqual(taken.conversation.id, stranger);
        assert.deepEqual(textsOf(taken), ["ben"]);
        assert.deepEqual(await s.engine.conversations.history(taken.conversation.id, 10), []);
        assert.deepEqual(await reached(s, stranger), [undefined]);
      },
    ),
  ),

  scene("nor is one who was erased meanwhile", {}, async (s) => {
    const ana = await anaWasThere(s);
    const stranger = await placeOf(s, bare());
    assert.equal(await s.engine.conversations.erase(ana), "erased");
    assert.notEqual(await placeOf(s, came(ANA, PHONE)), stranger);
  }),

  scene("nothing is said to a number in a conversation from before another person had it", {}, async (s) => {
    const first = await placeOf(s, bare());
    await completeAll(s);
    assert.deepEqual(await reached(s, first), [PHONE]);
    await anaWasThere(s);
    assert.deepEqual(await reached(s, first), [undefined]);
    const stranger = await placeOf(s, bare());
    assert.deepEqual(await reached(s, first, stranger), [undefined, PHONE]);
    await placeOf(s, came(ANA, PHONE));
    await placeOf(s, came(ANA, OTHER));
    const next = await placeOf(s, bare());
    assert.deepEqual(await reached(s, first, stranger, next), [undefined, undefined, PHONE]);
  }),

  scene("likewise when all who had the number since are erased", {}, async (s) => {
    const first = await placeOf(s, bare());
    await completeAll(s);
    const ana = await anaWasThere(s);
    const ben = await placeOf(s, came(BEN, PHONE));
    for (const id of [ana, ben]) assert.equal(await s.engine.conversations.erase(id), "erased");
    assert.deepEqual(await ids(s), [first]);
    assert.deepEqual(await reached(s, first), [undefined]);
  }),

  ...[ANA, BEN].flatMap((between) =>
    ["earlier", "later"].map((which) =>
      scene(
        `erasing the ${which} of two strangers leaves the other: ${between} between them`,
        {},
        async (s) => {
          await placeOf(s, { sender: between });
          await anaWasThere(s);
          const earlier = await placeOf(s, bare());
          await placeOf(s, came(between, PHONE));
          await placeOf(s, came(between, OTHER));
          const later = await placeOf(s, bare());
          const [gone, stays] = which === "later" ? [later, earlier] : [earlier, later];
          const before = await ids(s);
          assert.ok(earlier !== later && before.includes(stays));
          assert.equal(await s.engine.conversations.erase(gone), "erased");
          assert.deepEqual(
            await ids(s),
            before.filter((id) => id !== gone),
          );
        },
      ),
    ),
  ),

  scene("an ownerless conversation and a person are not erased with each other", {}, async (s) => {
    const ana = await placeOf(s, { sender: ANA });
    const ownerless = await placeOf(s, bare());
    await placeOf(s, came(ANA, PHONE));
    assert.equal(await s.engine.conversations.erase(ownerless), "erased");
    assert.deepEqual(await ids(s), [ana]);
  }),

  scene("nor the other way round", {}, async (s) => {
    const ana = await placeOf(s, { sender: ANA });
    const ownerless = await placeOf(s, bare());
    await placeOf(s, came(ANA, PHONE));
    assert.equal(await s.engine.conversations.erase(ana), "erased");
    assert.deepEqual(await ids(s), [ownerless]);
  }),

  scene(
    "what waited while a person came and left is answered, and not shown to the number's next owner",
    onTurn,
    async (s) => {
      await s.receive(bare("secret"));
      await s.receive(came(ANA, PHONE, "of ana"));
      await s.receive(came(ANA, OTHER, "of ana"));
      assert.deepEqual((await answered(s)).flat().sort(), ["of ana", "of ana", "secret"]);
      assert.deepEqual(await historyOfNext(s), ["a stranger"]);
    },
  ),

  scene("likewise where the next owners write before its turn", onTurn, async (s) => {
    await s.receive(bare("secret"));
    await s.receive(came(ANA, PHONE, "ana"));
    await s.receive(came(ANA, OTHER, "ana"));
    await s.receive(bare("a stranger"));
    await s.receive(bare("again"));
    await s.receive(came(BEN, PHONE, "ben"));
    await s.receive(came(BEN, "+15550109", "ben"));
    await s.receive(bare("another stranger"));
    const turns = (await answered(s)).map((texts) => texts.join());
    assert.deepEqual(turns.sort(), ["a stranger,again", "ana,ana", "another stranger", "ben,ben", "secret"]);
    assert.deepEqual(await historyOfNext(s), ["another stranger", "ok", "a stranger"]);
  }),

  scene(
    "a dead letter from before a person came is not retried into a stranger's conversation",
    { ...onTurn, admission: "known" },
    async (s) => {
      await s.receive(bare("secret"));
      await answered(s);
      const [letter] = await s.dead();
      await s.engine.conversations.create({ ...KEY, ...came(ANA, PHONE) });
      await s.engine.conversations.create({ ...KEY, ...came(ANA, OTHER) });
      const stranger = await s.engine.conversations.create({ ...KEY, sender: PHONE });
      assert.equal(await s.engine.repairs.retryDead(letter!.id), "retried");
      await answered(s);
      assert.deepEqual(await s.engine.conversations.history(stranger.conversation.id, 10), []);
      assert.equal((await s.dead())[0]?.reason, "CONVERSATION_NOT_FOUND");
    },
  ),
];
