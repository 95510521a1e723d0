import assert from "node:assert/strict";
import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from "vitest";
import { conversationId, messageId } from "../../src/core/identity.ts";
import type { Engine, Taken } from "../../src/ports/engine.ts";
import {
  allSent,
  arrival,
  as,
  draftFor,
  replied,
  textsOf,
} from "../../src/testing/engine-contract/builders.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import { type AwsWorld, awsWorld } from "./world.ts";

type Row = Record<string, unknown>;

const ID = conversationId({ channelType: "test", address: "lull", sender: "ana" });
const HOUR = 3_600_000;

describe.skipIf(unavailable)("rows that are not ours", () => {
  let emulators: Emulators;
  let world: AwsWorld;
  let engine: Engine;
  let count = 0;
  beforeAll(async () => {
    emulators = await startEmulators();
  });
  afterAll(() => emulators.stop());
  beforeEach(async () => {
    world = await awsWorld(emulators);
    engine = await world.open();
  });
  afterEach(() => world.close());

  const tableOf = (name: string) => `${world.options.tablePrefix}${name}`;

  async function put(table: string, row: Row): Promise<void> {
    const Item = marshall(row, { removeUndefinedValues: true });
    await world.dynamodb.send(new PutItemCommand({ TableName: tableOf(table), Item }));
  }

  async function get(table: string, key: Row): Promise<Row | undefined> {
    const command = new GetItemCommand({ TableName: tableOf(table), Key: marshall(key) });
    const { Item } = await world.dynamodb.send(command);
    return Item && unmarshall(Item);
  }

  async function receive(text = "hi", providerId = `m${++count}`) {
    const message = arrival({ providerId, arrivedAtMs: world.clock.nowMs(), text });
    const [outcome] = await engine.receiving.stage([{ arrival: message }]);
    return outcome!;
  }

  async function taken(): Promise<Taken> {
    const turns = (await world.takeDue(engine)).filter(({ kind }) => kind === "turn");
    assert.equal(turns.length, 1, "one turn");
    return as("turn", turns[0]!).taken;
  }

  async function answer(turn: Taken): Promise<void> {
    const draft = draftFor(turn);
    as("drafted", await engine.turns.draft(turn.lease, draft));
    as("committed", await engine.turns.commit(turn.lease, replied(turn, allSent(draft))));
  }

  /** Which tables somebody was told about, each as often as it was. */
  const quarantined = () =>
    world.logged.filter(({ event }) => event === "store.quarantined").map(({ fields }) => fields.table);

  describe("in conversations-trigger-lock", () => {
    const foreign = { conversation_id: ID, expires_at: 1_999_999_999 };

    it("do not mute their conversation", async () => {
      await put("conversations-trigger-lock", foreign);
      as("staged", await receive("one"));
      as("staged", await receive("two"));
      await world.clock.advance(10_000);
      const turn = await taken();
      assert.deepEqual(textsOf(turn), ["one", "two"]);
      await answer(turn);
      assert.deepEqual(quarantined(), ["conversations-trigger-lock"]);
    });

    it("that take the place of a window, its trigger lost, are found by the sweeper", async () => {
      as("staged", await receive());
      world.held.drop(ID);
      await put("conversations-trigger-lock", foreign);
      await world.clock.advance(10_000 + world.settings.graceMs);
      const { orphans } = await engine.sweeping.sweep();
      assert.equal(orphans, 1);
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
      world.held.drop(ID);
      const window = await get("conversations-trigger-lock", { conversation_id: ID });
      await put("conversations-trigger-lock", {
        ...window,
        trigger_at_ms: world.clock.nowMs() + 876_600 * HOUR,
      });
      await world.clock.advance(10_000);
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
      "an outbound for nobody": { ...outbound, reply_to: undefined },
    };

    it.each(Object.entries(unsound))(
      "with %s are left where they are, and the others are answered",
      async (_, row) => {
        await put("conversations-stage", { ...row, ...key });
        as("staged", await receive("mine"));
        await world.clock.advance(10_000);
        const turn = await taken();
        assert.deepEqual(textsOf(turn), ["mine"]);
        await answer(turn);
        assert.ok(await get("conversations-stage", key));
        assert.deepEqual(quarantined(), ["conversations-stage"]);
        await world.clock.advance(HOUR);
        const { orphans } = await engine.sweeping.sweep();
        assert.equal(orphans, 0);
        assert.deepEqual((await engine.inspector.conversation(ID))?.staged, []);
      },
    );

    it("with numbers that no number holds are left where they are, too", async () => {
      const Item = {
        ...marshall({ ...ours, ...key }),
        received_at: { N: "9007199254740993.5" },
        sequence: { N: "1e100" },
      };
      await world.dynamodb.send(new PutItemCommand({ TableName: tableOf("conversations-stage"), Item }));
      as("staged", await receive("mine"));
      await world.clock.advance(10_000);
      assert.deepEqual(textsOf(await taken()), ["mine"]);
    });

    it("are told once an hour by whoever looks, and once by every sweep", async () => {
      await put("conversations-stage", key);
      for (let looks = 0; looks < 3; looks += 1) await engine.turns.take(ID);
      assert.equal(quarantined().length, 1);
      await engine.sweeping.sweep();
      assert.deepEqual(
        world.logged.findLast(({ event }) => event === "store.quarantined"),
        {
          level: "error",
          event: "store.quarantined",
          fields: { table: "conversations-stage", rows: 1, conversation: ID, item: "SM1" },
        },
      );
      await world.clock.advance(HOUR);
      await engine.turns.take(ID);
      assert.equal(quarantined().length, 3);
    });

    it("and elsewhere are shown by the doctor", async () => {
      await put("conversations-stage", key);
      await put("conversations-stage", { ...key, message_sid: "SM2" });
      await put("conversations-trigger-lock", { conversation_id: "theirs" });
      as("staged", await receive());
      const findings = (await engine.checks!()).filter(({ check }) => check.startsWith("rows"));
      assert.deepEqual(findings, [
        {
          check: "rows of conversations-stage",
          verdict: "warn",
          detail: `2 not ours and passed over, such as ${ID}, SM1: who else writes there?`,
        },
        {
          check: "rows of conversations-trigger-lock",
          verdict: "warn",
          detail: "1 not ours and passed over, such as theirs: who else writes there?",
        },
      ]);
    });

    it("under the key of a message of ours do not keep it from being staged", async () => {
      const id = messageId("test", "account", "SM7");
      await put("conversations-stage", { conversation_id: ID, message_sid: id, received_at: "yesterday" });
      as("staged", await receive("mine", "SM7"));
      as("duplicate", await receive("mine", "SM7"));
      await world.clock.advance(10_000);
      const turn = await taken();
      assert.deepEqual(textsOf(turn), ["mine"]);
      await answer(turn);
      as("duplicate", await receive("mine", "SM7"));
    });
  });
});
