import assert from "node:assert/strict";
import type { StageRequest } from "../../ports/engine.ts";
import { as } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { OTHER, PHONE, placeOf } from "./people.ts";
import { type Scene, scene } from "./scene.ts";

const ANA = { sender: "SV.aaaaaaaa", senderAlias: PHONE };
const BEN = { sender: "SV.bbbbbbbb", senderAlias: PHONE };
const LEFT = [{ kind: "unattributed" }];

/** As a provider lists it: with the number alone. */
function listed(s: Scene, writers: StageRequest["writers"], given = { sender: PHONE }): StageRequest[] {
  return [{ arrival: s.arrival(given), ...(writers && { writers }) }];
}

/** A provider's list names numbers, and not the people who had them when they wrote. */
export const listedMessages: readonly EngineCase[] = [
  scene("a listed message of a number that never came with a user id is its number's", {}, async (s) => {
    const place = await placeOf(s, { sender: PHONE });
    for (const writers of ["certain", "likely"] as const) {
      const [outcome] = await s.engine.receiving.stage(listed(s, writers));
      assert.equal(as("staged", outcome!).conversationId, place);
    }
  }),

  scene("a listed message with a user id is that person's, whatever number they have", {}, async (s) => {
    const ana = await placeOf(s, ANA);
    await placeOf(s, BEN);
    const [outcome] = await s.engine.receiving.stage(listed(s, "certain", { sender: ANA.sender }));
    assert.equal(as("staged", outcome!).conversationId, ana);
  }),

  scene("a listed message of a number that has come with a user id has no certain writer", {}, async (s) => {
    const ana = await placeOf(s, ANA);
    const before = await s.engine.inspector.counts();
    const requests = listed(s, "certain");
    assert.deepEqual(await s.engine.receiving.stage(requests), LEFT);
    const decided = requests.map((each) => ({ ...each, refusal: "ROUTE_NOT_FOUND" as const }));
    assert.deepEqual(await s.engine.receiving.stage(decided), LEFT);
    assert.deepEqual(await s.engine.inspector.counts(), before);
    // A caller that is content with a likely writer gets the number's only owner.
    const [outcome] = await s.engine.receiving.stage(listed(s, "likely"));
    assert.equal(as("staged", outcome!).conversationId, ana);
  }),

  scene(
    "a listed message that was left teaches what it knows when it comes with its user id",
    {},
    async (s) => {
      const ana = await placeOf(s, ANA);
      const [request] = listed(s, "certain");
      assert.deepEqual(await s.engine.receiving.stage([request!]), LEFT);
      const again = await s.deliver({ ...request!.arrival, ...BEN });
      assert.notEqual(as("staged", again).conversationId, ana);
      assert.deepEqual(await s.engine.receiving.stage([request!]), [{ kind: "duplicate" }]);
    },
  ),

  scene(
    "a listed message of a number that has passed on has no certain writer, and no likely one",
    {},
    async (s) => {
      await placeOf(s, ANA);
      await placeOf(s, BEN);
      assert.deepEqual(await s.engine.receiving.stage(listed(s, "certain")), LEFT);
      assert.deepEqual(await s.engine.receiving.stage(listed(s, "likely")), LEFT);
    },
  ),

  scene("likewise of a number whose owner has another one by now", {}, async (s) => {
    await placeOf(s, ANA);
    await placeOf(s, { ...ANA, senderAlias: OTHER });
    assert.deepEqual(await s.engine.receiving.stage(listed(s, "likely")), LEFT);
  }),

  scene("likewise where messages are looked at on their turn", { validation: "on-turn" }, async (s) => {
    await placeOf(s, ANA);
    assert.deepEqual(await s.engine.receiving.stage(listed(s, "certain")), LEFT);
    await placeOf(s, BEN);
    assert.deepEqual(await s.engine.receiving.stage(listed(s, "likely")), LEFT);
  }),
];
