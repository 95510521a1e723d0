import assert from "node:assert/strict";
import type { Taken } from "../../model/take.ts";
import { draftFor, replied, unknown } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { OTHER, PHONE, placeOf } from "./people.ts";
import { type Scene, scene } from "./scene.ts";

const ANA = "SV.aaaaaaaa";
const BEN = "SV.bbbbbbbb";
const anas = (senderAlias: string) => ({ sender: ANA, senderAlias });
const bens = (senderAlias: string) => ({ sender: BEN, senderAlias });

/** The due turn of this conversation; the others' are put back. */
async function turnOf(s: Scene, conversationId: string): Promise<Taken> {
  await s.windowPasses();
  const turns = await s.turns();
  const taken = turns.find(({ conversation }) => conversation.id === conversationId);
  for (const other of turns.filter((each) => each !== taken))
    await s.engine.turns.release(other.lease, { kind: "put-back" });
  assert.ok(taken);
  return taken;
}

/** Every take says whether the customer still has the number that the reply goes to. */
export const moved: readonly EngineCase[] = [
  scene("a turn says nothing of a number that its customer still has", {}, async (s) => {
    const ana = await placeOf(s, anas(PHONE));
    assert.equal((await turnOf(s, ana)).moved, undefined);
  }),

  scene("a turn says where its customer is whose number has passed on meanwhile", {}, async (s) => {
    const ana = await placeOf(s, anas(PHONE));
    await placeOf(s, bens(PHONE));
    const first = await turnOf(s, ana);
    assert.deepEqual(first.moved, { to: ANA });
    await s.reply(first);
    await s.receive(anas(OTHER));
    // This message came from the number that she has.
    assert.equal((await turnOf(s, ana)).moved, undefined);
  }),

  scene("and that it cannot be told, of a conversation that is named by the number alone", {}, async (s) => {
    await placeOf(s, { sender: ANA });
    const bare = await placeOf(s, { sender: PHONE });
    await placeOf(s, anas(PHONE));
    assert.deepEqual((await turnOf(s, bare)).moved, {});
  }),

  scene("a draft that waits is asked about by the name that it is addressed to", {}, async (s) => {
    const ana = await placeOf(s, anas(PHONE));
    const taken = await turnOf(s, ana);
    const draft = draftFor(taken, "for Ana only", { addressee: PHONE });
    await s.engine.turns.draft(taken.lease, draft);
    await s.engine.turns.release(taken.lease, { kind: "wait", afterMs: 1_000, draft });
    await placeOf(s, bens(PHONE));
    const resumed = await turnOf(s, ana);
    assert.equal(resumed.draft?.addressee, PHONE);
    assert.deepEqual(resumed.moved, { to: ANA });
  }),

  scene("likewise an answer that came while its responder was being asked", {}, async (s) => {
    const ana = await placeOf(s, anas(PHONE));
    const taken = await turnOf(s, ana);
    const late = { turnId: taken.turnId, texts: ["for Ana only"] };
    assert.equal(await s.engine.conversations.answer(late), "accepted");
    await s.engine.turns.release(taken.lease, { kind: "put-back" });
    await placeOf(s, bens(PHONE));
    const resumed = await turnOf(s, ana);
    assert.equal(resumed.draft?.addressee, PHONE);
    assert.deepEqual(resumed.moved, { to: ANA });
  }),

  scene("a resend knows to whom the unknown send was addressed", {}, async (s) => {
    const ana = await placeOf(s, anas(PHONE));
    const taken = await turnOf(s, ana);
    const draft = unknown(draftFor(taken, "for Ana only", { addressee: PHONE }), 0);
    await s.engine.turns.commit(taken.lease, replied(taken, draft, { outcome: "unknown" }));
    const { items } = await s.engine.inspector.unknown({ limit: 10 });
    assert.deepEqual(
      items.map(({ addressee }) => addressee),
      [PHONE],
    );
    await placeOf(s, bens(PHONE));
    assert.equal(await s.engine.repairs.resendUnknown(items[0]!.id), "staged");
    const resend = await turnOf(s, ana);
    assert.equal(resend.outbound?.addressee, PHONE);
    assert.deepEqual(resend.moved, { to: ANA });
  }),

  scene("a dead letter whose customer cannot be reached is not retried, and stays whole", {}, async (s) => {
    await placeOf(s, { sender: ANA });
    const bare = await placeOf(s, { sender: PHONE });
    const taken = await turnOf(s, bare);
    const draft = draftFor(taken, "for a stranger only", { addressee: PHONE });
    await s.engine.turns.release(taken.lease, { kind: "dead-letter", reason: "no", draft });
    await placeOf(s, anas(PHONE));
    const before = await s.dead();
    assert.equal(before.length, 1);
    assert.equal(await s.engine.repairs.retryDead(before[0]!.id), "passed-on");
    assert.deepEqual(await s.dead(), before);
    assert.equal(await s.engine.repairs.discardDead(before[0]!.id), "discarded");
  }),

  scene("a dead letter whose customer has another number by now is retried", {}, async (s) => {
    const ana = await placeOf(s, anas(PHONE));
    const taken = await turnOf(s, ana);
    await s.engine.turns.release(taken.lease, { kind: "dead-letter", reason: "no" });
    await placeOf(s, bens(PHONE));
    const [letter] = await s.dead();
    assert.equal(await s.engine.repairs.retryDead(letter!.id), "retried");
    assert.deepEqual((await turnOf(s, ana)).moved, { to: ANA });
  }),

  scene("an unknown send is not sent again to a number that has passed on", {}, async (s) => {
    await placeOf(s, { sender: ANA });
    const bare = await placeOf(s, { sender: PHONE });
    const taken = await turnOf(s, bare);
    const draft = unknown(draftFor(taken, "for a stranger only", { addressee: PHONE }), 0);
    await s.engine.turns.commit(taken.lease, replied(taken, draft, { outcome: "unknown" }));
    await placeOf(s, anas(PHONE));
    const before = (await s.engine.inspector.unknown({ limit: 10 })).items;
    assert.equal(before.length, 1);
    assert.equal(await s.engine.repairs.resendUnknown(before[0]!.id), "passed-on");
    assert.deepEqual((await s.engine.inspector.unknown({ limit: 10 })).items, before);
    assert.equal(await s.engine.repairs.markUnknown(before[0]!.id), "marked");
  }),
];
