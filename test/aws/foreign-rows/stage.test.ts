import assert from "node:assert/strict";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, it } from "vitest";
import { conversationId, messageId } from "../../../src/core/identity.ts";
import { as, textsOf } from "../../../src/testing/engine-contract/builders.ts";
import { describeOnEmulators } from "../describe-on-emulators.ts";
import { type Row, SECRET, SharedTables } from "../shared-tables.ts";

const ID = conversationId(SECRET, { channelType: "test", address: "lull", sender: "ana" });
const HOUR = 3_600_000;

const key = { conversation_id: ID, message_sid: "SM1" };
const ours = {
  primary_channel: "ana",
  channel: "test",
  received_at: Date.UTC(2026, 0, 1),
  sequence: 1,
  bytes: 2,
  kind: "message",
  provider_id: "SM1",
  account: "account",
  address: "lull",
  sender: "ana",
  reply_to: "ana",
  body: "hi",
  media: [],
  position: 0,
};
const outbound = { ...ours, kind: "outbound", texts: ["hello"], author: "eva" };
const unsound: Readonly<Record<string, Row>> = {
  "an arrival in ISO": { ...ours, received_at: "2026-01-01T10:00:00Z" },
  "an arrival in seconds, and no channel": { received_at: 1_767_225_600, body: "hi", from: "ana" },
  "nothing but keys": {},
  "a version of its own": { v: 2, kind: "text", received_at: 1_767_225_600, body: "hi", from: "ana" },
  "no arrival": { ...ours, received_at: null },
  "an arrival that no clock shows": { ...ours, received_at: 9e15 },
  "no kind": { ...ours, kind: undefined },
  "another kind": { ...ours, kind: "receipt" },
  "a body that is no text": { ...ours, body: 7 },
  "a body of nothing": { ...ours, body: null },
  "media that are no list": { ...ours, media: "https://example.com/a.png" },
  "media without an address": { ...ours, media: [{ contentType: "image/png" }] },
  "a position that is no number": { ...ours, position: "first" },
  "a time of the provider's in ISO": { ...ours, sent_at: "2026-01-01T10:00:00Z" },
  "fields that are no texts": { ...ours, fields: { a: { b: 1 } } },
  "no sender": { ...ours, sender: undefined },
  "an outbound without texts": { ...outbound, texts: undefined },
  "an outbound with a text that is none": { ...outbound, texts: [null] },
  "an outbound without a recipient": { ...outbound, reply_to: undefined },
};

