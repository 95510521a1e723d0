import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { isoOf } from "../../../src/core/instant.ts";
import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import {
  BATCH_STATE,
  conversationRow,
  customerOf,
  HOLDING,
  lean,
  NONE,
  seedWorld,
  sidOf,
  turnsIn,
  type World,
} from "./seed-world.ts";

describe("what the other system may be answering", () => {
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
    const young = await world.migrate();
    assert.deepEqual(young.messages, { found: 1, moved: 0, duplicates: 0, gone: 0, young: 1 });
    assert.deepEqual(young.locks, { found: 1, removed: 0, standing: 1 });
    assert.deepEqual(young.conversations, { found: 1, threads: 1, stuck: 1, rested: 0, young: 1, busy: 0 });
    const all = await world.migrate({ olderThanMs: 0 });
    assert.equal(all.messages.moved, 1);
    assert.equal((await turnsIn(world)).length, 1);
  });

  it("a conversation with one young message is left whole, wherever a page of its table ends", async () => {
    for (const pageRowsMax of [1, 2, 3, 4, 5]) {
      const world = seedWorld({}, { pageRowsMax });
      world.write("conversations", conversationRow(1));
      for (let n = 1; n <= 5; n += 1)
        world.write("stage", lean(world, { sid: n, agoMs: n === 5 ? 1_000 : 3_600_000 }));
      const { messages } = await world.migrate();
      assert.deepEqual([messages.moved, messages.young], [0, 5], `${pageRowsMax} rows in a page`);
    }
  });

  it("a message whose time cannot be read may be young: it is moved with --older-than 0s", async () => {
    for (const received_at of ["yesterday", undefined]) {
      const world = seedWorld();
      world.write("conversations", conversationRow(1));
      world.write("stage", { ...lean(world, { sid: 1, agoMs: 0 }), received_at });
      assert.deepEqual((await world.migrate()).messages, { ...NONE, found: 1, young: 1 });
      assert.deepEqual((await world.migrate({ olderThanMs: 0 })).messages, { ...NONE, found: 1, moved: 1 });
    }
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
      const { messages } = await world.migrate();
      assert.deepEqual([messages.moved, messages.young], [0, messages.found]);
      assert.deepEqual(rows(), before);
      assert.deepEqual(await turnsIn(world), []);
      const all = await world.migrate({ olderThanMs: 0 });
      assert.deepEqual([all.messages.moved, all.messages.young], [messages.found, 0]);
      assert.equal((await turnsIn(world)).length, 1);
    });
    const processing = (more: Item) =>
      conversationRow(1, { conversation_status: "processing_reply", ...more });
  });

  it("what is older than --newer-than stays, and the look says how much of it is old", async () => {
    const world = seedWorld();
    const DAY_MS = 24 * 3_600_000;
    const nowMs = world.clock.nowMs();
    world.write("conversations", conversationRow(1));
    for (const [n, agoMs] of [0, 60_000, 2 * DAY_MS, 90 * DAY_MS].entries())
      world.write("stage", { ...lean(world, { sid: n + 1, agoMs }), ...(n === 0 && { received_at: "?" }) });
    const look = await world.migrate({ olderThanMs: 0, isApplied: false });
    assert.deepEqual(look.old, { count: 2, oldestAtMs: nowMs - 90 * DAY_MS });
    const moved = await world.migrate({ olderThanMs: 0, newerThanMs: DAY_MS });
    assert.deepEqual(moved.messages, { ...NONE, found: 4, moved: 2 });
    assert.deepEqual(
      moved.left.map(({ messageSid, why }) => [messageSid, why]).sort(),
      [3, 4].map((n) => [sidOf(n), "it is older than --newer-than"]),
    );
    assert.equal((await turnsIn(world)).length, 1);
    assert.equal((await world.migrate({ olderThanMs: 0 })).messages.moved, 2);
    assert.equal((await turnsIn(world)).length, 1);
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
    const { messages, conversations, locks } = await world.migrate({ olderThanMs: 0 });
    assert.deepEqual(messages, { ...NONE, found: 7, moved: 7 });
    assert.deepEqual([conversations.young, locks.standing], [0, 0]);
    assert.equal((await turnsIn(world)).length, 7);
  });
});
