import assert from "node:assert/strict";
import { describe, it } from "vitest";
import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import type { Arrival } from "../../../src/model/message.ts";
import { as } from "../../../src/testing/engine-contract/builders.ts";
import { type Random, seeded } from "../../../src/testing/simulator/random.ts";
import {
  ACCOUNT,
  conversationRow,
  customerOf,
  HOLDING,
  Killed,
  lean,
  NONE,
  OURS,
  seedWorld,
  sidOf,
  turnsIn,
  type World,
  writeMessage,
} from "./seed-world.ts";

const CONVERSATIONS = 10_000;
const TIMEOUT_MS = 240_000;

/**
 * Runs it until it is through, each time killed after so many requests; none the last time. The other system
 * is stopped, and left conversations in processing_reply.
 */
async function killedAndStarted(world: World, random: Random, requestsMax: number): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    try {
      const diesAfter = kills < 200 ? random.between(1, requestsMax) : Number.POSITIVE_INFINITY;
      await world.migrate({ diesAfter, olderThanMs: 0 });
      return kills;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      // Between two runs a worker may answer what is here already.
      if (random.chance(0.2)) await world.clock.advance(random.between(0, 30_000));
    }
  }
}

describe("moving in from the seeds' tables", () => {
  it(
    "10,000 conversations, killed at random requests and started again: none lost, none twice",
    async () => {
      const random = seeded(12);
      const world = seedWorld();
      const said: string[] = [];
      let sid = 0;
      for (let n = 0; n < CONVERSATIONS; n += 1) {
        const isStuck = random.chance(0.05);
        world.write(
          "conversations",
          conversationRow(n, isStuck ? { conversation_status: "processing_reply" } : {}),
        );
        if (random.chance(0.3))
          world.write("triggerLock", { conversation_id: `conv-${n}`, expires_at: 1_700_000_000 });
        for (let at = random.between(1, 2); at > 0; at -= 1) {
          sid += 1;
          said.push(`${n} says ${sid}`);
          writeMessage(world, random, n, sid, `${n} says ${sid}`);
        }
      }
      const kills = await killedAndStarted(world, random, 2 * CONVERSATIONS);
      assert.ok(kills >= 5, `it was killed ${kills} times`);
      const turns = await turnsIn(world);
      assert.deepEqual(turns.flatMap(({ texts }) => texts).sort(), said.sort());
      assert.equal(new Set(turns.flatMap(({ ids }) => ids)).size, said.length);
      assert.equal(world.tables.all(HOLDING, undefined, "all").length, 0);
      assert.equal(world.tables.all("stage", undefined, "all").length, 0);
      const stuck = world.tables
        .all("conversations", undefined, "all")
        .filter(({ conversation_status }) => conversation_status === "processing_reply");
      assert.equal(stuck.length, 0);
    },
    TIMEOUT_MS,
  );

  it("killed at every single request of a small move, it loses and doubles nothing", async () => {
    for (let diesAfter = 0; ; diesAfter += 1) {
      const random = seeded(diesAfter);
      const world = seedWorld();
      for (const n of [1, 2]) {
        world.write("conversations", conversationRow(n));
        world.write("triggerLock", { conversation_id: `conv-${n}`, expires_at: 1 });
        for (const at of [0, 1]) writeMessage(world, random, n, 10 * n + at, `${n}-${at}`);
      }
      let isThrough = true;
      await world.migrate({ diesAfter }).catch((error) => {
        if (!(error instanceof Killed)) throw error;
        isThrough = false;
      });
      // Also if the next run comes when no id is remembered any more.
      const early = diesAfter % 2 === 0 ? await turnsIn(world) : [];
      if (diesAfter % 4 === 0) await world.clock.advance(48 * 3_600_000);
      await world.migrate();
      const turns = [...early, ...(await turnsIn(world))];
      assert.deepEqual(
        turns.flatMap(({ texts }) => texts).sort(),
        ["1-0", "1-1", "2-0", "2-1"],
        `killed after ${diesAfter} requests`,
      );
      if (isThrough) break;
    }
  });
});

