import assert from "node:assert/strict";
import { it } from "vitest";
import { seeded } from "../../../src/testing/simulator/random.ts";
import {
  conversationRow,
  Killed,
  seedWorld,
  sidOf,
  turnsIn,
  type World,
  writeMessage,
} from "./seed-world.ts";

const SCHEDULES = 25;
const CONVERSATIONS = 12;
const MESSAGES = 40;

/** Undefined if it was killed. */
async function moved(world: World, options: { diesAfter?: number } = {}) {
  try {
    return await world.migrate({ olderThanMs: 0, ...options });
  } catch (error) {
    if (error instanceof Killed) return undefined;
    throw error;
  }
}

function assertSum({ messages, left }: NonNullable<Awaited<ReturnType<typeof moved>>>): void {
  const { found, moved: done, duplicates, gone, young } = messages;
  const listed = left.filter(({ table }) => table === "stage" || table === "holding").length;
  assert.equal(done + duplicates + gone + young + listed, found);
}

/** Some of them twice, in both tables, and some in two conversations. */
function writeMessages(world: World, random: ReturnType<typeof seeded>): void {
  for (let n = 1; n <= CONVERSATIONS; n += 1) {
    const stuck = random.chance(0.3) ? { conversation_status: "processing_reply" } : {};
    world.write("conversations", conversationRow(n, stuck));
  }
  const anyone = () => 1 + random.below(CONVERSATIONS);
  for (let sid = 1; sid <= MESSAGES; sid += 1) {
    const n = anyone();
    const write = (whose: number) => writeMessage(world, random, whose, sid, `message ${sid}`);
    write(n);
    if (random.chance(0.2)) write(n);
    if (random.chance(0.1)) write(anyone());
  }
}

it(`three moves at once, some killed, in ${SCHEDULES} schedules: each message is in one turn`, async () => {
  for (let seed = 1; seed <= SCHEDULES; seed += 1) {
    const random = seeded(seed);
    const world = seedWorld({}, { pageRowsMax: random.pick([1, 2, 7, 4_000]) });
    writeMessages(world, random);
    const runs = [1, 2, 3].map(() =>
      moved(world, random.chance(0.4) ? { diesAfter: random.below(200) } : {}),
    );
    for (const run of await Promise.all(runs)) if (run) assertSum(run);
    const turns = random.chance(0.5) ? await turnsIn(world) : [];
    for (let more = 0; more < 2; more += 1) assertSum((await moved(world))!);
    assert.equal((await moved(world))!.messages.found, 0, `seed ${seed}`);
    turns.push(...(await turnsIn(world)));
    const ids = turns.flatMap((turn) => turn.ids);
    const found = Array.from({ length: MESSAGES }, (_, at) => ids.filter((id) => id.endsWith(sidOf(at + 1))));
    assert.deepEqual(
      found.map(({ length }) => length),
      Array(MESSAGES).fill(1),
      `seed ${seed}`,
    );
  }
});
