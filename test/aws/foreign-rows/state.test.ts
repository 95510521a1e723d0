import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "vitest";
import { conversationId } from "../../../src/core/identity.ts";
import { aliasKey } from "../../../src/engines/aws/items/keys.ts";
import { as, textsOf } from "../../../src/testing/engine-contract/builders.ts";
import { describeOnEmulators } from "../describe-on-emulators.ts";
import { type Row, SECRET, SharedTables } from "../shared-tables.ts";

const ID = conversationId(SECRET, { channelType: "test", address: "lull", sender: "ana" });

const key = { conversation_id: ID };
const unsound: Readonly<Record<string, Row>> = {
  "works that are no list": { works: "none" },
  "a work without its messages": { works: [{ turnId: "t1" }] },
  "a draft of nothing": { draft: null },
  "a draft without its work": { draft: { turnId: "t1" } },
  "a time in ISO": { not_before_at_ms: "2026-01-01T10:00:00Z" },
  "counters of NULL": { works: 7, turn_count: null, last_commit_at_ms: null, recent_provider_ids: null },
  "a revision that is a number": { rev: 7, works: 7 },
  "a version of its own": { v: 2, works: 7 },
  "a version that is a text, and a revision": { v: "2", rev: "theirs", works: 7 },
  "a lease until later": { lease_token: "t", lease_until_at_ms: "later", works: 7 },
};

describeOnEmulators("rows of conversations-state that are not ours", (emulators) => {
  let at: SharedTables;
  beforeEach(async () => {
    at = await SharedTables.open(emulators);
  });
  afterEach(() => at.close());

  it.each(Object.entries(unsound))("with %s are set aside, and the conversation goes on", async (_, row) => {
    await at.put("conversations-state", { ...row, ...key });
    as("staged", await at.receive({ text: "one" }));
    const turn = await at.turnInTime();
    assert.deepEqual(textsOf(turn), ["one"]);
    await at.answer(turn);
    assert.equal((await at.engine.inspector.counts()).turns, 1);
    const { items } = await at.engine.inspector.quarantined!({ limit: 10 });
    assert.deepEqual(
      items.map(({ table, key: where }) => [table, where]),
      [["conversations-state", ID]],
    );
    assert.deepEqual(at.quarantined(), ["conversations-state"]);
    as("staged", await at.receive({ text: "two" }));
    await at.answer(await at.turnInTime());
    assert.equal((await at.engine.inspector.counts()).turns, 2);
    assert.equal(await at.engine.repairs.discardQuarantined!(items[0]!.id), "discarded");
    assert.equal((await at.engine.inspector.counts()).quarantined, 0);
  });

  it.each([
    { lease_token: 9, lease_until_at_ms: 8e15, lease_holder: null },
    { lease_token: "theirs", lease_holder: "them" },
    { lease_token: "theirs", lease_until_at_ms: "tomorrow" },
  ])("with a lease that no worker has (%o) are free", async (row) => {
    await at.put("conversations-state", { ...row, ...key });
    as("staged", await at.receive());
    await at.answer(await at.turnInTime());
  });

  it("with odd counters alone are ours all the same", async () => {
    await at.put("conversations-state", {
      ...key,
      turn_count: null,
      last_commit_at_ms: "long ago",
      channel: 7,
    });
    as("staged", await at.receive());
    await at.answer(await at.turnInTime());
    assert.deepEqual(at.quarantined(), []);
    assert.equal((await at.engine.inspector.counts()).turns, 1);
  });

  /** With all, with a lease, with works, with a draft: from some point on ours would not fit beside them. */
  it.each([60, 600, 5_000, 100_000, 380_000])(
    "that leave %i bytes of their item are set aside",
    async (bytes) => {
      const notes = "x".repeat(400 * 1024 - bytes);
      await at.put("conversations-state", { ...key, notes, turn_count: 7 });
      for (const text of ["one", "two"]) {
        as("staged", await at.receive({ text }));
        const turn = await at.turnInTime();
        assert.deepEqual(textsOf(turn), [text]);
        await at.answer(turn);
      }
      assert.deepEqual(at.quarantined(), ["conversations-state"]);
      assert.equal((await at.get("conversations-state", key))?.notes, undefined);
    },
  );

  it.each([1_100, 2_100])(
    "with %i characters where a customer's name is are asked in vain",
    async (length) => {
      await at.put("conversations-state", { ...key, primary_channel: "x".repeat(length) });
      assert.equal(await at.engine.inspector.conversation(ID), undefined);
      as("staged", await at.receive({ text: "one" }));
      const turn = await at.turnInTime();
      assert.deepEqual(textsOf(turn), ["one"]);
      await at.answer(turn);
    },
  );

  it("name the turn that ran, whose reply may have gone out", async () => {
    await at.put("conversations-state", { ...key, draft: { turnId: "t1", chunks: "none" } });
    await at.engine.turns.take(ID);
    assert.equal(at.told("store.quarantined")[0]?.fields.turn, "t1");
  });

  it("and a cursor of the sweeper that leads nowhere do not stop the sweep", async () => {
    for (const cursor of [
      "everywhere",
      { windows: { x: "y" }, stage: 7 },
      { windows: { conversation_id: 7 } },
    ]) {
      await at.put("conversations-state", { conversation_id: "lull/sweep", cursor });
      as("staged", await at.receive());
      at.fixture.held.drop(ID);
      await at.fixture.clock.advance(10_000 + at.fixture.settings.graceMs);
      const { retriggered } = await at.engine.sweeping.sweep();
      assert.equal(retriggered, 1);
      await at.answer(await at.turn());
    }
  });

  it("and another name that leads nowhere does not keep a message out", async () => {
    const name = aliasKey({ channelType: "test", address: "lull", sender: "ana" }, "ana");
    await at.put("conversations-state", { conversation_id: name, primary_channel: null });
    as("staged", await at.receive());
    await at.answer(await at.turnInTime());
  });
});
