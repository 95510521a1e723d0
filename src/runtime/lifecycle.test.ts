import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { sqlite } from "../engines/sqlite/index.ts";
import { StoreUnavailable } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Engine, EngineProvider } from "../ports/engine.ts";
import type { Responder } from "../ports/responder.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import { createService } from "./create-service.ts";
import { systemClock } from "./system-clock.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function onFile(writer: "thread" | "inline"): Promise<EngineProvider> {
  const folder = await mkdtemp(join(tmpdir(), "lull-restarting-"));
  folders.push(folder);
  return sqlite({ file: join(folder, "lull.db"), writer });
}

interface Given {
  readonly clock?: Clock;
  readonly respond?: Responder;
}

function living(engine: EngineProvider, given: Given = {}) {
  const clock = fakeClock();
  const channel = testChannel();
  const service = createService({
    engine,
    channels: { test: channel },
    window: { seconds: 1 },
    respond: () => "hello",
    log: () => {},
    clock,
    ...given,
  });
  let count = 0;
  const write = async () => {
    count += 1;
    const message = testMessage({ providerId: `${count}` });
    return (await service.receive("test", testWebhook(message))).status;
  };
  const stop = async () => {
    const stopping = service.stop(0);
    // Its grace is over at once, but "at once" is a time on this clock too.
    await clock.advance(1);
    await stopping;
  };
  return { clock, channel, service, write, stop };
}

/** An engine whose opening waits for the test, and that records who closed it. */
function slowToOpen() {
  const kept = memory();
  const { promise: mayOpen, resolve: letOpen } = Promise.withResolvers<void>();
  const { promise: opening, resolve: isOpening } = Promise.withResolvers<void>();
  const closed: Engine[] = [];
  const opened: Engine[] = [];
  const engine: EngineProvider = {
    name: "slow",
    async open(context) {
      isOpening();
      await mayOpen;
      const inner = await kept.open(context);
      const it: Engine = { ...inner, close: async () => void closed.push(it) };
      opened.push(it);
      return it;
    },
  };
  return { engine, opening, letOpen, opened, closed };
}

