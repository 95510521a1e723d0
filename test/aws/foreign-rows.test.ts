import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, it } from "vitest";
import { conversationId, messageId } from "../../src/core/identity.ts";
import { aliasKey, INSTALLATION } from "../../src/engines/aws/items/keys.ts";
import type { Taken } from "../../src/model/take.ts";
import type { Engine } from "../../src/ports/engine.ts";
import {
  allSent,
  arrival,
  as,
  draftFor,
  replied,
  textsOf,
} from "../../src/testing/engine-contract/builders.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

type Row = Record<string, unknown>;

const SECRET = "the installation's";
const ID = conversationId(SECRET, { channelType: "test", address: "lull", sender: "ana" });
const HOUR = 3_600_000;

describeOnEmulators("rows that are not ours", (emulators) => {
  let fixture: AwsFixture;
  let engine: Engine;
  let count = 0;
  beforeEach(async () => {
    fixture = await awsFixture(emulators);
    await put("conversations-state", { conversation_id: INSTALLATION, installation_key: SECRET });
    engine = await fixture.open();
  });
  afterEach(() => fixture.close());

  const tableOf = (name: string) => `${fixture.options.tablePrefix}${name}`;

  async function put(table: string, row: Row): Promise<void> {
    const Item = marshall(row, { removeUndefinedValues: true });
    await fixture.dynamodb.send(new PutItemCommand({ TableName: tableOf(table), Item }));
  }

  async function get(table: string, key: Row): Promise<Row | undefined> {
    const command = new GetItemCommand({ TableName: tableOf(table), Key: marshall(key) });
    const { Item } = await fixture.dynamodb.send(command);
    return Item && unmarshall(Item);
  }

  async function receive(text = "hi", providerId = `m${++count}`) {
    const message = arrival({ providerId, arrivedAtMs: fixture.clock.nowMs(), text });
    const [outcome] = await engine.receiving.stage([{ arrival: message }]);
    return outcome!;
  }

  async function taken(): Promise<Taken> {
    const turns = (await fixture.takeDue(engine)).filter(({ kind }) => kind === "turn");
    assert.equal(turns.length, 1, "one turn");
    return as("turn", turns[0]!).taken;
  }

  async function answer(turn: Taken): Promise<void> {
    const draft = draftFor(turn);
    as("drafted", await engine.turns.draft(turn.lease, draft));
    as("committed", await engine.turns.commit(turn.lease, replied(turn, allSent(draft))));
  }

  /** The tables of the rows that were logged, each as often as it was. */
  const quarantined = () =>
    fixture.logged.filter(({ event }) => event === "store.quarantined").map(({ fields }) => fields.table);

  describe("in conversations-trigger-lock", () => {
    const foreign = { conversation_id: ID, expires_at: 1_999_999_999 };

    it("do not mute their conversation", async () => {
      await put("conversations-trigger-lock", foreign);
      as("staged", await receive("one"));
      as("staged", await receive("two"));
      await fixture.clock.advance(10_000);
      const turn = await taken();
      assert.deepEqual(textsOf(turn), ["one", "two"]);
      await answer(turn);
      assert.deepEqual(quarantined(), ["conversations-trigger-lock"]);
    });

    it("that take the place of a window, its trigger lost, are found by the sweeper", async () => {
      as("staged", await receive());
      fixture.held.drop(ID);
      await put("conversations-trigger-lock", foreign);
      await fixture.clock.advance(10_000 + fixture.settings.graceMs);
      const { orphans } = await engine.sweeping.sweep();
      assert.equal(orphans.length, 1);
      await answer(await taken());
    });

    it("are not taken away from their owner by a look at a conversation with nothing in it", async () => {
      await put("conversations-trigger-lock", foreign);
      await engine.turns.take(ID);
      await engine.sweeping.sweep();
      await engine.conversations.pauseAll(false);
      assert.deepEqual((await engine.inspector.locks({ limit: 10 })).items, []);
      assert.deepEqual(await get("conversations-trigger-lock", { conversation_id: ID }), foreign);
    });

    it("and whose trigger is to come in a hundred years are woken by the sweeper", async () => {
      as("staged", await receive());
      fixture.held.drop(ID);
      const window = await get("conversations-trigger-lock", { conversation_id: ID });
      await put("conversations-trigger-lock", {
        ...window,
        trigger_at_ms: fixture.clock.nowMs() + 876_600 * HOUR,
      });
      await fixture.clock.advance(10_000);
      assert.equal((await engine.sweeping.sweep()).retriggered, 1);
      await answer(await taken());
    });
  });

  describe("in conversations-stage", () => {
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

    it.each(Object.entries(unsound))(
      "with %s are left where they are, and the others are answered",
      async (_, row) => {
        await put("conversations-stage", { ...row, ...key });
        as("staged", await receive("mine"));
        await fixture.clock.advance(10_000);
        const turn = await taken();
        assert.deepEqual(textsOf(turn), ["mine"]);
        await answer(turn);
        assert.ok(await get("conversations-stage", key));
        assert.deepEqual(quarantined(), ["conversations-stage"]);
        await fixture.clock.advance(HOUR);
        const { orphans } = await engine.sweeping.sweep();
        assert.deepEqual(orphans, []);
        assert.deepEqual((await engine.inspector.conversation(ID))?.staged, []);
      },
    );

    it("with numbers that no number holds are left where they are, too", async () => {
      const Item = {
        ...marshall({ ...ours, ...key }),
        received_at: { N: "9007199254740993.5" },
        sequence: { N: "1e100" },
      };
      await fixture.dynamodb.send(new PutItemCommand({ TableName: tableOf("conversations-stage"), Item }));
      as("staged", await receive("mine"));
      await fixture.clock.advance(10_000);
      assert.deepEqual(textsOf(await taken()), ["mine"]);
    });

    it("are logged once an hour by a worker that looks, and once by every sweep", async () => {
      await put("conversations-stage", key);
      for (let looks = 0; looks < 3; looks += 1) await engine.turns.take(ID);
      assert.equal(quarantined().length, 1);
      await engine.sweeping.sweep();
      const { level, fields } = fixture.logged.findLast(({ event }) => event === "store.quarantined")!;
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
      await fixture.clock.advance(HOUR);
      await engine.turns.take(ID);
      assert.equal(quarantined().length, 3);
    });

    it("and elsewhere are counted and shown, and go when a person says so", async () => {
      await put("conversations-stage", { ...key, received_at: "soon", kind: "message", channel: "test" });
      await put("conversations-trigger-lock", { conversation_id: "theirs" });
      as("staged", await receive());
      const { quarantined: rows, staged, windows } = await engine.inspector.counts();
      assert.deepEqual({ rows, staged, windows }, { rows: 2, staged: 1, windows: 1 });
      const { items } = await engine.inspector.quarantined!({ limit: 10 });
      assert.deepEqual(
        items.map(({ table, key: where, conversationId: id, why }) => [table, where, id, why]),
        [
          ["conversations-stage", `${ID}/SM1`, ID, "received_at is no time"],
          ["conversations-trigger-lock", "theirs", "theirs", "window_id is no name"],
        ],
      );
      assert.deepEqual(JSON.parse(items[0]!.raw).received_at, "soon");
      for (const { id } of items) assert.equal(await engine.repairs.discardQuarantined!(id), "discarded");
      for (const { id } of items) assert.equal(await engine.repairs.discardQuarantined!(id), "not-found");
      assert.equal((await engine.inspector.gauges()).quarantined, 0);
    });

    it("go with the person whose conversation they name", async () => {
      await put("conversations-stage", { ...key, body: "my secret" });
      await put("conversations-state", { conversation_id: ID, works: "my secret" });
      as("staged", await receive());
      await fixture.clock.advance(10_000);
      await answer(await taken());
      assert.equal((await engine.inspector.counts()).quarantined, 2);
      assert.equal(await engine.conversations.erase(ID), "erased");
      assert.equal((await engine.inspector.counts()).quarantined, 0);
      assert.equal(await get("conversations-stage", key), undefined);
    });

    it("under the key of what a human wants to say do not keep it from being said", async () => {
      const { conversation } = await engine.conversations.create({
        channelType: "test",
        address: "lull",
        sender: "ana",
      });
      const request = { id: "1", conversationId: conversation.id, channel: "test", to: "ana", author: "eva" };
      await put("conversations-stage", {
        conversation_id: conversation.id,
        message_sid: "outbound/1",
        texts: 7,
      });
      assert.equal(await engine.conversations.say({ ...request, texts: ["hello"] }), "staged");
      assert.equal(await engine.conversations.say({ ...request, texts: ["hello"] }), "duplicate");
      assert.deepEqual((await taken()).outbound?.texts, ["hello"]);
    });

    it("under the key of a message of ours do not keep it from being staged", async () => {
      const id = messageId("test", "account", "SM7");
      await put("conversations-stage", { conversation_id: ID, message_sid: id, received_at: "yesterday" });
      as("staged", await receive("mine", "SM7"));
      as("duplicate", await receive("mine", "SM7"));
      await fixture.clock.advance(10_000);
      const turn = await taken();
      assert.deepEqual(textsOf(turn), ["mine"]);
      await answer(turn);
      as("duplicate", await receive("mine", "SM7"));
    });
  });

  describe("in conversations-state", () => {
    const key = { conversation_id: ID };
    const unsound: Readonly<Record<string, Row>> = {
      "works that are no list": { works: "none" },
      "a work without its messages": { works: [{ turnId: "t1" }] },
      "a draft of nothing": { draft: null },
      "a draft without its work": { draft: { turnId: "t1" } },
      "a time in ISO": { not_before_at_ms: "2026-01-01T10:00:00Z" },
      "counters of NULL": { works: 7, turn_count: null, last_commit_at_ms: null, recent_provider_ids: null },
      "a revision that is a number": { rev: 7, works: 7 },
      "a lease until later": { lease_token: "t", lease_until_at_ms: "later", works: 7 },
    };

    it.each(Object.entries(unsound))(
      "with %s are set aside, and the conversation goes on",
      async (_, row) => {
        await put("conversations-state", { ...row, ...key });
        as("staged", await receive("one"));
        await fixture.clock.advance(10_000);
        const turn = await taken();
        assert.deepEqual(textsOf(turn), ["one"]);
        await answer(turn);
        assert.equal((await engine.inspector.counts()).turns, 1);
        const { items } = await engine.inspector.quarantined!({ limit: 10 });
        assert.deepEqual(
          items.map(({ table, key: where }) => [table, where]),
          [["conversations-state", ID]],
        );
        assert.deepEqual(quarantined(), ["conversations-state"]);
        as("staged", await receive("two"));
        await fixture.clock.advance(10_000);
        await answer(await taken());
        assert.equal((await engine.inspector.counts()).turns, 2);
        assert.equal(await engine.repairs.discardQuarantined!(items[0]!.id), "discarded");
        assert.equal((await engine.inspector.counts()).quarantined, 0);
      },
    );

    it.each([
      { lease_token: 9, lease_until_at_ms: 8e15, lease_holder: null },
      { lease_token: "theirs", lease_holder: "them" },
      { lease_token: "theirs", lease_until_at_ms: "tomorrow" },
    ])("with a lease that no worker has (%o) are free", async (row) => {
      await put("conversations-state", { ...row, ...key });
      as("staged", await receive());
      await fixture.clock.advance(10_000);
      await answer(await taken());
    });

    it("with odd counters alone are ours all the same", async () => {
      await put("conversations-state", {
        ...key,
        turn_count: null,
        last_commit_at_ms: "long ago",
        channel: 7,
      });
      as("staged", await receive());
      await fixture.clock.advance(10_000);
      await answer(await taken());
      assert.deepEqual(quarantined(), []);
      assert.equal((await engine.inspector.counts()).turns, 1);
    });

    it("that fill their item are set aside", async () => {
      await put("conversations-state", { ...key, notes: "x".repeat(400 * 1024 - 60) });
      as("staged", await receive());
      await fixture.clock.advance(10_000);
      await answer(await taken());
      assert.deepEqual(quarantined(), ["conversations-state"]);
    });

    it("name the turn that ran, whose reply may have gone out", async () => {
      await put("conversations-state", { ...key, draft: { turnId: "t1", chunks: "none" } });
      await engine.turns.take(ID);
      assert.equal(fixture.logged.find(({ event }) => event === "store.quarantined")?.fields.turn, "t1");
    });

    it("and a cursor of the sweeper that leads nowhere do not stop the sweep", async () => {
      for (const cursor of [
        "everywhere",
        { windows: { x: "y" }, stage: 7 },
        { windows: { conversation_id: 7 } },
      ]) {
        await put("conversations-state", { conversation_id: "lull/sweep", cursor });
        as("staged", await receive());
        fixture.held.drop(ID);
        await fixture.clock.advance(10_000 + fixture.settings.graceMs);
        const { retriggered } = await engine.sweeping.sweep();
        assert.equal(retriggered, 1);
        await answer(await taken());
      }
    });

    it("and another name that leads nowhere does not keep a message out", async () => {
      const name = aliasKey({ channelType: "test", address: "lull", sender: "ana" }, "ana");
      await put("conversations-state", { conversation_id: name, primary_channel: null });
      as("staged", await receive());
      await fixture.clock.advance(10_000);
      await answer(await taken());
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
      await put("conversations", { ...odd, ...key });
      as("staged", await receive());
      await fixture.clock.advance(10_000);
      const turn = await taken();
      const { status, promptTokens, attributes, senderAlias, window, createdAtMs } = turn.conversation;
      assert.deepEqual(
        { status, promptTokens, senderAlias, window, config: attributes.channel_config },
        { status: "new", promptTokens: 0, senderAlias: undefined, window: undefined, config: "none" },
      );
      assert.ok(Number.isFinite(createdAtMs));
      const history = await engine.conversations.history("theirs", 10);
      assert.deepEqual(
        history.map(({ text }) => text),
        ["before"],
      );
      await answer(turn);
      assert.equal((await engine.inspector.conversation("theirs"))?.turns.length, 1);
    });
  });

  describe("in conversations-messages", () => {
    it("are missing from histories and lists, and nothing else is", async () => {
      as("staged", await receive("one"));
      await fixture.clock.advance(10_000);
      const turn = await taken();
      await answer(turn);
      const at = "000001767225610001#000000000";
      const rows: Row[] = [
        { item_id: `m#${at}` },
        { item_id: `m#${at}1`, role: "user", body: 7, media: [], at_ms: 1, turn_id: "t" },
        { item_id: `m#${at}2`, role: "user", parts: "none", media: [], at_ms: 1, turn_id: "t" },
        { item_id: `t#${at}` },
        { item_id: `r#${at}`, listing: "refusal#0", listed_at: "9" },
        { item_id: `d#${at}`, listing: "dead", listed_at: "9" },
        { item_id: `u#${at}`, listing: "unknown", listed_at: "9" },
      ];
      for (const row of rows) await put("conversations-messages", { conversation_id: ID, ...row });
      const { messages, turns, refusals } = (await engine.inspector.conversation(ID))!;
      assert.deepEqual([messages.length, turns.length, refusals.length], [2, 1, 0]);
      const page = { limit: 10 };
      assert.deepEqual((await engine.inspector.dead(page)).items, []);
      assert.deepEqual((await engine.inspector.unknown(page)).items, []);
      assert.deepEqual((await engine.inspector.refusals(page)).items, []);
      as("staged", await receive("two"));
      await fixture.clock.advance(10_000);
      await answer(await taken());
      assert.equal((await engine.conversations.history(ID, 10)).length, 4);
      assert.equal(await engine.conversations.erase(ID), "erased");
    });
  });

  it("in conversations-seen are no memory of a message", async () => {
    const hash = createHmac("sha256", SECRET).update(messageId("test", "account", "SM9"));
    const id = `in/${hash.digest("base64url")}`;
    for (const until_at_ms of [null, "9999999999999", [1]]) {
      await put("conversations-seen", { id, until_at_ms });
      assert.notEqual((await receive("hi", "SM9")).kind, "refused");
    }
    await fixture.clock.advance(10_000);
    await answer(await taken());
    as("duplicate", await receive("hi", "SM9"));
  });
});
