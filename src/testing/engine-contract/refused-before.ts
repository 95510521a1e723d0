import assert from "node:assert/strict";
import type { Arrival } from "../../model/message.ts";
import type { StageOutcome } from "../../ports/engine.ts";
import { as } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { PHONE, placeOf } from "./people.ts";
import { type Scene, scene } from "./scene.ts";

const ANA = { sender: "SV.aaaaaaaa", senderAlias: PHONE };
const BEN = { sender: "SV.bbbbbbbb", senderAlias: PHONE };
const DUPLICATE = { kind: "duplicate" };

/** By a provider that takes a refusal for received, and does not come again. */
async function delivered(s: Scene, arrival: Arrival): Promise<StageOutcome> {
  const [outcome] = await s.engine.receiving.stage([{ arrival, isRefusedForGood: true }]);
  return outcome!;
}

/** A message of Ana that is refused because a turn of hers runs, which then ends. */
async function refusedAsBusy(s: Scene): Promise<Arrival> {
  await placeOf(s, ANA);
  await s.windowPasses();
  const taken = await s.take();
  const message = s.arrival(ANA);
  assert.equal(as("refused", await delivered(s, message)).tellBusy, true);
  await s.reply(taken);
  return message;
}

/** A message that was refused for good is a duplicate when it comes again within the dedupe time. */
export const refusedBefore: readonly EngineCase[] = [
  scene(
    "a message that was refused as busy is a duplicate ever after",
    { whileBusy: "reject" },
    async (s) => {
      const message = await refusedAsBusy(s);
      assert.deepEqual(await delivered(s, message), DUPLICATE);
      assert.deepEqual(await s.deliver(message), DUPLICATE);
      assert.equal((await s.engine.inspector.counts()).refusals, 1);
      await s.atRest();
    },
  ),

  scene(
    "brought again, it does not give a number back to who had it then",
    { whileBusy: "reject" },
    async (s) => {
      const message = await refusedAsBusy(s);
      const ben = await placeOf(s, BEN);
      assert.deepEqual(await delivered(s, message), DUPLICATE);
      assert.equal(await placeOf(s, { sender: PHONE }), ben);
    },
  ),

  scene("likewise of an unknown customer, who may write later", { admission: "known" }, async (s) => {
    const message = s.arrival("hi");
    assert.equal(as("refused", await delivered(s, message)).code, "CONVERSATION_NOT_FOUND");
    await s.engine.conversations.create({ channelType: "test", address: "lull", sender: "ana" });
    assert.deepEqual(await delivered(s, message), DUPLICATE);
    as("staged", await delivered(s, s.arrival("may I now?")));
  }),

  scene("likewise one that is too large, which is on record once", {}, async (s) => {
    const arrival = s.arrival("hi");
    const request = { arrival, refusal: "MESSAGE_TOO_LARGE", isRefusedForGood: true } as const;
    assert.equal(as("refused", (await s.engine.receiving.stage([request]))[0]!).code, "MESSAGE_TOO_LARGE");
    assert.deepEqual(await s.engine.receiving.stage([request]), [DUPLICATE]);
    assert.deepEqual(await s.deliver(arrival), DUPLICATE);
    assert.equal((await s.engine.inspector.counts()).refusals, 1);
  }),

  scene("what its provider is to bring again, or people can mend, is not over", {}, async (s) => {
    for (const refusal of ["RATE_LIMITED", "ROUTE_NOT_FOUND", "INVALID_PAYLOAD"] as const) {
      const arrival = s.arrival("hi");
      const [outcome] = await s.engine.receiving.stage([{ arrival, refusal, isRefusedForGood: true }]);
      assert.equal(as("refused", outcome!).code, refusal);
      as("staged", await delivered(s, arrival));
    }
  }),

  scene("nor what a caller was told of who may come again", { whileBusy: "reject" }, async (s) => {
    const taken = await s.turnFor("hi");
    const message = s.arrival("and now?");
    as("refused", await s.deliver(message));
    await s.reply(taken);
    as("staged", await s.deliver(message));
  }),

  scene("a refused message is forgotten after the dedupe time", { whileBusy: "reject" }, async (s) => {
    const message = await refusedAsBusy(s);
    await s.passes(s.settings.dedupeMs - 1);
    await s.engine.sweeping.sweep();
    assert.deepEqual(await delivered(s, message), DUPLICATE);
    await s.passes(1);
    await s.engine.sweeping.sweep();
    as("staged", await delivered(s, { ...message, arrivedAtMs: s.nowMs }));
  }),

  scene("what waits is not refused by a redelivery of it", { whileBusy: "reject" }, async (s) => {
    const taken = await s.turnFor("hi");
    await s.engine.turns.release(taken.lease, { kind: "retry", afterMs: 0, reason: "overloaded" });
    const again = await s.take();
    const { providerId } = again.messages[0]!;
    assert.deepEqual(await delivered(s, s.arrival({ providerId })), DUPLICATE);
    await s.reply(again);
    assert.equal((await s.engine.inspector.counts()).staged, 0);
  }),
];
