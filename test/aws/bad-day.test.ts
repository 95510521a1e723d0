import assert from "node:assert/strict";
import { it } from "vitest";
import { seeded } from "../../src/testing/simulator/random.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { CheckedService, receiveAndDie } from "./checked-service.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { FAULTS, Faults } from "./faults.ts";
import { interleave, openPair, WINDOW_MS } from "./interleaving.ts";
import type { AwsRequest, Fate } from "./proxy.ts";

const [random] = crypto.getRandomValues(new Uint32Array(1));
const SEED = Number(process.env.LULL_AWS_SEED ?? random);
const INTERLEAVINGS = Number(process.env.LULL_INTERLEAVINGS ?? 100);
/** More than the story makes: past the end the worker lives. */
const DOOMSDAYS = 60;

/**
 * Through the proxy, a fifth of all requests meets a fault, every answer may get lost, and the queue brings
 * triggers late, twice, in any order, and long after they were deleted. The SDK's own retries are on.
 */
describeOnEmulators(`on a bad day (LULL_AWS_SEED=${SEED})`, (emulators) => {
  const faults = new Faults(seeded(SEED), 0.2);
  const mischief = { late: 0, twice: 0, again: 0 };

  async function badWorld(settings: Parameters<typeof awsFixture>[1]): Promise<AwsFixture> {
    const fixture = await awsFixture(emulators, settings, { onRequest: faults.draw });
    fixture.held.mischief = { random: seeded(SEED), late: 0.1, twice: 0.1, again: 0.05 };
    return fixture;
  }

  async function close(fixture: AwsFixture): Promise<void> {
    for (const [what, times] of Object.entries(fixture.held.met)) mischief[what as "late"] += times;
    await fixture.close();
  }

  it("120 messages of three people at two workers end in few turns, none lost or twice", async () => {
    const fixture = await badWorld({});
    const engines = [await fixture.open("one"), await fixture.open("two")] as const;
    const service = new CheckedService(fixture);
    const people = ["ana", "ben", "eva"];
    for (let wave = 0; wave < 4; wave += 1) {
      const ten = Array.from({ length: 30 }, (_, n) =>
        service.receive(people[n % 3]!, engines[n % 2]!, engines[(n + 1) % 2]!),
      );
      await Promise.all(ten);
      await fixture.clock.advance(2_000);
    }
    await service.settles(engines[0]);
    for (const person of people) {
      const turns = await service.check(engines[1], person);
      assert.equal(turns.flat().length, 40);
      assert.ok(turns.length <= 4, `${turns.length} turns for ${person}`);
    }
    assert.equal(service.orphans, 0);
    await close(fixture);
  }, 300_000);

  it(`a worker that dies at one of ${DOOMSDAYS} requests leaves every message in one turn`, async () => {
    const fixture = await badWorld({ settleMs: 1_000, leaseMs: 30_000, batchMessagesMax: 2 });
    const healthy = await fixture.open("healthy");
    for (let doomsday = 1; doomsday <= DOOMSDAYS; doomsday += 1) {
      const when = doomsday % 2 === 0 ? "before" : "after";
      const service = new CheckedService(fixture);
      const onRequest = (request: AwsRequest, n: number): Fate =>
        n === doomsday ? `die-${when}` : faults.draw(request);
      const doomed = await fixture.openBehind({ onRequest }, { holder: `doomed-${doomsday}` });
      try {
        await receiveAndDie(service, doomed, healthy, `person-${doomsday}`);
        await service.check(healthy, `person-${doomsday}`);
        assert.equal(service.orphans, 0, "it took the sweeper to find an orphan");
      } catch (error) {
        throw new Error(`died ${when} request ${doomsday}`, { cause: error });
      }
    }
    await close(fixture);
  }, 600_000);

  it(
    `${INTERLEAVINGS} random interleavings of arrivals and turns lose nothing and answer nothing twice`,
    async () => {
      const fixture = await badWorld({ window: { kind: "fixed", lengthMs: WINDOW_MS } });
      const pair = await openPair(fixture, seeded(SEED));
      const observer = await fixture.open("observer");
      for (let run = 0; run < INTERLEAVINGS; run += 1) {
        const service = new CheckedService(fixture);
        const sender = `person-${run}`;
        await interleave(service, pair, seeded(SEED + run), sender);
        await service.settles(observer);
        await service.check(observer, sender);
        assert.equal(service.orphans, 0, "it took the sweeper to find an orphan");
      }
      await close(fixture);
    },
    24 * 3_600_000,
  );

  it("and every kind of fault was met", () => {
    for (const kind of FAULTS) assert.ok((faults.met[kind] ?? 0) > 0, `${kind} never happened`);
    for (const [what, times] of Object.entries(mischief)) assert.ok(times > 0, `no trigger came ${what}`);
  });
});
