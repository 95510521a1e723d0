import assert from "node:assert/strict";
import { it } from "vitest";
import type { TakeOutcome } from "../../src/model/take.ts";
import { arrival, silent, textsOf } from "../../src/testing/engine-contract/builders.ts";
import { awsFixture } from "./aws-fixture.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

describeOnEmulators("a burst on AWS", (emulators) => {
  it("of 500 messages ends in 17 turns, one lease after the other, in order, with nothing lost", async () => {
    const fixture = await awsFixture(emulators);
    const engine = await fixture.open();
    const texts = Array.from({ length: 500 }, (_, at) => `${at} 👩‍👩‍👧 שלום`);
    const arrivals = texts.map((text, position) =>
      arrival({ providerId: `m${position}`, arrivedAtMs: fixture.clock.nowMs(), text, position }),
    );
    for (let from = 0; from < 500; from += 50) {
      await engine.receiving.stage(arrivals.slice(from, from + 50).map((each) => ({ arrival: each })));
    }
    await fixture.clock.advance(10_000);
    const answered: string[] = [];
    let turns = 0;
    let [outcome]: (TakeOutcome | undefined)[] = await fixture.takeDue(engine);
    while (outcome?.kind === "turn") {
      const { taken } = outcome;
      turns += 1;
      answered.push(...textsOf(taken));
      assert.equal(taken.cut, turns < 17);
      const committed = await engine.turns.commit(taken.lease, silent(taken));
      outcome = committed.kind === "committed" ? committed.next : undefined;
    }
    assert.deepEqual(answered, texts);
    assert.equal(turns, 17);
    const { staged, windows, leases, turns: counted } = await engine.inspector.counts();
    assert.deepEqual({ staged, windows, leases, counted }, { staged: 0, windows: 0, leases: 0, counted: 17 });
    await fixture.close();
  }, 120_000);

  it("of large messages is cut by their bytes, and a message of nearly 400 KB is answered", async () => {
    const fixture = await awsFixture(emulators);
    const engine = await fixture.open();
    const receive = async (providerId: string, length: number) => {
      const message = arrival({ providerId, arrivedAtMs: fixture.clock.nowMs(), text: "x".repeat(length) });
      const [outcome] = await engine.receiving.stage([{ arrival: message }]);
      return outcome;
    };
    for (const id of ["a", "b", "c"]) assert.equal((await receive(id, 50_000))?.kind, "staged");
    assert.equal((await receive("huge", 390_000))?.kind, "staged");
    assert.deepEqual(await receive("too large", 500_000), {
      kind: "refused",
      code: "MESSAGE_TOO_LARGE",
      conversationId: (await engine.inspector.conversations({ limit: 1 })).items[0]?.id,
      tellBusy: false,
    });
    await fixture.clock.advance(10_000);
    const sizes: number[][] = [];
    let [outcome]: (TakeOutcome | undefined)[] = await fixture.takeDue(engine);
    while (outcome?.kind === "turn") {
      const { taken } = outcome;
      sizes.push(textsOf(taken).map(({ length }) => length));
      const committed = await engine.turns.commit(taken.lease, silent(taken));
      outcome = committed.kind === "committed" ? committed.next : undefined;
    }
    assert.deepEqual(sizes, [[50_000, 50_000], [50_000], [390_000]]);
    await fixture.close();
  }, 60_000);
});
