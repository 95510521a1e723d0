import { describe, expect, it } from "vitest";
import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import type { ForeignTable } from "../../../src/engines/aws/dynamo/tables.ts";
import { takeAllTurns } from "../../migrate/turns.ts";
import { LONG_NUMBERS, long } from "./long-numbers.ts";
import {
  ACCOUNT,
  conversationRow,
  customerOf,
  HOLDING,
  OURS,
  seedWorld,
  sidOf,
  type World,
} from "./seed-world.ts";

const NONE = { found: 0, moved: 0, duplicates: 0, gone: 0, young: 0 };
const BY_NUMBER: ForeignTable = { ...HOLDING, sortKey: { name: "arrival_timestamp", type: "N" } };
const now = { olderThanMs: 0 };

/** A staged message as seed 001's table has it. */
function held(n: number, arrival_timestamp: unknown): Item {
  const from = `whatsapp:${customerOf(1)}`;
  const context_object = {
    from,
    to: `whatsapp:${OURS}`,
    message_sid: sidOf(n),
    account_sid: ACCOUNT,
    body: `m${n}`,
  };
  return { conversation_id: "conv-1", arrival_timestamp, context_object };
}

/** Behind the times in these tables: what lies ahead of the clock counts as young. */
async function aMinuteLater(given?: Parameters<typeof seedWorld>[1]): Promise<World> {
  const world = seedWorld({}, given);
  world.write("conversations", conversationRow(1));
  await world.clock.advance(60_000);
  return world;
}

function staged(world: World, more: Item): void {
  const key = { conversation_id: "conv-1", message_sid: sidOf(1), primary_channel: customerOf(1) };
  world.write("stage", { ...key, body: "hi", received_at: "2026-01-01T00:00:02Z", ...more });
}

async function textsAfter(world: World): Promise<string[]> {
  await world.clock.advance(120_000);
  return (await takeAllTurns(world.engine())).flatMap(({ texts }) => texts);
}

describe("moving in from tables with numbers of many digits", () => {
  it.each([
    ["time_ns()", (n: number) => long(String(1_767_225_600_123_456_700n + BigInt(n)))],
    [
      "Decimal(time.time())",
      (n: number) => long(`1767225600.123456716537475585${String(n).padStart(4, "0")}`),
    ],
    ["Decimal(str(time.time()))", (n: number) => long(`1767225600.123456${n}`)],
  ])("messages that are keyed by %s are moved, over all pages, and their rows go", async (_, at) => {
    for (const pageRowsMax of [2, 4_000]) {
      const world = await aMinuteLater({ pageRowsMax, holding: BY_NUMBER });
      for (let n = 1; n <= 7; n += 1) world.tables.write(BY_NUMBER, held(n, at(n)), held(n, at(n)), 0);
      const counts = { ...NONE, found: 7, moved: 7 };
      expect((await world.migrate({ ...now, isApplied: false })).messages).toEqual(counts);
      expect((await world.migrate(now)).messages).toEqual(counts);
      expect(world.tables.all(BY_NUMBER, undefined, "all")).toEqual([]);
      expect((await textsAfter(world)).sort()).toEqual(["m1", "m2", "m3", "m4", "m5", "m6", "m7"]);
    }
  });

  it.each(LONG_NUMBERS)(
    "a stuck status whose time is %s is put to rest, and a lock of then goes",
    async (text) => {
      const world = await aMinuteLater();
      const stuck = { conversation_status: "processing_reply", updated_at: long(text) };
      world.write("conversations", conversationRow(1, stuck));
      world.write("triggerLock", { conversation_id: "conv-1", expires_at: long(text) });
      const { conversations, locks, left } = await world.migrate(now);
      expect(locks.removed + left.length).toBe(1);
      expect([conversations.rested, conversations.young]).toEqual([1, 0]);
    },
  );

  it.each([1, "1.0", "text", null, long(LONG_NUMBERS[0]!)])(
    "a message with an attribute v of another system, %s, is moved or said to be left",
    async (v) => {
      const world = await aMinuteLater();
      staged(world, { v });
      const { messages, left } = await world.migrate(now);
      const rows = world.tables.all("stage", undefined, "all");
      const standing = rows.filter(({ message_sid }) => message_sid === sidOf(1));
      expect(messages.gone).toBe(0);
      expect(messages.moved + left.length, JSON.stringify({ messages, left })).toBe(messages.found);
      expect(standing.length).toBe(1 - messages.moved);
    },
  );
});
