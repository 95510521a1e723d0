import assert from "node:assert/strict";
import { pendingChunks } from "../../core/draft.ts";
import { draftFor, replied, sent, unknown } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

const PICTURE = [{ url: "https://example.test/menu.png", contentType: "image/png", name: "menu" }];

/** A turn of two chunks: the first went out, the outcome of the second is unknown. */
async function unknownSend(s: Scene) {
  const taken = await s.turnFor("hi");
  const draft = unknown(sent(draftFor(taken, ["part one", "part two"]), 0, "p1"), 1);
  await s.engine.turns.commit(taken.lease, replied(taken, draft, { outcome: "unknown" }));
  const [listed, ...others] = await list(s);
  assert.deepEqual(others, []);
  assert.deepEqual([listed?.text, listed?.chunk], ["part two", 1]);
  return { taken, unknownId: listed!.id };
}

async function list(s: Scene) {
  return (await s.engine.inspector.unknown({ limit: 10 })).items;
}

/** What becomes of a send whose outcome is unknown. */
export const unknownSends: readonly EngineCase[] = [
  scene("a person marks an unknown send, once", {}, async (s) => {
    const { unknownId } = await unknownSend(s);
    assert.deepEqual(await s.engine.repairs.unknownSend(unknownId), (await list(s))[0]);
    assert.equal(await s.engine.repairs.markUnknown(unknownId), "marked");
    assert.equal(await s.engine.repairs.markUnknown(unknownId), "not-found");
    assert.equal(await s.engine.repairs.resendUnknown(unknownId), "not-found");
    assert.equal(await s.engine.repairs.unknownSend(unknownId), undefined);
    assert.deepEqual(await list(s), []);
    await s.atRest();
  }),

  scene("an unknown send is resent as a turn of its own, once", {}, async (s) => {
    const { taken, unknownId } = await unknownSend(s);
    assert.equal(await s.engine.repairs.resendUnknown(unknownId), "staged");
    assert.equal(await s.engine.repairs.resendUnknown(unknownId), "not-found");
    assert.deepEqual(await list(s), []);
    const resend = await s.take();
    assert.notEqual(resend.turnId, taken.turnId);
    assert.deepEqual(resend.messages, []);
    const { channel, to, texts } = resend.outbound!;
    assert.deepEqual({ channel, to, texts }, { channel: "test", to: "ana", texts: ["part two"] });
    await s.reply(resend, "part two");
    await s.nothingDue();
    await s.atRest();
  }),

  scene("a picture that may not have gone out is listed, resent and remembered as one", {}, async (s) => {
    const taken = await s.turnFor("hi");
    const chunks = pendingChunks([], PICTURE);
    const draft = unknown(draftFor(taken, [], { chunks }), 0);
    await s.engine.turns.commit(taken.lease, replied(taken, draft, { outcome: "unknown" }));
    const [listed] = await list(s);
    assert.deepEqual([listed?.text, listed?.media], ["", PICTURE]);
    assert.equal(await s.engine.repairs.resendUnknown(listed!.id), "staged");
    const resend = await s.take();
    assert.deepEqual([resend.outbound?.texts, resend.outbound?.media], [[""], PICTURE]);
    // It also comes back whole as a dead letter.
    await s.engine.turns.release(resend.lease, { kind: "dead-letter", reason: "broken" });
    await s.engine.repairs.retryDead((await s.dead())[0]!.id);
    const again = await s.take();
    assert.deepEqual(again.outbound?.media, PICTURE);
    const sentAgain = sent(draftFor(again, [], { chunks }), 0);
    await s.engine.turns.commit(again.lease, replied(again, sentAgain));
    const history = await s.engine.conversations.history(taken.conversation.id, 10);
    assert.deepEqual(
      history.map(({ role, text, media }) => ({ role, text, media })),
      [
        { role: "user", text: "hi", media: [] },
        { role: "assistant", text: "", media: PICTURE },
        { role: "assistant", text: "", media: PICTURE },
      ],
    );
    await s.atRest();
  }),

  scene("a status callback that names the chunk confirms an unknown send", {}, async (s) => {
    const { taken } = await unknownSend(s);
    const status = { account: "account", providerId: "p2", status: "delivered" };
    const chunk = { turnId: taken.turnId, chunk: 1 };
    // A status from another channel does not count.
    await s.engine.receiving.recordDelivery("sms", { ...status, chunk });
    assert.equal((await list(s)).length, 1);
    assert.equal(await s.engine.receiving.recordDelivery("test", { ...status, chunk }), "confirmed");
    assert.deepEqual(await list(s), []);
    assert.equal(await s.engine.receiving.recordDelivery("test", { ...status, chunk }), "recorded");
  }),

  scene("a callback of another address of ours confirms no unknown send of this one", {}, async (s) => {
    const { taken } = await unknownSend(s);
    const chunk = { turnId: taken.turnId, chunk: 1 };
    const status = { account: "account", providerId: "p2", status: "delivered", chunk };
    const confirm = (address: string) => s.engine.receiving.recordDelivery("test", { ...status, address });
    assert.equal(await confirm("another"), "unmatched");
    assert.equal((await list(s)).length, 1);
    assert.equal(await confirm("lull"), "confirmed");
  }),

  scene("a callback for another chunk confirms nothing", {}, async (s) => {
    const { taken } = await unknownSend(s);
    const status = { account: "account", providerId: "p1", status: "delivered" };
    const chunk = { turnId: taken.turnId, chunk: 0 };
    assert.equal(await s.engine.receiving.recordDelivery("test", { ...status, chunk }), "recorded");
    assert.equal((await list(s)).length, 1);
  }),

  scene("what may have been said is in the history, what was dropped is not", {}, async (s) => {
    const { taken } = await unknownSend(s);
    const history = await s.engine.conversations.history(taken.conversation.id, 10);
    assert.deepEqual(
      history.map(({ text }) => text),
      ["hi", "part one\npart two"],
    );
  }),
];
