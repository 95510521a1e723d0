import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { messageId } from "../../../src/core/identity.ts";
import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
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
import { type MemoryFixture, memoryFixture } from "./memory-fixture.ts";

const RUNS = 400;
const SHARED = ["conversation_id", "primary_channel", "channel", "v", "expires_at"];
const NAMES = {
  stage: [
    ...SHARED,
    ...["received_at", "sequence", "bytes", "kind", "provider_id", "account", "address", "sender"],
    ...["sender_alias", "reply_to", "body", "media", "sent_at", "position", "fields", "texts", "author"],
    ...["context_object", "target_queue_url", "raw_message_data", "arrival_timestamp"],
  ],
  triggerLock: [...SHARED, "window_id", "due_at_ms", "wake_at_ms", "trigger_at_ms", "armed_at_ms"],
  state: [
    ...SHARED,
    ...["rev", "works", "draft", "not_before_at_ms", "left_behind_at_ms", "busy_told_turn_id", "turn_count"],
    ...["lease_token", "lease_holder", "lease_turn_id", "lease_taken_at_ms", "lease_until_at_ms"],
    ...["lease_shard", "status_before", "last_commit_at_ms", "recent_provider_ids"],
  ],
} as const;

type Fuzzed = keyof typeof NAMES;

/** What every row of ours bears: with these a higher `v` is a newer version's, which is left alone. */
const MARKS: Readonly<Record<Fuzzed, readonly string[]>> = {
  stage: ["kind", "channel", "reply_to"],
  triggerLock: ["window_id"],
  state: ["rev"],
};

function isOfNewerVersion(table: Fuzzed, item: Item): boolean {
  return MARKS[table].every((name) => typeof item[name] === "string") && item.v === 2;
}

/** What another program left under the conversation's key, before anything of ours stood there. */
function leave(fixture: MemoryFixture, random: Random, id: string): void {
  const row = (table: Fuzzed, key: Item) => {
    // Versions are a usual thing to note: a row in three says one, of whatever kind.
    const v = random.chance(0.3) ? random.pick([2, fuzzedValue(random, NAMES[table])]) : undefined;
    const item = { ...fuzzedItem(random, NAMES[table]), ...(v !== undefined && { v }) };
    fixture.write(table, { ...item, ...key, ...(isOfNewerVersion(table, item) && { v: 1 }) });
  };
  for (let rows = random.below(4); rows > 0; rows -= 1)
    row("stage", {
      conversation_id: id,
      message_sid: random.pick([`SM${rows}`, `${rows}`, messageId("test", "account", "m1")]),
    });
  if (random.chance(0.7)) row("triggerLock", { conversation_id: id });
  if (random.chance(0.7)) row("state", { conversation_id: id });
}

/** Takes and answers turns for a day, with sweeps in between. */
async function answeredIn(fixture: MemoryFixture): Promise<string[]> {
  const engine = await fixture.open();
  const texts: string[] = [];
  for (const hours of [0.02, 0.1, 1, 23]) {
    await fixture.clock.advance(hours * 3_600_000);
    await engine.sweeping.sweep();
    for (const outcome of await fixture.takeDue(engine)) {
      if (outcome.kind !== "turn") continue;
      const draft = draftFor(outcome.taken);
      as("drafted", await engine.turns.draft(outcome.taken.lease, draft));
      as("committed", await engine.turns.commit(outcome.taken.lease, replied(outcome.taken, allSent(draft))));
      texts.push(...textsOf(outcome.taken));
    }
  }
  return texts;
}

describe("rows of any shape in the stage, trigger-lock and state tables", () => {
  it(`left before its first message, in ${RUNS} ways: the conversation is answered`, async () => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const random = seeded(seed);
      const fixture = await memoryFixture();
      const engine = await fixture.open();
      const { conversation } = await engine.conversations.create({
        channelType: "test",
        address: "lull",
        sender: "ana",
      });
      const receive = (providerId: string) =>
        engine.receiving.stage([
          { arrival: arrival({ providerId, text: providerId, arrivedAtMs: fixture.clock.nowMs() }) },
        ]);
      try {
        leave(fixture, random, conversation.id);
        for (const id of ["m1", "m2"]) as("staged", (await receive(id))[0]!);
        const texts = await answeredIn(fixture);
        assert.deepEqual(texts.filter((text) => /^m[12]$/.test(text)).sort(), ["m1", "m2"]);
        as("duplicate", (await receive("m1"))[0]!);
        await engine.inspector.counts();
        await engine.inspector.quarantined({ limit: 100 });
        await engine.inspector.conversation(conversation.id);
        await engine.inspector.locks({ limit: 10 });
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  });
});
