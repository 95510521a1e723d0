import assert from "node:assert/strict";
import { draftFor, textsOf } from "./builders.ts";
import { type EngineCase, SPOILT_HOW } from "./harness.ts";
import { type Scene, scene } from "./scene.ts";

/**
 * What is read may not be ours: one bad row stops neither its own conversation nor any other, and an operator
 * can see it.
 */
export const foreignRows: readonly EngineCase[] = SPOILT_HOW.flatMap((how) => [
  scene(`a state that is ${how} is set aside, and every conversation gets its turn`, {}, async (s) => {
    const { conversationId } = await s.receive({ sender: "ana", text: "one" });
    await s.receive({ sender: "ana", text: "two" });
    await s.receive({ sender: "ben", text: "three" });
    await s.fixture.spoil!(conversationId, "state", how);
    await s.windowPasses();
    assert.deepEqual(await answered(s), { ana: ["one", "two"], ben: ["three"] });
    await s.atRest();
    await isShown(s);
  }),

  scene(`a state that is ${how} does not keep new messages out`, {}, async (s) => {
    const { conversationId } = await s.receive({ sender: "ana", text: "one" });
    await s.fixture.spoil!(conversationId, "state", how);
    await s.receive({ sender: "ana", text: "two" });
    await s.windowPasses();
    assert.deepEqual(await answered(s), { ana: ["one", "two"] });
    await s.atRest();
    await isShown(s);
  }),

  scene(`a staged row that is ${how} is set aside; the rest of its burst is answered`, {}, async (s) => {
    const { conversationId } = await s.receive({ sender: "ana", text: "one" });
    await s.fixture.spoil!(conversationId, "staged", how);
    await s.receive({ sender: "ana", text: "two" });
    await s.receive({ sender: "ana", text: "three" });
    await s.receive({ sender: "ben", text: "four" });
    await s.windowPasses();
    assert.deepEqual(await answered(s), { ana: ["two", "three"], ben: ["four"] });
    await s.atRest();
    await isShown(s);
  }),

  scene(`a message whose staged row is ${how} is taken again when it comes again`, {}, async (s) => {
    const { conversationId, message } = await s.receive({ sender: "ana", text: "one" });
    await s.fixture.spoil!(conversationId, "staged", how);
    assert.equal((await s.deliver(message)).kind, "staged");
    await s.windowPasses();
    assert.deepEqual(await answered(s), { ana: ["one"] });
    await s.atRest();
  }),

  scene(`a record that is ${how} stops no other, and nothing is lost`, {}, async (s) => {
    const { conversationId } = await s.receive({ sender: "ana", text: "one" });
    await s.receive({ sender: "ben", text: "two" });
    await s.fixture.spoil!(conversationId, "conversation", how);
    await s.windowPasses();
    const { ben, ana } = await answered(s);
    assert.deepEqual(ben, ["two"]);
    const dead = (await s.dead()).flatMap(({ messages }) => messages.map(({ text }) => text));
    assert.deepEqual([...(ana ?? []), ...dead], ["one"]);
    await s.receive({ sender: "ana", text: "three" });
    await s.windowPasses();
    assert.deepEqual((await answered(s)).ana, ["three"]);
    await s.atRest();
    await isShown(s);
  }),

  scene(
    `a record that is ${how} while a reply waits to be sent stops no other, and nothing is lost`,
    {},
    async (s) => {
      const { conversationId } = await s.receive({ sender: "ana", text: "one" });
      await s.windowPasses();
      const taken = await s.take();
      const draft = draftFor(taken, "yes");
      await s.engine.turns.draft(taken.lease, draft);
      await s.engine.turns.release(taken.lease, { kind: "retry", afterMs: 0, reason: "503", draft });
      await s.receive({ sender: "ben", text: "two" });
      await s.fixture.spoil!(conversationId, "conversation", how);
      await s.windowPasses();
      const { ben, ana } = await answered(s);
      assert.deepEqual(ben, ["two"]);
      const dead = (await s.dead()).flatMap(({ messages }) => messages.map(({ text }) => text));
      assert.deepEqual([...(ana ?? []), ...dead], ["one"]);
      await s.atRest();
    },
  ),

  scene(`lists and counts are shown with rows that are ${how} among them`, {}, async (s) => {
    for (const [sender, what] of [
      ["ana", "state"],
      ["ben", "staged"],
      ["cyd", "conversation"],
    ] as const) {
      const { conversationId } = await s.receive({ sender });
      await s.fixture.spoil!(conversationId, what, how);
    }
    await s.receive({ sender: "dan" });
    const { inspector } = s.engine;
    const shown = await s.conversations();
    assert.ok(shown.some(({ sender }) => sender === "dan"));
    for (const { id } of shown) await inspector.conversation(id);
    await s.locks();
    assert.ok((await inspector.counts()).conversations >= 3);
    await inspector.gauges();
  }),
]);

/**
 * Every customer who is due, or is found by a sweep, gets a reply. Returns the texts of the first and later
 * looks, by sender.
 */
async function answered(s: Scene): Promise<Record<string, string[]>> {
  const heard: Record<string, string[]> = {};
  for (let look = 0; look < 3; look += 1) {
    for (const taken of await s.turns()) {
      const { sender } = taken.messages[0]!;
      heard[sender] = [...(heard[sender] ?? []), ...textsOf(taken)];
      await s.reply(taken);
    }
    await s.engine.sweeping.sweep();
    await s.passes(s.settings.graceMs);
  }
  return heard;
}

async function isShown(s: Scene): Promise<void> {
  const { quarantined } = await s.engine.inspector.counts();
  assert.equal(quarantined, 1, `expected one quarantined row, counted ${quarantined}`);
  assert.equal((await s.engine.inspector.gauges()).quarantined, 1);
}
