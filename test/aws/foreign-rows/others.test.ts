import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, it } from "vitest";
import { conversationId, messageId } from "../../../src/core/identity.ts";
import { as, textsOf } from "../../../src/testing/engine-contract/builders.ts";
import { describeOnEmulators } from "../describe-on-emulators.ts";
import { type Row, SECRET, SharedTables } from "../shared-tables.ts";

const ID = conversationId(SECRET, { channelType: "test", address: "lull", sender: "ana" });
const HOUR = 3_600_000;

describeOnEmulators("rows that are not ours", (emulators) => {
  let at: SharedTables;
  beforeEach(async () => {
    at = await SharedTables.open(emulators);
  });
  afterEach(() => at.close());

  describe("in conversations-trigger-lock", () => {
    const foreign = { conversation_id: ID, expires_at: 1_999_999_999 };

    it.each([{}, { v: 2 }])("do not mute their conversation (%o)", async (noted) => {
      await at.put("conversations-trigger-lock", { ...foreign, ...noted });
      as("staged", await at.receive({ text: "one" }));
      as("staged", await at.receive({ text: "two" }));
      const turn = await at.turnInTime();
      assert.deepEqual(textsOf(turn), ["one", "two"]);
      await at.answer(turn);
      assert.deepEqual(at.quarantined(), ["conversations-trigger-lock"]);
    });

    it("that take the place of a window, its trigger lost, are found by the sweeper", async () => {
      as("staged", await at.receive());
      at.fixture.held.drop(ID);
      await at.put("conversations-trigger-lock", foreign);
      await at.fixture.clock.advance(10_000 + at.fixture.settings.graceMs);
      const { orphans } = await at.engine.sweeping.sweep();
      assert.equal(orphans.length, 1);
      await at.answer(await at.turn());
    });

    it("are not taken away from their owner by a look at a conversation with nothing in it", async () => {
      await at.put("conversations-trigger-lock", foreign);
      await at.engine.turns.take(ID);
      await at.engine.sweeping.sweep();
      await at.engine.conversations.pauseAll(false);
      assert.deepEqual((await at.engine.inspector.locks({ limit: 10 })).items, []);
      assert.deepEqual(await at.get("conversations-trigger-lock", { conversation_id: ID }), foreign);
    });

    it("and whose trigger is to come in a hundred years are woken by the sweeper", async () => {
      as("staged", await at.receive());
      at.fixture.held.drop(ID);
      const window = await at.get("conversations-trigger-lock", { conversation_id: ID });
      await at.put("conversations-trigger-lock", {
        ...window,
        trigger_at_ms: at.fixture.clock.nowMs() + 876_600 * HOUR,
      });
      await at.fixture.clock.advance(10_000);
      assert.equal((await at.engine.sweeping.sweep()).retriggered, 1);
      await at.answer(await at.turn());
    });
  });

  describe("in conversations", () => {
    const key = { primary_channel: "ana", conversation_id: "theirs", task_complete: 0 };
    const odd: Row = {
      conversation_status: 7,
      sender_alias: null,
      reply_window: "long",
      allowed_channels: "all",
      attributes: "none",
      channel_config: "none",
      created_at: 8e15,
      updated_at: [],
      prompt_tokens: "many",
      messages: [null, 7, "hello", { role: "user", body: "before", message_sid: { a: 1 } }],
    };

    it("have defaults for what does not fit, and are answered", async () => {
      await at.put("conversations", { ...odd, ...key });
      as("staged", await at.receive());
      const turn = await at.turnInTime();
      const { status, promptTokens, attributes, senderAlias, window, createdAtMs } = turn.conversation;
      assert.deepEqual(
        { status, promptTokens, senderAlias, window, config: attributes.channel_config },
        { status: "new", promptTokens: 0, senderAlias: undefined, window: undefined, config: "none" },
      );
      assert.ok(Number.isFinite(createdAtMs));
      const history = await at.engine.conversations.history("theirs", 10);
      assert.deepEqual(
        history.map(({ text }) => text),
        ["before"],
      );
      await at.answer(turn);
      assert.equal((await at.engine.inspector.conversation("theirs"))?.turns.length, 1);
    });
  });

  describe("in conversations, with NULL where messages and counts would be", () => {
    it("are mirrored and counted as if there were none yet", async () => {
      const mirroring = await SharedTables.open(emulators, { mirrorMessages: 2 });
      const key = { primary_channel: "ana", conversation_id: "theirs" };
      const counts = { prompt_tokens: null, completion_tokens: null, total_tokens: null };
      await mirroring.put("conversations", { ...key, ...counts, task_complete: 0, messages: null });
      const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
      for (const text of ["one", "two"]) {
        as("staged", await mirroring.receive({ text }));
        await mirroring.answer(await mirroring.turnInTime(), { usage });
      }
      const row = (await mirroring.get("conversations", key))!;
      assert.deepEqual([row.total_tokens, row.total_tokens_sum], [7, 14]);
      assert.deepEqual(
        (row.messages as readonly Row[]).map(({ role }) => role),
        ["user", "assistant"],
      );
      assert.deepEqual(mirroring.told("conversation.not-updated"), []);
      await mirroring.close();
    });
  });

  describe("in conversations-messages", () => {
    it("are missing from histories and lists, and nothing else is", async () => {
      as("staged", await at.receive({ text: "one" }));
      const turn = await at.turnInTime();
      await at.answer(turn);
      const order = "000001767225610001#000000000";
      const rows: Row[] = [
        { item_id: `m#${order}` },
        { item_id: `m#${order}1`, role: "user", body: 7, media: [], at_ms: 1, turn_id: "t" },
        { item_id: `m#${order}2`, role: "user", parts: "none", media: [], at_ms: 1, turn_id: "t" },
        { item_id: `t#${order}` },
        { item_id: `r#${order}`, listing: "refusal#0", listed_at: "9" },
        { item_id: `d#${order}`, listing: "dead", listed_at: "9" },
        { item_id: `u#${order}`, listing: "unknown", listed_at: "9" },
      ];
      for (const row of rows) await at.put("conversations-messages", { conversation_id: ID, ...row });
      const { messages, turns, refusals } = (await at.engine.inspector.conversation(ID))!;
      assert.deepEqual([messages.length, turns.length, refusals.length], [2, 1, 0]);
      const page = { limit: 10 };
      assert.deepEqual((await at.engine.inspector.dead(page)).items, []);
      assert.deepEqual((await at.engine.inspector.unknown(page)).items, []);
      assert.deepEqual((await at.engine.inspector.refusals(page)).items, []);
      as("staged", await at.receive({ text: "two" }));
      await at.answer(await at.turnInTime());
      assert.equal((await at.engine.conversations.history(ID, 10)).length, 4);
      assert.equal(await at.engine.conversations.erase(ID), "erased");
    });
  });

  it("in conversations-seen are no memory of a message", async () => {
    const hash = createHmac("sha256", SECRET).update(messageId("test", "account", "SM9"));
    const id = `in/${hash.digest("base64url")}`;
    for (const until_at_ms of [null, "9999999999999", [1]]) {
      await at.put("conversations-seen", { id, until_at_ms });
      assert.notEqual((await at.receive({ text: "hi", providerId: "SM9" })).kind, "refused");
    }
    await at.answer(await at.turnInTime());
    as("duplicate", await at.receive({ text: "hi", providerId: "SM9" }));
  });
});
