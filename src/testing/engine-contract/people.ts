import assert from "node:assert/strict";
import { addresseeOf } from "../../core/addressee.ts";
import type { Arrival } from "../../model/message.ts";
import { allSent, draftFor, replied } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

export const PHONE = "+15550101";
export const OTHER = "+15550103";
const FORMER: Partial<Arrival> = { sender: "SV.aaaaaaaa", senderAlias: PHONE };
const LATER: Partial<Arrival> = { sender: "SV.bbbbbbbb", senderAlias: PHONE };

export async function placeOf(s: Scene, given: Partial<Arrival>): Promise<string> {
  return (await s.receive(given)).conversationId;
}

/** The names by which their people are written to. */
export async function reached(s: Scene, ...ids: string[]): Promise<(string | undefined)[]> {
  return Promise.all(
    ids.map(async (id) => {
      const conversation = (await s.engine.conversations.get(id))!;
      return addresseeOf(conversation, await s.engine.inspector.names(conversation));
    }),
  );
}

/**
 * Twenty messages of three people with three numbers. `core/person.test.ts` tries hundreds of such sequences,
 * and what else holds in them.
 */
async function tell(s: Scene, story: number): Promise<void> {
  const came = new Map<string, string>();
  const places = new Map<string, string>();
  for (let n = 0; n < 20; n += 1) {
    const roll = (story * 7_919 + n * 104_729 + n * n * 31) % 1_009;
    const id = `story-${story}-person-${roll % 3}`;
    const number = `+1555${story}0${(roll >> 2) % 3}`;
    const isBare = (roll >> 4) % 2 === 0;
    const place = await placeOf(s, isBare ? { sender: number } : { sender: id, senderAlias: number });
    const owner = came.get(came.get(number) ?? "") === number ? came.get(number) : undefined;
    if (!isBare) places.set(id, place);
    if (!isBare)
      for (const [name, other] of [
        [number, id],
        [id, number],
      ] as const)
        came.set(name, other);
    else if (owner === undefined)
      assert.ok(![...places.values()].includes(place), `story ${story}, message ${n}`);
    else assert.equal(place, places.get(owner), `story ${story}, message ${n}`);
  }
}

/** All that is due is answered, and its task is complete. */
export async function completeAll(s: Scene): Promise<void> {
  await s.windowPasses();
  for (const taken of await s.turns())
    await s.engine.turns.commit(taken.lease, replied(taken, allSent(draftFor(taken)), { complete: true }));
}

/**
 * Who is who: a number may change hands, and its new owner is not the former one. `core/person.test.ts` has
 * every case.
 */