/** The provider's webhook of message 7, once more. */
function redelivered(world: World): Arrival {
  return {
    channel: "whatsapp",
    account: ACCOUNT,
    providerId: sidOf(7),
    address: OURS,
    sender: customerOf(1),
    replyTo: `whatsapp:${customerOf(1)}`,
    text: "hello",
    media: [],
    arrivedAtMs: world.clock.nowMs(),
    position: 0,
  };
}

describe("what the seeds' tables hold", () => {
  it("a webhook of a moved message that comes again is a duplicate, before its turn and after", async () => {
    const world = seedWorld();
    world.write("conversations", conversationRow(1));
    writeMessage(world, { ...seeded(1), below: () => 0 }, 1, 7, "hello");
    await world.migrate();
    const engine = world.engine();
    const again = () => engine.receiving.stage([{ arrival: redelivered(world) }]);
    assert.deepEqual(await again(), [{ kind: "duplicate" }]);
    assert.equal((await turnsIn(world)).length, 1);
    assert.deepEqual(await again(), [{ kind: "duplicate" }]);
    assert.equal((await turnsIn(world)).length, 0);
  });

  it("a message that a webhook brought again before it was moved only leaves its row", async () => {
    for (const isAnswered of [false, true]) {
      const world = seedWorld();
      world.write("conversations", conversationRow(1));
      writeMessage(world, { ...seeded(1), below: () => 0 }, 1, 7, "hello");
      const engine = world.engine();
      await engine.receiving.stage([{ arrival: redelivered(world) }]);
      const before = isAnswered ? await turnsIn(world) : [];
      assert.deepEqual((await world.migrate()).messages, {
        found: 1,
        moved: 0,
        duplicates: 1,
        gone: 0,
        young: 0,
      });
      assert.equal([...before, ...(await turnsIn(world))].length, 1);
      assert.equal(world.tables.all("stage", undefined, "all").length, 0);
    }
  });

  it("a look changes nothing", async () => {
    const world = seedWorld();
    world.write("conversations", conversationRow(1, { conversation_status: "processing_reply" }));
    world.write("triggerLock", { conversation_id: "conv-1", expires_at: 1_700_000_000 });
    writeMessage(world, seeded(3), 1, 7, "hello");
    const tables = ["conversations", "stage", "triggerLock", "state", "seen", HOLDING] as const;
    const rows = () => JSON.stringify(tables.map((table) => world.tables.all(table, undefined, "all")));
    const before = rows();
    const seen = await world.migrate({ isApplied: false, olderThanMs: 0 });
    assert.deepEqual([seen.messages.moved, seen.locks.removed, seen.conversations.rested], [1, 1, 1]);
    assert.equal(rows(), before);
  });

  it("rows keyed with the channel's prefix are found, and answered with it", async () => {
    const world = seedWorld();
    world.write("conversations", conversationRow(1, { primary_channel: `whatsapp:${customerOf(1)}` }));
    writeMessage(world, { ...seeded(1), below: () => 0 }, 1, 7, "hello");
    assert.equal((await world.migrate()).messages.moved, 1);
    assert.equal((await turnsIn(world)).length, 1);
  });

  it("junk is listed with its reason and stays; the others of its conversation are moved", async () => {
    const world = seedWorld();
    world.write("conversations", conversationRow(1));
    writeMessage(world, { ...seeded(1), below: () => 0 }, 1, 7, "hello");
    const junk: readonly Item[] = [
      { conversation_id: "conv-1", message_sid: "not-a-sid", body: "x", received_at: 1_700_000_000 },
      { conversation_id: "conv-1", message_sid: sidOf(8), body: 7 },
      { conversation_id: "conv-1", message_sid: sidOf(9), body: { a: 1 }, received_at: [] },
      { conversation_id: "conv-none", message_sid: sidOf(10), body: "whose?", received_at: 1_700_000_000 },
    ];
    for (const row of junk) world.write("stage", row);
    world.write(HOLDING, { conversation_id: "conv-1", arrival_timestamp: "1", raw_message_data: "\u0000" });
    world.write("triggerLock", { conversation_id: "conv-9", expires_at: "soon" });
    const { messages, left } = await world.migrate();
    assert.equal(messages.moved, 1);
    const names = left.map(({ table, conversationId, messageSid }) => [table, conversationId, messageSid]);
    assert.deepEqual(names.sort(), [
      ["holding", "conv-1", undefined],
      ["stage", "conv-1", sidOf(8)],
      ["stage", "conv-1", sidOf(9)],
      ["stage", "conv-1", "not-a-sid"],
      ["stage", "conv-none", sidOf(10)],
      ["triggerLock", "conv-9", undefined],
    ]);
    assert.ok(left.every(({ why }) => why !== "" && !why.includes("whose")));
    assert.equal(world.tables.all("stage", undefined, "all").length, 5);
  });

  it("a customer whose message was moved is found by number, before any turn of theirs", async () => {
    for (const primary_channel of [customerOf(1), `whatsapp:${customerOf(1)}`]) {
      const world = seedWorld();
      world.write("conversations", conversationRow(1, { primary_channel }));
      writeMessage(world, { ...seeded(1), below: () => 0 }, 1, 7, "hello");
      const { inspector } = world.engine();
      const found = async () => (await inspector.conversations({ search: customerOf(1), limit: 10 })).items;
      assert.deepEqual(await found(), []);
      await world.migrate();
      assert.deepEqual(
        (await found()).map(({ id }) => id),
        ["conv-1"],
      );
      assert.equal((await inspector.counts()).conversations, 1);
    }
  });

  it("a customer of another system is found once a turn of theirs has begun, however it ends", async () => {
    const world = seedWorld();
    world.write("conversations", conversationRow(1));
    const engine = world.engine();
    await engine.receiving.stage([{ arrival: redelivered(world) }]);
    await world.clock.advance(60_000);
    const { outcomes } = await engine.turns.takeDue(1, new AbortController().signal);
    assert.equal(outcomes[0]?.kind, "turn");
    const { items } = await engine.inspector.conversations({ search: customerOf(1), limit: 10 });
    assert.deepEqual(
      items.map(({ id }) => id),
      ["conv-1"],
    );
  });

  it("no more is moved than may wait in one conversation; later runs move the rest", async () => {
    const world = seedWorld({ stagedMessagesMax: 3 });
    world.write("conversations", conversationRow(1));
    for (let n = 1; n <= 7; n += 1)
      world.write("stage", lean(world, { sid: n, agoMs: 3_600_000 - n * 1_000, body: `message ${n}` }));
    const said: string[][] = [];
    for (const left of [4, 1, 0]) {
      const run = await world.migrate();
      assert.equal(run.left.length, left);
      assert.ok(run.left.every(({ why }) => why.includes("limits.stagedMessagesMax")));
      said.push((await turnsIn(world)).flatMap(({ texts }) => texts));
    }
    assert.deepEqual(said, [
      ["message 1", "message 2", "message 3"],
      ["message 4", "message 5", "message 6"],
      ["message 7"],
    ]);
  });

  it("our number behind what says nothing is the same for a move and for a turn", async () => {
    const world = seedWorld();
    const config = { sender: null, whatsapp_sender: `whatsapp:${OURS}` };
    world.write("conversations", conversationRow(1, { address: "", channel_config: config }));
    world.write("stage", lean(world, { sid: 1, agoMs: 3_600_000 }));
    await world.migrate();
    await world.clock.advance(60_000);
    const { outcomes } = await world.engine().turns.takeDue(1, new AbortController().signal);
    const { taken } = as("turn", outcomes[0]!);
    assert.deepEqual([taken.conversation.address, taken.messages[0]?.address], [OURS, OURS]);
  });

  it("a message whose media cannot all be read stays, is listed, and is not dropped by mistake", async () => {
    const world = seedWorld();
    world.write("conversations", conversationRow(1));
    const media = ["https://media.example/1", "https://media.example/2"];
    const rows: readonly Item[] = [
      { media_urls: media },
      { num_media: 2, media_url_0: media[0], media_url_1: media[1] },
      { context_object: { body: "look", num_media: "2", media: media.map((url) => ({ url })) } },
      { num_media: 2, media_url0: media[0] },
      { body: "look", media: [{ id: "media-1" }] },
      { body: "" },
    ];
    for (const [n, row] of rows.entries()) {
      const { body: _, ...rest } = lean(world, { sid: n, agoMs: 3_600_000 });
      world.write("stage", { ...rest, kind: "media", ...row });
    }
    const { inspector, repairs } = world.engine();
    const shown = async () => (await inspector.quarantined({ limit: 10 })).items;
    assert.deepEqual(
      (await shown()).map(({ movable }) => movable),
      rows.map(() => true),
    );
    const { messages, left } = await world.migrate();
    assert.deepEqual(messages, { ...NONE, found: 6, moved: 3 });
    assert.deepEqual(
      left.map(({ messageSid }) => messageSid),
      [3, 4, 5].map(sidOf),
    );
    for (const { id } of await shown()) assert.equal(await repairs.discardQuarantined(id), "movable");
    await world.clock.advance(60_000);
    const { outcomes } = await world.engine().turns.takeDue(1, new AbortController().signal);
    const { taken } = as("turn", outcomes[0]!);
    for (const message of taken.messages)
      assert.deepEqual(
        message.media.map(({ url }) => url),
        media,
      );
  });

  it("rows that note a version of their own are moved like all others", async () => {
    const versions = [1, 2, "2", null];
    const world = seedWorld({ stagedMessagesMax: versions.length });
    world.write("conversations", conversationRow(1));
    for (const [n, v] of versions.entries()) {
      const row = { ...lean(world, { sid: n + 1, agoMs: 3_600_000, body: `v is ${v}` }), kind: "text" };
      world.write(n < 3 ? "stage" : HOLDING, { ...row, arrival_timestamp: row.received_at, v });
      world.write("triggerLock", { conversation_id: `conv-${n + 1}`, expires_at: 1_700_000_000, v });
    }
    const { messages, locks, left } = await world.migrate();
    assert.deepEqual([messages, left], [{ ...NONE, found: 4, moved: 4 }, []]);
    // The window of the first conversation took the place of its lock, which was gone by then.
    assert.deepEqual(locks, { found: 4, removed: 4, standing: 0 });
    const texts = (await turnsIn(world)).flatMap((turn) => turn.texts);
    assert.deepEqual(texts.sort(), ["v is 1", "v is 2", "v is 2", "v is null"]);
  });

  it("what was found is the sum of what became of it", async () => {
    const world = seedWorld();
    for (let n = 1; n <= 4; n += 1) {
      const status = n === 4 ? "reply_sent" : "processing_reply";
      world.write("conversations", conversationRow(n, { conversation_status: status }));
    }
    world.write("stage", lean(world, { sid: 1, agoMs: 1_000 }));
    world.write("stage", { ...lean(world, { sid: 4, agoMs: 3_600_000 }), conversation_id: "conv-4" });
    world.write("stage", { conversation_id: "conv-4", message_sid: sidOf(5), body: 7 });
    // A turn of ours runs in the second.
    const engine = world.engine();
    const second = { ...redelivered(world), sender: customerOf(2), replyTo: `whatsapp:${customerOf(2)}` };
    await engine.receiving.stage([{ arrival: second }]);
    await world.clock.advance(60_000);
    await engine.turns.takeDue(1, new AbortController().signal);
    const { messages, conversations, left } = await world.migrate();
    assert.deepEqual(messages, { ...NONE, found: 3, moved: 1, young: 1 });
    assert.equal(left.length, 1);
    const { found: _, threads: __, ...counts } = conversations;
    assert.deepEqual(counts, { stuck: 3, rested: 1, young: 1, busy: 1 });
  });
});
