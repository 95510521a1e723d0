import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import { seeded } from "../../src/testing/simulator/random.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import { FAULTS, Faults } from "./faults.ts";
import { interleave, openPair, WINDOW_MS } from "./interleaving.ts";
import type { AwsRequest, Fate } from "./proxy.ts";
import { Story, tellWithDeath } from "./story.ts";
import { type AwsWorld, awsWorld } from "./world.ts";

const [random] = crypto.getRandomValues(new Uint32Array(1));
const SEED = Number(process.env.LULL_AWS_SEED ?? random);
const INTERLEAVINGS = Number(process.env.LULL_INTERLEAVINGS ?? 100);
/** More than the story makes: past the end the worker lives. */
const DOOMSDAYS = 60;

/**
 * Through the proxy, a fifth of all requests meets a fault, every answer may get lost, and the queue brings
 * triggers late, twice, in any order, and long after they were deleted. The SDK's own retries are on.
 */
describe.skipIf(unavailable)(`on a bad day (LULL_AWS_SEED=${SEED})`, () => {
  let emulators: Emulators;
  const faults = new Faults(seeded(SEED), 0.2);
  const mischief = { late: 0, twice: 0, again: 0 };
  beforeAll(async () => {
    emulators = await startEmulators();
  });
  afterAll(() => emulators.stop());

  async function badWorld(settings: Parameters<typeof awsWorld>[1]): Promise<AwsWorld> {
    const world = await awsWorld(emulators, settings, { onRequest: faults.draw });
    world.held.mischief = { random: seeded(SEED), late: 0.1, twice: 0.1, again: 0.05 };
    return world;
  }

  async function close(world: AwsWorld): Promise<void> {
    for (const [what, times] of Object.entries(world.held.met)) mischief[what as "late"] += times;
    await world.close();
  }

  it("120 messages from three people at two workers end in few turns, none lost or twice", async () => {
    const world = await badWorld({});
    const engines = [await world.open("one"), await world.open("two")] as const;
    const story = new Story(world);
    const people = ["ana", "ben", "eva"];
    for (let wave = 0; wave < 4; wave += 1) {
      const ten = Array.from({ length: 30 }, (_, n) =>
        story.receive(people[n % 3]!, engines[n % 2]!, engines[(n + 1) % 2]!),
      );
      await Promise.all(ten);
      await world.clock.advance(2_000);
    }
    await story.settles(engines[0]);
    for (const person of people) {
      const turns = await story.check(engines[1], person);
      assert.equal(turns.flat().length, 40);
      assert.ok(turns.length <= 4, `${turns.length} turns for ${person}`);
    }
    assert.equal(story.orphans, 0);
    await close(world);
  }, 300_000);

  it(`a death at any of the first ${DOOMSDAYS} requests leaves each message in one turn`, async () => {
    const world = await badWorld({ settleMs: 1_000, leaseMs: 30_000, batchMessagesMax: 2 });
    const healthy = await world.open("healthy");
    for (let doomsday = 1; doomsday <= DOOMSDAYS; doomsday += 1) {
      const when = doomsday % 2 === 0 ? "before" : "after";
      const story = new Story(world);
      const onRequest = (request: AwsRequest, n: number): Fate =>
        n === doomsday ? `die-${when}` : faults.draw(request);
      const doomed = await world.openBehind({ onRequest }, { workerId: `doomed-${doomsday}` });
      try {
        await tellWithDeath(story, doomed, healthy, `person-${doomsday}`);
        await story.check(healthy, `person-${doomsday}`);
        assert.equal(story.orphans, 0, "it took the sweeper to find an orphan");
      } catch (error) {
        throw new Error(`died ${when} request ${doomsday}`, { cause: error });
      }
    }
    await close(world);
  }, 600_000);

  it(
    `${INTERLEAVINGS} random interleavings of arrivals and turns lose nothing and answer nothing twice`,
    async () => {
      const world = await badWorld({ window: { kind: "fixed", lengthMs: WINDOW_MS } });
      const pair = await openPair(world, seeded(SEED));
      const observer = await world.open("observer");
      for (let run = 0; run < INTERLEAVINGS; run += 1) {
        const story = new Story(world);
        const sender = `person-${run}`;
        await interleave(story, pair, seeded(SEED + run), sender);
        await story.settles(observer);
        await story.check(observer, sender);
        assert.equal(story.orphans, 0, "it took the sweeper to find an orphan");
      }
      await close(world);
    },
    24 * 3_600_000,
  );

  it("and every kind of fault was met", () => {
    for (const kind of FAULTS) assert.ok((faults.met[kind] ?? 0) > 0, `${kind} never happened`);
    for (const [what, times] of Object.entries(mischief)) assert.ok(times > 0, `no trigger came ${what}`);
  });
});
