import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { isoOf } from "../../../src/core/instant.ts";
import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import type { AwsMoved } from "../../../src/migrate/seed-aws/move.ts";
import type { Arrival } from "../../../src/model/message.ts";
import { type Random, seeded } from "../../../src/testing/simulator/random.ts";
import { takeAllTurns } from "../../migrate/turns.ts";
import {
  ACCOUNT,
  BATCH_STATE,
  conversationRow,
  customerOf,
  HOLDING,
  Killed,
  OURS,
  seedWorld,
  sidOf,
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

async function turnsIn(world: World) {
  const engine = world.engine();
  const turns: Awaited<ReturnType<typeof takeAllTurns>> = [];
  for (let round = 0; round < 3; round += 1) {
    await world.clock.advance(120_000);
    turns.push(...(await takeAllTurns(engine)));
    for (let more = true; more; ) more = (await engine.sweeping.sweep()).hasMore;
  }
  return turns;
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

async function moved(world: World, options?: Parameters<World["migrate"]>[0]): Promise<AwsMoved> {
  return world.migrate(options);
}

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
      assert.deepEqual((await moved(world)).messages, {
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

  it("what is young is left to the system that wrote it, and so are its lock and its status", async () => {
    const world = seedWorld();
    const nowMs = world.clock.nowMs();
    world.write("conversations", conversationRow(1, { conversation_status: "processing_reply" }));
    world.write("stage", {
      conversation_id: "conv-1",
      message_sid: sidOf(1),
      primary_channel: customerOf(1),
      body: "just now",
      received_at: new Date(nowMs - 1_000).toISOString(),
    });
    world.write("triggerLock", { conversation_id: "conv-1", expires_at: nowMs / 1_000 + 60 });
    const young = await moved(world);
    assert.deepEqual(young.messages, { found: 1, moved: 0, duplicates: 0, gone: 0, young: 1 });
    assert.deepEqual(young.locks, { found: 1, removed: 0, standing: 1 });
    assert.deepEqual(young.conversations, { found: 1, threads: 1, stuck: 1, rested: 0, young: 1, busy: 0 });
    const all = await moved(world, { olderThanMs: 0 });
    assert.equal(all.messages.moved, 1);
    assert.equal((await turnsIn(world)).length, 1);
  });

  it("a look changes nothing", async () => {
    const world = seedWorld();
    world.write("conversations", conversationRow(1, { conversation_status: "processing_reply" }));
    world.write("triggerLock", { conversation_id: "conv-1", expires_at: 1_700_000_000 });
    writeMessage(world, seeded(3), 1, 7, "hello");
    const tables = ["conversations", "stage", "triggerLock", "state", "seen", HOLDING] as const;
    const rows = () => JSON.stringify(tables.map((table) => world.tables.all(table, undefined, "all")));
    const before = rows();
    const seen = await moved(world, { isApplied: false, olderThanMs: 0 });
    assert.deepEqual([seen.messages.moved, seen.locks.removed, seen.conversations.rested], [1, 1, 1]);
    assert.equal(rows(), before);
  });

  it("rows keyed with the channel's prefix are found, and answered with it", async () => {
    const world = seedWorld();
    world.write("conversations", conversationRow(1, { primary_channel: `whatsapp:${customerOf(1)}` }));
    writeMessage(world, { ...seeded(1), below: () => 0 }, 1, 7, "hello");
    assert.equal((await moved(world)).messages.moved, 1);
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
    const { messages, left } = await moved(world);
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
      const run = await moved(world);
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

  it("a conversation with one young message is left whole, wherever a page of its table ends", async () => {
    for (const pageRowsMax of [1, 2, 3, 4, 5]) {
      const world = seedWorld({}, { pageRowsMax });
      world.write("conversations", conversationRow(1));
      for (let n = 1; n <= 5; n += 1)
        world.write("stage", lean(world, { sid: n, agoMs: n === 5 ? 1_000 : 3_600_000 }));
      const { messages } = await moved(world);
      assert.deepEqual([messages.moved, messages.young], [0, 5], `${pageRowsMax} rows in a page`);
    }
  });

  it("a message whose time cannot be read may be young: it is moved with --older-than 0s", async () => {
    for (const received_at of ["yesterday", undefined]) {
      const world = seedWorld();
      world.write("conversations", conversationRow(1));
      world.write("stage", { ...lean(world, { sid: 1, agoMs: 0 }), received_at });
      assert.deepEqual((await moved(world)).messages, { ...NONE, found: 1, young: 1 });
      assert.deepEqual((await moved(world, { olderThanMs: 0 })).messages, { ...NONE, found: 1, moved: 1 });
    }
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
    const { messages, locks, left } = await moved(world);
    assert.deepEqual([messages, left], [{ ...NONE, found: 4, moved: 4 }, []]);
    // The window of the first conversation took the place of its lock, which was gone by then.
    assert.deepEqual(locks, { found: 4, removed: 4, standing: 0 });
    const texts = (await turnsIn(world)).flatMap((turn) => turn.texts);
    assert.deepEqual(texts.sort(), ["v is 1", "v is 2", "v is 2", "v is null"]);
  });

  describe("is in the other system's hands, and is left whole until that is stopped", () => {
    const OLD_MS = 11 * 60_000;
    const locked = { conversation_id: "conv-1", expires_at: 4_102_444_800 };
    /** A backlog: all that is staged is old, and the other system came to it just now. */
    const signs: Readonly<Record<string, (world: World) => void>> = {
      "it says processing_reply, written just now": (world) =>
        world.write("conversations", processing({ updated_at: isoOf(world.clock.nowMs() - 5_000) })),
      "it says processing_reply, and its owner notes no time for that": (world) =>
        world.write("conversations", processing({})),
      "its trigger lock stands": (world) => world.write("triggerLock", locked),
      "its lock of the first seed stands": (world) => world.write(BATCH_STATE, locked),
      "its lock does not say until when": (world) =>
        world.write("triggerLock", { ...locked, expires_at: "soon" }),
      "a young message of it is held elsewhere": (world) =>
        world.write(HOLDING, { ...lean(world, { sid: 2, agoMs: 5_000 }), arrival_timestamp: "1" }),
      "a message of it is of unknown age": (world) =>
        world.write(HOLDING, {
          ...lean(world, { sid: 2, agoMs: 0 }),
          received_at: "?",
          arrival_timestamp: "1",
        }),
    };
    it.each(Object.entries(signs))("%s", async (_, sign) => {
      const world = seedWorld();
      world.write("conversations", conversationRow(1));
      world.write("stage", lean(world, { sid: 1, agoMs: OLD_MS }));
      sign(world);
      const tables = ["stage", HOLDING, "triggerLock", BATCH_STATE, "conversations"] as const;
      const rows = () => tables.map((table) => world.tables.all(table, undefined, "all"));
      const before = rows();
      const { messages } = await moved(world);
      assert.deepEqual([messages.moved, messages.young], [0, messages.found]);
      assert.deepEqual(rows(), before);
      assert.deepEqual(await turnsIn(world), []);
      const all = await moved(world, { olderThanMs: 0 });
      assert.deepEqual([all.messages.moved, all.messages.young], [messages.found, 0]);
      assert.equal((await turnsIn(world)).length, 1);
    });
    const processing = (more: Item) =>
      conversationRow(1, { conversation_status: "processing_reply", ...more });
  });

  it("with --older-than 0s nothing is young, by whatever clock it was written", async () => {
    const world = seedWorld();
    const nowMs = world.clock.nowMs();
    const ahead = isoOf(nowMs + 2 * 3_600_000);
    const times = [ahead.slice(0, 19), ahead, nowMs / 1_000 + 3, nowMs * 1_000 + 1, nowMs * 1e6, 1e30, "?"];
    for (const [n, at] of times.entries()) {
      const status = { conversation_status: "processing_reply", updated_at: at };
      world.write("conversations", conversationRow(n, status));
      world.write("stage", {
        ...lean(world, { sid: n, agoMs: 0 }),
        conversation_id: `conv-${n}`,
        received_at: at,
      });
      world.write("triggerLock", { conversation_id: `conv-${n}`, expires_at: at });
    }
    const { messages, conversations, locks } = await moved(world, { olderThanMs: 0 });
    assert.deepEqual(messages, { ...NONE, found: 7, moved: 7 });
    assert.deepEqual([conversations.young, locks.standing], [0, 0]);
    assert.equal((await turnsIn(world)).length, 7);
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
    const { messages, conversations, left } = await moved(world);
    assert.deepEqual(messages, { ...NONE, found: 3, moved: 1, young: 1 });
    assert.equal(left.length, 1);
    const { found: _, threads: __, ...counts } = conversations;
    assert.deepEqual(counts, { stuck: 3, rested: 1, young: 1, busy: 1 });
  });
});

const NONE = { found: 0, moved: 0, duplicates: 0, gone: 0, young: 0 };

/** A row of the first conversation, as the seeds stage it. */
function lean(world: World, { sid, agoMs, body = "hello" }: { sid: number; agoMs: number; body?: string }) {
  const received_at = new Date(world.clock.nowMs() - agoMs).toISOString();
  return { conversation_id: "conv-1", message_sid: sidOf(sid), body, received_at };
}
