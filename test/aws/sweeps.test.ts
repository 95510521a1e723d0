import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "vitest";
import type { Engine } from "../../src/ports/engine.ts";
import { arrival } from "../../src/testing/engine-contract/builders.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

const ROUNDS_MAX = 100;

describeOnEmulators("sweeps on AWS", (emulators) => {
  let fixture: AwsFixture;
  let engine: Engine;
  beforeEach(async () => {
    fixture = await awsFixture(emulators, { sweepRowsMax: 2 });
    engine = await fixture.open();
  });
  afterEach(() => fixture.close());

  /** People whose triggers got lost, each with so many messages. */
  async function waiting(people: number, messages: number): Promise<void> {
    for (let person = 0; person < people; person += 1) {
      const arrivals = Array.from({ length: messages }, (_, at) =>
        arrival({
          providerId: `${person}-${at}`,
          arrivedAtMs: fixture.clock.nowMs(),
          sender: `person-${person}`,
        }),
      );
      const outcomes = await engine.receiving.stage(arrivals.map((each) => ({ arrival: each })));
      for (const outcome of outcomes)
        if (outcome.kind === "staged") fixture.held.drop(outcome.conversationId);
    }
    await fixture.clock.advance(10_000 + fixture.settings.graceMs);
  }

  async function sweepAll(): Promise<{ rounds: number; retriggered: number }> {
    for (let rounds = 1, retriggered = 0; rounds <= ROUNDS_MAX; rounds += 1) {
      const swept = await engine.sweeping.sweep();
      retriggered += swept.retriggered;
      if (!swept.hasMore) return { rounds, retriggered };
    }
    return assert.fail("it never comes to an end");
  }

  it("go through tables of different lengths once, and then there is no more", async () => {
    await waiting(7, 4);
    // 28 staged rows, two at a time; whether a page is the last one shows only on the next.
    const { rounds, retriggered } = await sweepAll();
    assert.ok(rounds >= 14 && rounds <= 15, `${rounds} rounds`);
    assert.equal(retriggered, 7);
    assert.equal((await fixture.takeDue(engine)).filter(({ kind }) => kind === "turn").length, 7);
  });

  it("begin anew when they are through", async () => {
    await waiting(3, 1);
    await sweepAll();
    await fixture.clock.advance(fixture.settings.graceMs);
    fixture.held.dropAll();
    assert.equal((await sweepAll()).retriggered, 3);
  });
});