describeOnEmulators("rows of conversations-stage that are not ours", (emulators) => {
  let at: SharedTables;
  beforeEach(async () => {
    at = await SharedTables.open(emulators);
  });
  afterEach(() => at.close());

  describe("that cannot be read", () => {
    it.each(Object.entries(unsound))(
      "with %s are left where they are, and the others are answered",
      async (_, row) => {
        await at.put("conversations-stage", { ...row, ...key });
        as("staged", await at.receive({ text: "mine" }));
        const turn = await at.turnInTime();
        assert.deepEqual(textsOf(turn), ["mine"]);
        await at.answer(turn);
        assert.ok(await at.get("conversations-stage", key));
        assert.deepEqual(at.quarantined(), ["conversations-stage"]);
        await at.fixture.clock.advance(HOUR);
        const { orphans } = await at.engine.sweeping.sweep();
        assert.deepEqual(orphans, []);
        assert.deepEqual((await at.engine.inspector.conversation(ID))?.staged, []);
      },
    );

    it("with numbers that no number holds are left where they are, too", async () => {
      const Item = {
        ...marshall({ ...ours, ...key }),
        received_at: { N: "9007199254740993.5" },
        sequence: { N: "1e100" },
      };
      await at.fixture.dynamodb.send(
        new PutItemCommand({ TableName: at.tableOf("conversations-stage"), Item }),
      );
      as("staged", await at.receive({ text: "mine" }));
      assert.deepEqual(textsOf(await at.turnInTime()), ["mine"]);
    });
  });

  describe("are told, shown and cleared away", () => {
    it("are logged once, however often workers look and sweeps pass", async () => {
      await at.put("conversations-stage", key);
      for (let looks = 0; looks < 3; looks += 1) await at.engine.turns.take(ID);
      assert.equal(at.quarantined().length, 1);
      await at.engine.sweeping.sweep();
      const { level, fields } = at.told("store.quarantined").at(-1)!;
      const { item, ...about } = fields;
      assert.equal(level, "error");
      // Not the id in clear: a web visitor's holds their name.
      assert.match(String(item), /^in\/[\w-]{43}$/);
      assert.deepEqual(about, {
        table: "conversations-stage",
        rows: 1,
        conversation: ID,
        reason: "kind is none of the known words",
      });
      await at.fixture.clock.advance(HOUR);
      await at.engine.turns.take(ID);
      await at.engine.sweeping.sweep();
      assert.equal(at.quarantined().length, 1);
    });

    it("and elsewhere are counted and shown, and go when a person says so", async () => {
      await at.put("conversations-stage", { ...key, received_at: "soon", kind: "message", channel: "test" });
      await at.put("conversations-trigger-lock", { conversation_id: "theirs" });
      as("staged", await at.receive());
      const { quarantined: rows, staged, windows } = await at.engine.inspector.counts();
      assert.deepEqual({ rows, staged, windows }, { rows: 2, staged: 1, windows: 1 });
      const { items } = await at.engine.inspector.quarantined!({ limit: 10 });
      assert.deepEqual(
        items.map(({ table, key: where, conversationId: id, why }) => [table, where, id, why]),
        [
          ["conversations-stage", `${ID}/SM1`, ID, "received_at is no time"],
          ["conversations-trigger-lock", "theirs", "theirs", "window_id is no name"],
        ],
      );
      assert.deepEqual(JSON.parse(items[0]!.raw).received_at, "soon");
      for (const { id } of items) assert.equal(await at.engine.repairs.discardQuarantined!(id), "discarded");
      for (const { id } of items) assert.equal(await at.engine.repairs.discardQuarantined!(id), "not-found");
      assert.equal((await at.engine.inspector.gauges()).quarantined, 0);
    });

    it("are no part of what waits in their conversation", async () => {
      await at.put("conversations-stage", { ...key, body: "theirs" });
      as("staged", await at.receive());
      const { items } = await at.engine.inspector.locks({ limit: 10 });
      assert.deepEqual(
        items.map(({ staged }) => staged),
        [1],
      );
      assert.equal((await at.engine.inspector.conversation(ID))?.lock?.staged, 1);
    });

    it("go with the person whose conversation they name", async () => {
      await at.put("conversations-stage", { ...key, body: "my secret" });
      await at.put("conversations-state", { conversation_id: ID, works: "my secret" });
      as("staged", await at.receive());
      await at.answer(await at.turnInTime());
      assert.equal((await at.engine.inspector.counts()).quarantined, 2);
      assert.equal(await at.engine.conversations.erase(ID), "erased");
      assert.equal((await at.engine.inspector.counts()).quarantined, 0);
      assert.equal(await at.get("conversations-stage", key), undefined);
    });
  });

  it("like ours, of a customer whose name leads nowhere, keep no others from their turn", async () => {
    for (const [at_, sender] of ["x".repeat(2_100), "bob"].entries()) {
      const theirs = { ...ours, primary_channel: sender, sender, body: "theirs" };
      await at.put("conversations-stage", { ...theirs, ...key, message_sid: `A${at_}` });
    }
    as("staged", await at.receive({ text: "mine" }));
    const turn = await at.turnInTime();
    assert.ok(textsOf(turn).includes("mine"));
    await at.answer(turn);
    assert.deepEqual(await at.dead(), []);
  });

  describe("under a key that we need", () => {
    it("under the key of what a human wants to say do not keep it from being said", async () => {
      const { conversation } = await at.engine.conversations.create({
        channelType: "test",
        address: "lull",
        sender: "ana",
      });
      const request = { id: "1", conversationId: conversation.id, channel: "test", to: "ana", author: "eva" };
      await at.put("conversations-stage", {
        conversation_id: conversation.id,
        message_sid: "outbound/1",
        texts: 7,
      });
      assert.equal(await at.engine.conversations.say({ ...request, texts: ["hello"] }), "staged");
      assert.equal(await at.engine.conversations.say({ ...request, texts: ["hello"] }), "duplicate");
      assert.deepEqual((await at.turn()).outbound?.texts, ["hello"]);
    });

    it("under the key of a message of ours do not keep it from being staged", async () => {
      const id = messageId("test", "account", "SM7");
      await at.put("conversations-stage", { conversation_id: ID, message_sid: id, received_at: "yesterday" });
      as("staged", await at.receive({ text: "mine", providerId: "SM7" }));
      as("duplicate", await at.receive({ text: "mine", providerId: "SM7" }));
      const turn = await at.turnInTime();
      assert.deepEqual(textsOf(turn), ["mine"]);
      await at.answer(turn);
      as("duplicate", await at.receive({ text: "mine", providerId: "SM7" }));
    });
  });
});
