import assert from "node:assert/strict";
import { it } from "vitest";
import type { Engine } from "../../src/ports/engine.ts";
import { seeded } from "../../src/testing/simulator/random.ts";
import { awsFixture } from "./aws-fixture.ts";
import { CheckedService } from "./checked-service.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { interleave, lookOnce, openPair, WINDOW_MS } from "./interleaving.ts";

const RUNS = Number(process.env.LULL_INTERLEAVINGS ?? 300);
/** A new world after so many: the emulator gets slower with what it holds. */
const RUNS_PER_WORLD = 500;

/** Time goes from trigger to trigger until none is left. */
async function untilNoTriggerIsLeft(service: CheckedService, engine: Engine): Promise<void> {
  for (let looks = 0; looks < 200; looks += 1) {
    const found = await lookOnce(service, engine);
    const [next] = service.fixture.held.waiting.map(({ wakeAtMs }) => wakeAtMs).sort((a, b) => a - b);
    if (next === undefined && found === 0) return;
    if (found === 0) await service.fixture.clock.advance(Math.max(0, next! - service.nowMs));
  }
  assert.fail("triggers go on for ever");
}

describeOnEmulators("without a fault and without a sweeper", (emulators) => {
  async function playRuns(firstSeed: number, runs: number): Promise<void> {
    const fixture = await awsFixture(emulators, { window: { kind: "fixed", lengthMs: WINDOW_MS } });
    const pair = await openPair(fixture, seeded(firstSeed));
    const observer = await fixture.open("observer");
    for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
      const service = new CheckedService(fixture);
      try {
        await interleave(service, pair, seeded(seed), `person-${seed}`);
        await untilNoTriggerIsLeft(service, observer);
        await service.check(observer, `person-${seed}`);
      } catch (error) {
        throw new Error(`LULL_AWS_SEED=${seed} LULL_INTERLEAVINGS=1 fails`, { cause: error });
      }
    }
    const { staged, leases, dead } = await observer.inspector.counts();
    assert.deepEqual({ staged, leases, dead }, { staged: 0, leases: 0, dead: 0 });
    await fixture.close();
  }

  it(
    `${RUNS} random interleavings of arrivals and turns strand nothing`,
    async () => {
      const [random] = crypto.getRandomValues(new Uint32Array(1));
      const seed = Number(process.env.LULL_AWS_SEED ?? random);
      for (let done = 0; done < RUNS; done += RUNS_PER_WORLD) {
        await playRuns(seed + done, Math.min(RUNS_PER_WORLD, RUNS - done));
        if (RUNS > RUNS_PER_WORLD) console.log(`${Math.min(done + RUNS_PER_WORLD, RUNS)} of ${RUNS}`);
      }
    },
    24 * 3_600_000,
  );
});
