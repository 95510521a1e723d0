import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { fits } from "../../../src/engines/aws/items/item-size.ts";
import type { GivenSettings } from "../../../src/model/settings.ts";
import {
  allSent,
  arrival,
  as,
  draftFor,
  replied,
  textsOf,
} from "../../../src/testing/engine-contract/builders.ts";
import { type Random, seeded } from "../../../src/testing/simulator/random.ts";
import { fuzzedItem, fuzzedValue } from "./fuzzed-values.ts";
import { LONG_NUMBERS, long } from "./long-numbers.ts";
import { type MemoryFixture, memoryFixture } from "./memory-fixture.ts";

const RUNS = 300;
const KEY = { primary_channel: "ana", conversation_id: "theirs" };
const NAMES = [
  ...["sender_alias", "conversation_status", "hand_off_to_human_reason", "reply_window", "attributes"],
  ...["prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_sum", "completion_tokens_sum"],
  ...["total_tokens_sum", "created_at", "updated_at", "messages", "channel_config", "ai_config"],
  ...["openai_thread_id", "last_assistant_message_sid", "initial_processing_time_ms", "adopted_at", "rev"],
];
const IN_MAPS = ["role", "body", "timestamp", "lull_turn_id", "sender", "kind", "lengthMs"];
const USAGE = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };

/** A row that another system wrote, and that says nothing against an answer. */
function leave(fixture: MemoryFixture, random: Random): void {
  const row = fuzzedItem(random, NAMES);
  const { address, sender, ...channel_config } = fuzzedItem(random, IN_MAPS);
  const isStuck = random.chance(0.3);
  const status = isStuck && {
    conversation_status: "processing_reply",
    updated_at: random.pick([long(random.pick(LONG_NUMBERS)), fuzzedValue(random, IN_MAPS)]),
  };
  const config = row.channel_config === undefined ? {} : { channel_config };
  const known = { task_complete: 0, channel_type: "test", address: "lull" };
  const whole = { ...row, ...config, ...status, ...known, ...KEY };
  if (fits(whole)) fixture.write("conversations", whole);
  else leave(fixture, random);
}

/** Hours of looks and sweeps. Some turns fail first, some replies tell no tokens. */
async function answeredIn(fixture: MemoryFixture, random: Random): Promise<string[]> {
  const engine = await fixture.open();
  const texts: string[] = [];
  for (const hours of [0.02, 0.1, 0.3, 1, 1, 1, 23]) {
    await fixture.clock.advance(hours * 3_600_000);
    await engine.sweeping.sweep();
    for (const outcome of await fixture.takeDue(engine)) {
      if (outcome.kind !== "turn") continue;
      const { taken } = outcome;
      if (taken.attempt === 1 && random.chance(0.3)) {
        const failed = { kind: "retry", afterMs: 1_000, reason: "503" } as const;
        as("released", await engine.turns.release(taken.lease, failed));
        continue;
      }
      const draft = draftFor(taken);
      const told = random.chance(0.5) ? { usage: USAGE } : {};
      as("drafted", await engine.turns.draft(taken.lease, draft));
      as("committed", await engine.turns.commit(taken.lease, replied(taken, allSent(draft), told)));
      texts.push(...textsOf(taken));
    }
  }
  return texts;
}

async function oneRun(seed: number, settings: Partial<GivenSettings>): Promise<void> {
  const random = seeded(seed);
  const fixture = await memoryFixture(settings);
  const engine = await fixture.open();
  leave(fixture, random);
  const receive = (providerId: string) =>
    engine.receiving.stage([
      { arrival: arrival({ providerId, text: providerId, arrivedAtMs: fixture.clock.nowMs() }) },
    ]);
  for (const id of ["m1", "m2"]) as("staged", (await receive(id))[0]!);
  const { conversations, inspector } = engine;
  const attribute = { name: "note", was: undefined, to: "x" };
  assert.equal(await conversations.changeAttribute("theirs", attribute), "changed");
  await conversations.change("theirs", { handOffReason: "none" });
  assert.deepEqual((await answeredIn(fixture, random)).sort(), ["m1", "m2"]);
  assert.equal((await conversations.get("theirs"))?.attributes.note, "x");
  await conversations.history("theirs", 50);
  await inspector.conversation("theirs");
  await inspector.conversations({ limit: 10 });
  await inspector.counts();
}

describe("rows of any shape in the table of conversations", () => {
  it.each<[string, Partial<GivenSettings>]>([
    ["as it is", {}],
    ["beside another system", { honourStatus: true, mirrorMessages: 3 }],
  ])(`%s: each of ${RUNS} conversations is answered`, async (_, settings) => {
    for (let seed = 1; seed <= RUNS; seed += 1)
      await oneRun(seed, settings).catch((cause) => {
        throw new Error(`seed ${seed}`, { cause });
      });
  });
});