it("a service does not start on a store that cannot be written, and does once it can", async () => {
  const kept = memory();
  let mayWrite = false;
  const engine: EngineProvider = {
    name: "memory",
    async open(context) {
      const ping = async () => {
        if (!mayWrite) throw new StoreUnavailable("it can only be read");
      };
      return { ...(await kept.open(context)), ping };
    },
  };
  const { service } = living(engine);
  await expect(service.start()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  mayWrite = true;
  await service.start();
  await service.stop(0);
});

/** A service whose turn never ends by itself, and what became of its store. */
async function withEndlessTurn() {
  const kept = memory();
  const store: string[] = [];
  const engine: EngineProvider = {
    name: "watched",
    async open(context) {
      store.push("opened");
      const inner = await kept.open(context);
      return { ...inner, close: async () => void store.push("closed") };
    },
  };
  const at = living(engine, { respond: () => new Promise(() => {}) });
  await at.service.start();
  await at.write();
  await at.clock.advance(1_000);
  return { ...at, store };
}

describe("a turn that runs when its service is stopped", () => {
  it("has 25 seconds, where nothing else is said", async () => {
    const { service, clock, store } = await withEndlessTurn();
    const stopping = service.stop();
    await clock.advance(24_999);
    expect(store).toEqual(["opened"]);
    await clock.advance(1);
    expect(store).toEqual(["opened", "closed"]);
    await stopping;
  });

  it("has no longer once the service is to start again, which waits for it", async () => {
    const { service, clock, store, stop } = await withEndlessTurn();
    const stopping = service.stop(60_000);
    const starting = service.start();
    await clock.advance(24_999);
    expect(store).toEqual(["opened"]);
    await clock.advance(1);
    expect(store).toEqual(["opened", "closed", "opened"]);
    await Promise.all([stopping, starting]);
    await stop();
  });
});

describe("a service that was stopped", () => {
  it("acknowledges nothing, is not ready, and opens nothing", async () => {
    const at = living(memory());
    await at.service.start();
    await at.stop();
    expect(await at.write()).toBe(503);
    await expect(at.service.ready()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    await expect(at.service.engine()).rejects.toThrow("the service was stopped");
    await expect(at.service.wake("c")).rejects.toThrow("the service was stopped");
    await at.service.start();
    expect((await (await at.service.engine()).inspector.counts()).staged).toBe(0);
    await at.stop();
  });

  it("acknowledges nothing while its last turns end either", async () => {
    const at = living(memory());
    await at.service.start();
    const stopping = at.service.stop(10_000);
    expect(await at.write()).toBe(503);
    await at.clock.advance(10_000);
    await stopping;
  });

  it.each([
    ["memory", async () => memory()],
    ["sqlite", () => onFile("inline")],
  ] as const)("answers again once it is started again, also what waited before: %s", async (_, engine) => {
    const at = living(await engine());
    await at.service.start();
    expect(await at.write()).toBe(200);
    await at.stop();
    await at.service.start();
    await at.service.ready();
    await at.clock.advance(120_000);
    expect(at.channel.outbox).toHaveLength(1);
    expect(await at.write()).toBe(200);
    await at.clock.advance(120_000);
    expect(at.channel.outbox).toHaveLength(2);
    await at.stop();
  });

  it("answers again on a store with a thread of its own", { timeout: 30_000 }, async () => {
    const at = living(await onFile("thread"), { clock: systemClock });
    for (const _time of [1, 2]) {
      const { promise: answered, resolve } = Promise.withResolvers<void>();
      at.channel.behave((_outgoing, n) => {
        resolve();
        return { kind: "sent", providerId: `out-${n}` };
      });
      await at.service.start();
      expect(await at.write()).toBe(200);
      await answered;
      await at.service.stop();
    }
    expect(at.channel.outbox).toHaveLength(2);
  });

  it("opens its store once, however often it is told to start again", async () => {
    const { engine, letOpen, opened, closed } = slowToOpen();
    letOpen();
    const at = living(engine);
    await at.service.start();
    await at.stop();
    await Promise.all([at.service.start(), at.service.start()]);
    await at.service.start();
    expect(opened).toHaveLength(2);
    await at.stop();
    expect(closed).toEqual(opened);
  });

  it("closes what it was still opening, and does not start", async () => {
    const { engine, opening, letOpen, opened, closed } = slowToOpen();
    const at = living(engine);
    const starting = expect(at.service.start()).rejects.toThrow("the service was stopped");
    await opening;
    const stopping = at.stop();
    letOpen();
    await Promise.all([starting, stopping]);
    expect(opened).toHaveLength(1);
    expect(closed).toEqual(opened);
  });

  it("looks at no conversation that it was to wake while it was still opening", async () => {
    const { engine, opening, letOpen, opened, closed } = slowToOpen();
    const at = living(engine);
    const waking = expect(at.service.wake("c")).rejects.toThrow("the service was stopped");
    await opening;
    const stopping = at.stop();
    letOpen();
    await Promise.all([waking, stopping]);
    expect(closed).toEqual(opened);
  });

  it("opens nothing when it is stopped while it looks at its channels", async () => {
    const { engine, opened } = slowToOpen();
    const at = living(engine);
    const starting = expect(at.service.start()).rejects.toThrow("the service was stopped");
    await Promise.all([starting, at.stop()]);
    expect(opened).toEqual([]);
  });

  it("stays stopped when that was said last, however soon after the start", async () => {
    const at = living(memory());
    await at.service.start();
    const first = at.service.stop(10_000);
    const again = expect(at.service.start()).rejects.toThrow("the service was stopped");
    const second = at.service.stop(0);
    await at.clock.advance(1);
    await Promise.all([first, again, second]);
    expect(await at.write()).toBe(503);
  });
});
