import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { Engine } from "../../src/ports/engine.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import type { AwsRequest, Fate } from "./proxy.ts";
import { Story } from "./story.ts";
import { type AwsWorld, awsWorld } from "./world.ts";

/** How long a request may take where one is never answered. In the world's own time. */
const SILENCE_MS = 100;

/** Two messages, a turn with a third arriving in its middle, and that one's turn. */
async function tell(story: Story, engine: Engine, sender: string): Promise<void> {
  await story.receive(sender, engine);
  await story.receive(sender, engine);
  await story.world.clock.advance(10_000);
  for (const outcome of await story.world.takeDue(engine)) {
    if (outcome.kind !== "turn") continue;
    await story.receive(sender, engine);
    await story.carryOut(engine, outcome.taken);
  }
  await story.world.clock.advance(10_000);
  await story.carryOutAll(engine, await story.world.takeDue(engine));
}

describe.skipIf(unavailable)("a write whose answer got lost is recognised as the worker's own:", () => {
  let emulators: Emulators;
  let world: AwsWorld;
  beforeAll(async () => {
    emulators = await startEmulators();
    world = await awsWorld(emulators);
  });
  afterAll(async () => {
    await world.close();
    await emulators.stop();
  });

  /** Tells the story once for every request in it, losing that one's answer. */
  async function forEveryRequest(tries: number, how: "lost" | "silent" = "lost"): Promise<number> {
    const requests: string[] = [];
    const onAnswered = ({ name }: AwsRequest, n: number) => {
      requests[n - 1] = name;
    };
    const watched = await world.openBehind({ onAnswered }, { workerId: "watched", tries });
    await tell(new Story(world), watched, `${how}-${tries}-0`);
    for (const [at, name] of requests.entries()) {
      // Not a write: what it took out of the queue comes again by itself unless it was deleted in time.
      if (name === "ReceiveMessage") continue;
      const lost = at + 1;
      const sender = `${how}-${tries}-${lost}`;
      const story = new Story(world);
      const fate = how === "silent" ? "keep-silent" : lost % 2 === 0 ? "lose-answer" : "answer-500";
      const onRequest = (_: AwsRequest, n: number): Fate => (n === lost ? fate : "pass");
      // Silence has no event: only time passes.
      const onSilence = (_: AwsRequest, n: number) => {
        if (how === "silent" && n === lost) void world.clock.advance(SILENCE_MS);
      };
      const engine = await world.openBehind(
        { onRequest, onAnswered: onSilence },
        { workerId: `${how}-${lost}`, tries, more: { retrying: { baseMs: 0, requestMsMax: SILENCE_MS } } },
      );
      await tell(story, engine, sender);
      const turns = await story.check(engine, sender);
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
