import { afterEach, describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { StoreUnavailable } from "../errors.ts";
import type { Reply } from "../model/reply.ts";
import type { EngineProvider } from "../ports/engine.ts";
import type { Turn } from "../ports/responder.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { type Fault, withFaults } from "../testing/fault-engine.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import { createService } from "./create-service.ts";
import type { Service } from "./service.ts";

const ATTEMPTS_MAX = 3;
const BACKOFF_MS = 1_000;

interface Asked {
  readonly turn: Turn;
  readonly reply: (reply: Reply) => void;
  readonly fail: (error: Error) => void;
}

/** One store, and processes on it that live and die one after the other. */
function fixture() {
  const clock = fakeClock();
  const engine = memory();
  const channel = testChannel();
  const alive: Service[] = [];

  const start = async (provider: EngineProvider = engine) => {
    const asked: Asked[] = [];
    const logged: string[] = [];
    const service = createService({
      engine: provider,
      clock,
      random: () => 0.5,
      window: { seconds: 1 },
      limits: { attemptsMax: ATTEMPTS_MAX, backoffSeconds: BACKOFF_MS / 1_000, leaseSeconds: 600 },
      log: (_level, event) => void logged.push(event),
      channels: { test: channel },
      respond: (turn) => new Promise((reply, fail) => asked.push({ turn, reply, fail })),
    });
    alive.push(service);
    return { service, asked, logged };
  };

  return {
    clock,
    engine,
    channel,
    start,
    alive,
    /** A process that takes everything due and dies of it. Its leases are free at once. */
    async dieOfWhatIsDue() {
      let isDead = false;
      const { service, asked } = await start(
        withFaults(
          engine,
          () => (isDead ? "hang" : "pass"),
          () => new Error("dead"),
        ),
      );
      alive.splice(alive.indexOf(service), 1);
      await service.start();
      await clock.advance(BACKOFF_MS);
      isDead = true;
      const next = await start();
      await (await next.service.engine()).sweeping.freeLeases(service.workerId);
      return asked.map(({ turn }) => turn.attempt);
    },
  };
}

type Fixture = ReturnType<typeof fixture>;
let at: Fixture;
afterEach(async () => {
  for (const service of at.alive) {
    void service.stop(0);
    await at.clock.advance(1);
  }
});

async function write(senders: readonly string[]): Promise<void> {
  const { service } = await at.start();
  for (const sender of senders) {
    await service.receive("test", testWebhook(testMessage({ providerId: sender, sender, text: sender })));
  }
}

describe("turns that were there when one process after the other died", () => {
  it("run together after the first death, and alone in their last attempt", async () => {
    at = fixture();
    await write(["ana", "ben", "cleo"]);
    expect(await at.dieOfWhatIsDue()).toEqual([1, 1, 1]);
    expect(await at.dieOfWhatIsDue()).toEqual([2, 2, 2]);

    const { service, asked, logged } = await at.start();
    await service.start();
    for (const count of [1, 2, 3]) {
      await at.clock.advance(5 * BACKOFF_MS);
      expect(asked).toHaveLength(count);
      asked.at(-1)!.reply("hello");
    }
    await at.clock.advance(1);
    // Standing aside does not count as an attempt.
    expect(asked.map(({ turn }) => turn.attempt)).toEqual([3, 3, 3]);
    expect(logged).toContain("turn.set-aside");
    expect(at.channel.outbox.map(({ to }) => to).sort()).toEqual(["ana", "ben", "cleo"]);
    expect(await (await service.engine()).inspector.counts()).toMatchObject({ dead: 0, turns: 3 });
  });

  it("do not hold up turns that were not there", async () => {
    at = fixture();
    await write(["ana", "ben"]);
    await at.dieOfWhatIsDue();
    await at.dieOfWhatIsDue();
    const { service, asked } = await at.start();
    await service.start();
    await at.clock.advance(1);
    await write(["dora", "emil"]);
    await at.clock.advance(1_000);
    expect(asked.map(({ turn }) => turn.attempt).sort()).toEqual([1, 1, 3]);
  });

  it("are no suspects once an attempt of theirs ended with an error: it killed no process", async () => {
    at = fixture();
    await write(["ana", "ben"]);
    const { service, asked } = await at.start();
    await service.start();
    await at.clock.advance(1_000);
    for (const { fail } of asked.splice(0)) fail(new Error("no idea"));
    await at.clock.advance(BACKOFF_MS);
    expect(asked.map(({ turn }) => turn.attempt)).toEqual([2, 2]);
    for (const { fail } of asked.splice(0)) fail(new Error("no idea"));
    await at.clock.advance(5 * BACKOFF_MS);
    expect(asked.map(({ turn }) => turn.attempt)).toEqual([3, 3]);
  });
});

describe("a wake-up for one conversation", () => {
  async function twoSuspects(fault: Fault = () => "pass") {
    at = fixture();
    await write(["ana", "ben"]);
    await at.dieOfWhatIsDue();
    await at.dieOfWhatIsDue();
    const process = await at.start(withFaults(at.engine, fault, () => new StoreUnavailable("away")));
    const { items } = await (await process.service.engine()).inspector.conversations({ limit: 2 });
    const [first, second] = items.map(({ id }) => id);
    return { ...process, first: first!, second: second! };
  }

  it("stands aside while another suspect runs in the same process", async () => {
    const { service, asked, first, second } = await twoSuspects();
    const waking = service.wake(first);
    await at.clock.settle();
    expect(await service.wake(second)).toBe("turn");
    expect(asked).toHaveLength(1);
    asked[0]!.reply("hello");
    expect(await waking).toBe("turn");
    await at.clock.advance(BACKOFF_MS);
    const again = service.wake(second);
    await at.clock.settle();
    expect(asked.map(({ turn }) => turn.attempt)).toEqual([3, 3]);
    asked[1]!.reply("hello");
    await again;
  });

  it("says that a worker has to look again when the store does not take it back", async () => {
    const { service, asked, first, second } = await twoSuspects((name) =>
      name === "turns.release" ? "fail-before" : "pass",
    );
    const waking = service.wake(first);
    await at.clock.settle();
    expect(await service.wake(second)).toBe("abandoned");
    asked[0]!.reply("hello");
    await waking;
  });
});
