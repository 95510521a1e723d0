import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { Engine } from "../../src/ports/engine.ts";
import { type Random, seeded } from "../../src/testing/simulator/random.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import { Lottery } from "./lottery.ts";
import { Story } from "./story.ts";
import { type AwsWorld, awsWorld } from "./world.ts";

const RUNS = Number(process.env.LULL_AWS_INTERLEAVINGS ?? 300);
const WINDOW_MS = 1_000;

/** Without a sweep: only what its own triggers wake. */
async function lookOnce(story: Story, engine: Engine): Promise<number> {
  await story.world.held.releaseDue(story.nowMs);
  const { outcomes } = await engine.turns.takeDue(10, new AbortController().signal);
  await story.carryOutAll(engine, outcomes);
  return outcomes.length;
}

/** Time goes from trigger to trigger until none is left. */
async function untilNoTriggerIsLeft(story: Story, engine: Engine): Promise<void> {
  for (let looks = 0; looks < 200; looks += 1) {
    const found = await lookOnce(story, engine);
    const [next] = story.world.held.waiting.map(({ wakeAtMs }) => wakeAtMs).sort((a, b) => a - b);
    if (next === undefined && found === 0) return;
    if (found === 0) await story.world.clock.advance(Math.max(0, next! - story.nowMs));
  }
  assert.fail("triggers go on for ever");
}

describe.skipIf(unavailable)("without a fault and without a sweeper", () => {
  let emulators: Emulators;
  let world: AwsWorld;
  beforeAll(async () => {
    emulators = await startEmulators();
    world = await awsWorld(emulators, { window: { kind: "fixed", lengthMs: WINDOW_MS } });
  });
  afterAll(async () => {
    await world.close();
    await emulators.stop();
  });

  async function openDrawn(lottery: Lottery, workerId: string): Promise<Engine> {
    const clients = await world.clients();
    lottery.join(clients);
    return world.openWith(clients, workerId);
  }

  /**
   * A first message whose window is over, and then at once whatever the lot has for this run: more messages, a redelivery, one or two
   * that look, a wake-up out of nowhere, time. Few at a time: what one of them strands, another would find.
   */
  async function play(
    story: Story,
    engines: readonly Engine[],
    lottery: Lottery,
    random: Random,
    sender: string,
  ) {
    const [first, second] = engines as [Engine, Engine];
    const message = await story.receive(sender, first);
    await world.clock.advance(WINDOW_MS);
    const looking = (engine: Engine) => lookOnce(story, engine);
    const waking = async (engine: Engine) => {
      const [conversation] = (await engine.inspector.conversations({ limit: 1, search: sender })).items;
      if (conversation) await story.carryOutAll(engine, [await engine.turns.take(conversation.id)]);
    };
    const actors = [
      () => looking(first),
      ...(random.chance(0.3) ? [() => looking(second)] : []),
      ...Array.from({ length: random.between(1, 3) }, (_, n) => () => story.receive(sender, engines[n % 2]!)),
      ...(random.chance(0.3) ? [() => second.receiving.stage([{ arrival: message }])] : []),
      ...(random.chance(0.2) ? [() => waking(second)] : []),
      ...(random.chance(0.3)
        ? [() => lottery.draw(() => world.clock.advance(random.below(2 * WINDOW_MS)))]
        : []),
    ];
    await Promise.all(actors.map((act) => act()));
  }

  it(`${RUNS} random interleavings of arrivals and turns strand nothing`, async () => {
    const [first] = crypto.getRandomValues(new Uint32Array(1));
    const seed = Number(process.env.LULL_AWS_SEED ?? first);
    const lottery = new Lottery(seeded(seed));
    const engines = [await openDrawn(lottery, "one"), await openDrawn(lottery, "two")];
    const observer = await world.open("observer");
    for (let run = 0; run < RUNS; run += 1) {
      const random = seeded(seed + run);
      lottery.reseed(random);
      const sender = `person-${run}`;
      const story = new Story(world);
      try {
        await play(story, engines, lottery, random, sender);
        await untilNoTriggerIsLeft(story, observer);
        await story.check(observer, sender);
      } catch (error) {
        throw new Error(`LULL_AWS_SEED=${seed + run} LULL_AWS_INTERLEAVINGS=1 fails`, { cause: error });
      }
    }
    const { staged, leases, dead } = await observer.inspector.counts();
    assert.deepEqual({ staged, leases, dead }, { staged: 0, leases: 0, dead: 0 });
  }, 3_600_000);
});
