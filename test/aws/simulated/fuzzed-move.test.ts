import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { type Random, seeded } from "../../../src/testing/simulator/random.ts";
import { fuzzedItem, fuzzedValue } from "./fuzzed-values.ts";
import {
  BATCH_STATE,
  conversationRow,
  customerOf,
  HOLDING,
  Killed,
  lean,
  seedWorld,
  sidOf,
  turnsIn,
  type World,
} from "./seed-world.ts";

const RUNS = 150;
const GOOD = 3;
const NAMES = {
  stage: [
    ...["primary_channel", "received_at", "body", "context_object", "raw_message_data", "from", "to", "v"],
    ...[
      "account_sid",
      "num_media",
      "media",
      "media_url0",
      "media_urls",
      "kind",
      "channel",
      "reply_to",
      "sid",
    ],
  ],
  lock: ["expires_at", "v", "window_id", "primary_channel"],
  conversations: ["updated_at", "conversation_status", "channel_config", "openai_thread_id", "messages"],
};
const IN_MAPS = ["message_sid", "body", "from", "url", "whatsapp_sender", "sender", "MessageSid", "Body"];

/** Whatever another program may leave in its own tables, in conversations that are there and that are not. */
function leave(world: World, random: Random): void {
  const ids = ["conv-1", "conv-9", "c".repeat(1_100), "c".repeat(2_000)];
  const fuzzed = (names: readonly string[]) => {
    const { context_object, channel_config, ...item } = fuzzedItem(random, names);
    const inner = () => fuzzedItem(random, IN_MAPS);
    return {
      ...item,
      ...(context_object !== undefined && { context_object: inner() }),
      ...(channel_config !== undefined && { channel_config: inner() }),
    };
  };
  for (let rows = random.below(6); rows > 0; rows -= 1) {
    const key = { conversation_id: random.pick(ids) };
    world.write("stage", {
      ...fuzzed(NAMES.stage),
      ...key,
      message_sid: random.pick([sidOf(90 + rows), "x"]),
    });
    // Nearly a message: one thing in it is not.
    world.write("stage", {
      ...lean(world, { sid: 70 + rows, agoMs: 3_600_000 }),
      [random.pick(["account_sid", "from", random.pick(NAMES.stage)])]: random.chance(0.5)
        ? fuzzedValue(random, IN_MAPS)
        : "x".repeat(random.pick([1_100, 2_100])),
    });
    world.write(HOLDING, {
      ...fuzzed([...NAMES.stage, "message_sid"]),
      ...key,
      arrival_timestamp: random.pick(["2026-01-01T00:00:00Z#a", "soon", `${rows}`]),
    });
    world.write(random.pick(["triggerLock", BATCH_STATE]), { ...fuzzed(NAMES.lock), ...key });
  }
  const row = { ...conversationRow(8), ...fuzzed(NAMES.conversations) };
  if (random.chance(0.5)) world.write("conversations", row);
}

describe("seed-aws, whatever stands in the tables", () => {
  it(`in ${RUNS} ways, killed and run again: what is sound is in one turn, and counts add up`, async () => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const random = seeded(seed);
      const world = seedWorld({}, { pageRowsMax: random.pick([1, 3, 4_000]) });
      for (let n = 1; n <= GOOD; n += 1) world.write("conversations", conversationRow(n));
      for (let sid = 1; sid <= 2 * GOOD; sid += 1) {
        const message = lean(world, { sid, agoMs: 3_600_000 });
        const n = Math.ceil(sid / 2);
        world.write("stage", { ...message, conversation_id: `conv-${n}`, primary_channel: customerOf(n) });
      }
      leave(world, random);
      try {
        const look = await world.migrate({ olderThanMs: 0, isApplied: false });
        for (const diesAfter of [random.below(20), random.below(60)])
          await world.migrate({ olderThanMs: 0, diesAfter }).catch((error) => {
            if (!(error instanceof Killed)) throw error;
          });
        for (const { messages, locks, left } of [look, await world.migrate({ olderThanMs: 0 })]) {
          const leftIn = (...tables: string[]) => left.filter(({ table }) => tables.includes(table)).length;
          const { found, moved, duplicates, gone, young } = messages;
          assert.equal(moved + duplicates + gone + young + leftIn("stage", "holding"), found);
          assert.equal(locks.removed + locks.standing + leftIn("triggerLock", "batchState"), locks.found);
        }
        const answered = (await turnsIn(world)).flatMap(({ ids }) => ids);
        assert.equal(new Set(answered).size, answered.length);
        for (let sid = 1; sid <= 2 * GOOD; sid += 1)
          assert.equal(answered.filter((id) => id.includes(sidOf(sid))).length, 1, sidOf(sid));
      } catch (cause) {
        throw new Error(`seed ${seed}`, { cause });
      }
    }
  });
});
