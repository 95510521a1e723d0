import assert from "node:assert/strict";
import { afterAll, beforeAll, it } from "vitest";
import type { Engine } from "../../src/ports/engine.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { CheckedService } from "./checked-service.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import type { AwsRequest, Fate } from "./proxy.ts";

/** How long a request may take where one is never answered. In the fixture's own time. */
const SILENCE_MS = 100;

/** Two messages, a turn with a third arriving in its middle, and that one's turn. */
async function haveTwoTurns(service: CheckedService, engine: Engine, sender: string): Promise<void> {
  await service.receive(sender, engine);
  await service.receive(sender, engine);
  await service.fixture.clock.advance(10_000);
  for (const outcome of await service.fixture.takeDue(engine)) {
    if (outcome.kind !== "turn") continue;
    await service.receive(sender, engine);
    await service.carryOut(engine, outcome.taken);
  }
  await service.fixture.clock.advance(10_000);
  await service.carryOutAll(engine, await service.fixture.takeDue(engine));
}

describeOnEmulators("a write whose answer got lost is recognised as one's own:", (emulators) => {
  let fixture: AwsFixture;
  beforeAll(async () => {
    fixture = await awsFixture(emulators);
  });
  afterAll(() => fixture.close());

  /** Has two turns once for every request in them, losing that one's answer. */
  async function forEveryRequest(tries: number, how: "lost" | "silent" = "lost"): Promise<number> {
    const requests: string[] = [];
    const onAnswered = ({ name }: AwsRequest, n: number) => {
      requests[n - 1] = name;
    };
    const watched = await fixture.openBehind({ onAnswered }, { holder: "watched", tries });
    await haveTwoTurns(new CheckedService(fixture), watched, `${how}-${tries}-0`);
    for (const [at, name] of requests.entries()) {
      // Not a write: what it took out of the queue comes again by itself unless it was deleted in time.
      if (name === "ReceiveMessage") continue;
      const lost = at + 1;
      const sender = `${how}-${tries}-${lost}`;
      const service = new CheckedService(fixture);
      const fate = how === "silent" ? "keep-silent" : lost % 2 === 0 ? "lose-answer" : "answer-500";
      const onRequest = (_: AwsRequest, n: number): Fate => (n === lost ? fate : "pass");
      // Silence has no event: only time passes.
      const onSilence = (_: AwsRequest, n: number) => {
        if (how === "silent" && n === lost) void fixture.clock.advance(SILENCE_MS);
      };
      const engine = await fixture.openBehind(
        { onRequest, onAnswered: onSilence },
        { holder: `${how}-${lost}`, tries, more: { retrying: { baseMs: 0, requestMsMax: SILENCE_MS } } },
      );
      await haveTwoTurns(service, engine, sender);
      const turns = await service.check(engine, sender);
      assert.deepEqual(
        turns.map(({ length }) => length),
        [2, 1],
        `the answer to request ${lost} (${name}) was lost`,
      );
    }
    const { staged, leases } = await watched.inspector.counts();
    assert.deepEqual({ staged, leases }, { staged: 0, leases: 0 });
    return requests.length;
  }

  it("each request in turn, tried again by the engine", async () => {
    assert.ok((await forEveryRequest(1)) > 40);
  }, 180_000);

  it("each request in turn, given up at its deadline and tried again by the engine", async () => {
    assert.ok((await forEveryRequest(3, "silent")) > 40);
  }, 180_000);

  it("each request in turn, tried again by the SDK", async () => {
    assert.ok((await forEveryRequest(3)) > 40);
  }, 180_000);
});