export const people: readonly EngineCase[] = [
  scene("a number that changes hands does not hand over a conversation", {}, async (s) => {
    const former = await placeOf(s, FORMER);
    const later = await placeOf(s, LATER);
    assert.notEqual(later, former);
    assert.equal(await placeOf(s, { sender: PHONE }), later);
    assert.equal(await placeOf(s, { sender: FORMER.sender! }), former);
    assert.equal(await placeOf(s, { sender: LATER.sender! }), later);
    assert.equal((await s.engine.conversations.get(former))?.senderAlias, undefined);
    assert.equal((await s.engine.conversations.get(later))?.senderAlias, PHONE);
    assert.equal((await s.conversations()).length, 2);
  }),

  scene("nor does one by which its former owner's conversation is named", {}, async (s) => {
    const former = await placeOf(s, { sender: PHONE });
    assert.equal(await placeOf(s, FORMER), former);
    const later = await placeOf(s, LATER);
    assert.notEqual(later, former);
    assert.equal(await placeOf(s, { sender: PHONE }), later);
    assert.equal(await placeOf(s, LATER), later);
    assert.equal(await placeOf(s, { sender: FORMER.sender! }), former);
    assert.equal((await s.conversations()).length, 2);
  }),

  scene("a number that is given back is its first owner's again", {}, async (s) => {
    const former = await placeOf(s, FORMER);
    const later = await placeOf(s, LATER);
    assert.equal(await placeOf(s, FORMER), former);
    assert.equal(await placeOf(s, { sender: PHONE }), former);
    assert.equal((await s.engine.conversations.get(later))?.senderAlias, undefined);
  }),

  scene("a number that a person has left leads nowhere", {}, async (s) => {
    const first = await placeOf(s, FORMER);
    assert.equal(await placeOf(s, { ...FORMER, senderAlias: OTHER }), first);
    assert.equal(await placeOf(s, { sender: OTHER }), first);
    assert.notEqual(await placeOf(s, { sender: PHONE }), first);
  }),

  scene("a name of the same kind as the sender's is no other name of theirs", {}, async (s) => {
    const victim = await placeOf(s, { sender: PHONE });
    const attacker = await placeOf(s, { sender: "+19990001111" });
    assert.equal(await placeOf(s, { sender: PHONE, senderAlias: "+19990001111" }), victim);
    assert.equal(await placeOf(s, { sender: "+19990001111", senderAlias: PHONE }), attacker);
    assert.equal(await placeOf(s, { sender: PHONE }), victim);
    assert.equal(await placeOf(s, { sender: "+19990001111" }), attacker);
    const third = await placeOf(s, { sender: "+19990002222", senderAlias: PHONE });
    assert.ok(![victim, attacker].includes(third));
  }),

  scene(
    "a number is with the person who came with it, though another conversation is named by it",
    {},
    async (s) => {
      const byId = await placeOf(s, { sender: FORMER.sender! });
      const byPhone = await placeOf(s, { sender: PHONE });
      assert.notEqual(byId, byPhone);
      assert.equal(await placeOf(s, FORMER), byId);
      assert.equal(await placeOf(s, { sender: PHONE }), byId);
      assert.equal(await placeOf(s, { sender: FORMER.sender! }), byId);
      assert.equal(await placeOf(s, { ...FORMER, senderAlias: OTHER }), byId);
      const next = await placeOf(s, { sender: PHONE });
      assert.ok(![byId, byPhone].includes(next));
    },
  ),

  scene(
    "a number that a person has left leads nowhere, though it names their conversation",
    {},
    async (s) => {
      const first = await placeOf(s, { sender: PHONE });
      assert.equal(await placeOf(s, FORMER), first);
      assert.equal(await placeOf(s, { ...FORMER, senderAlias: OTHER }), first);
      assert.equal(await placeOf(s, { sender: OTHER }), first);
      const next = await placeOf(s, { sender: PHONE });
      assert.notEqual(next, first);
      assert.equal(await placeOf(s, { sender: PHONE }), next);
      assert.equal(await placeOf(s, { sender: FORMER.sender! }), first);
      assert.deepEqual(await reached(s, first, next), [OTHER, PHONE]);
      // It may be another than who wrote with nothing but the number.
      const later = await placeOf(s, LATER);
      assert.ok(![first, next].includes(later));
      assert.deepEqual(await reached(s, first, next, later), [OTHER, undefined, PHONE]);
    },
  ),

  scene("a number goes with a person whose conversation is named by another", {}, async (s) => {
    const former = await placeOf(s, FORMER);
    const later = await placeOf(s, { sender: OTHER });
    assert.equal(await placeOf(s, { ...LATER, senderAlias: OTHER }), later);
    assert.equal(await placeOf(s, LATER), later);
    assert.equal(await placeOf(s, { sender: PHONE }), later);
    assert.equal(await placeOf(s, { sender: FORMER.sender! }), former);
    assert.deepEqual(await reached(s, former, later), [FORMER.sender, PHONE]);
  }),

  scene("a person with a number goes on in a new conversation when the last is complete", {}, async (s) => {
    const first = await placeOf(s, FORMER);
    await completeAll(s);
    const second = await placeOf(s, { sender: PHONE });
    assert.notEqual(second, first);
    assert.equal(await placeOf(s, { sender: FORMER.sender! }), second);
    assert.equal(await placeOf(s, FORMER), second);
    assert.equal((await placeOf(s, LATER)) === second, false);
  }),

  scene("whatever people write, a number alone is with the person who came with it last", {}, async (s) => {
    for (let story = 1; story <= 4; story += 1) await tell(s, story);
  }),

  scene("a person who is to be created is not the one who had the number before", {}, async (s) => {
    const key = { channelType: "test", address: "lull" };
    const former = await placeOf(s, FORMER);
    const made = await s.engine.conversations.create({ ...key, ...LATER, sender: LATER.sender! });
    assert.equal(made.created, true);
    assert.notEqual(made.conversation.id, former);
    assert.equal(await placeOf(s, { sender: PHONE }), made.conversation.id);
  }),

  ...(["checked on its turn", "refused"] as const).map((how) =>
    scene(
      `a person's other name is kept with their conversation though the message is ${how}`,
      how === "refused" ? {} : { validation: "on-turn" },
      async (s) => {
        await s.receive({ sender: PHONE });
        await s.windowPasses();
        const taken = await s.take();
        await s.reply(taken);
        const refusal = how === "refused" ? ({ refusal: "MESSAGE_TOO_LARGE" } as const) : {};
        await s.engine.receiving.stage([{ arrival: s.arrival(FORMER), ...refusal }]);
        const { sender, senderAlias } = (await s.engine.conversations.get(taken.conversation.id))!;
        assert.deepEqual([sender, senderAlias], [PHONE, FORMER.sender]);
      },
    ),
  ),

  scene("a number changes hands between turns, too", { validation: "on-turn" }, async (s) => {
    await s.receive({ ...FORMER, text: "mine" });
    await s.windowPasses();
    const former = await s.take();
    await s.reply(former);
    await s.receive({ ...LATER, text: "hello" });
    await s.windowPasses();
    const later = await s.take();
    assert.notEqual(later.conversation.id, former.conversation.id);
    assert.deepEqual(await s.engine.conversations.history(later.conversation.id, 10), []);
  }),

  scene("erasing a person leaves those whose number they had, or who have it now", {}, async (s) => {
    await placeOf(s, FORMER);
    await completeAll(s);
    const former = await placeOf(s, FORMER);
    const later = await placeOf(s, LATER);
    assert.equal(await s.engine.conversations.erase(former), "erased");
    assert.deepEqual(
      (await s.conversations()).map(({ id }) => id),
      [later],
    );
    assert.equal(await placeOf(s, { sender: PHONE }), later);
  }),

  scene("erasing the present owner of a number leaves the former one", {}, async (s) => {
    const former = await placeOf(s, { sender: PHONE });
    await s.receive(FORMER);
    const later = await placeOf(s, LATER);
    assert.equal(await s.engine.conversations.erase(later), "erased");
    assert.deepEqual(
      (await s.conversations()).map(({ id }) => id),
      [former],
    );
    assert.equal((await s.engine.inspector.counts()).staged, 2);
  }),

  scene("what only a number tells that two have had goes with neither of them", {}, async (s) => {
    const bare = await placeOf(s, { sender: PHONE });
    await completeAll(s);
    const former = await placeOf(s, FORMER);
    const later = await placeOf(s, LATER);
    assert.equal(await s.engine.conversations.erase(bare), "erased");
    assert.deepEqual((await s.conversations()).map(({ id }) => id).sort(), [former, later].sort());
    assert.equal(await s.engine.conversations.erase(later), "erased");
    assert.equal(await s.engine.conversations.erase(former), "erased");
    assert.deepEqual(await s.conversations(), []);
  }),

  scene(
    "erasing a person finds what they said before they were known, under a number they left",
    {},
    async (s) => {
      await placeOf(s, { sender: PHONE });
      await completeAll(s);
      await placeOf(s, FORMER);
      const id = await placeOf(s, { ...FORMER, senderAlias: OTHER });
      assert.equal(await s.engine.conversations.erase(id), "erased");
      assert.deepEqual(await s.conversations(), []);
      const left = (await s.fixture.keeps?.()) ?? "";
      for (const name of [FORMER.sender!, PHONE, OTHER]) assert.ok(!left.includes(name), name);
    },
  ),

  scene("an erased person is in nothing that is kept of a number that others have had", {}, async (s) => {
    const former = await placeOf(s, FORMER);
    const later = await placeOf(s, LATER);
    assert.equal(await s.engine.conversations.erase(former), "erased");
    const left = (await s.fixture.keeps?.()) ?? "";
    assert.ok(!left.includes(FORMER.sender!));
    assert.equal(await placeOf(s, { sender: PHONE }), later);
    assert.equal(await s.engine.conversations.erase(later), "erased");
    const last = (await s.fixture.keeps?.()) ?? "";
    for (const name of [FORMER.sender!, LATER.sender!, PHONE]) assert.ok(!last.includes(name), name);
  }),

  scene("erasing a person finds what they said under every number that they had", {}, async (s) => {
    await placeOf(s, FORMER);
    await completeAll(s);
    const id = await placeOf(s, { ...FORMER, senderAlias: "+15550103" });
    await s.receive({ ...FORMER, senderAlias: "+15550104" });
    assert.equal(await s.engine.conversations.erase(id), "erased");
    assert.deepEqual(await s.conversations(), []);
    const left = (await s.fixture.keeps?.()) ?? "";
    for (const name of [FORMER.sender!, PHONE, "+15550103", "+15550104"])
      assert.ok(!left.includes(name), name);
  }),
];
