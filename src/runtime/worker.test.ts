import { afterEach, describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { StoreUnavailable } from "../errors.ts";
import type { LogFields } from "../model/log.ts";
import type { Reply } from "../model/reply.ts";
import type { DueTurns, EngineProvider } from "../ports/engine.ts";
import type { Responder, Turn } from "../ports/responder.ts";
import { aroundEngine } from "../testing/around-engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { type Fault, withFaults } from "../testing/fault-engine.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import type { LullConfig } from "./config.ts";
import { createService } from "./create-service.ts";
import type { Service } from "./service.ts";

const full = () => new StoreUnavailable("database or disk is full");

/** Several workers on one store, one clock and one channel: what one process after another would see. */
function fixture(config: Partial<LullConfig> = {}) {
  const clock = fakeClock();
  const channel = testChannel();
  const engine = memory();
  const logged: string[] = [];
  const services: Service[] = [];
  const worker = (provider: EngineProvider, respond: Responder): Service => {
    const service = createService({
      window: { seconds: 10 },
      random: () => 0.5,
      log: (_level, event) => void logged.push(event),
      ...config,
      engine: provider,
      respond,
      clock,
      channels: { test: channel, ...config.channels },
    });
    services.push(service);
    return service;
  };
  return { clock, channel, engine, logged, services, worker };
}

type Fixture = ReturnType<typeof fixture>;
let at: Fixture;
afterEach(async () => {
  for (const service of at.services) {
    void service.stop(0);
    await at.clock.advance(1);
  }
});

async function write(service: Service, sender: string, text: string, id = text): Promise<number> {
  const message = testMessage({ providerId: id, sender, text });
  return (await service.receive("test", testWebhook(message))).status;
}

function byHand() {
  const asked: { turn: Turn; reply: (reply: Reply) => void }[] = [];
  const respond: Responder = (turn) => new Promise((reply) => asked.push({ turn, reply }));
  return { asked, respond };
}

/** A process that can be killed: from then on nothing of it reaches the store. */
function mortal(engine: EngineProvider) {
  const life = { isDead: false };
  const fault: Fault = () => (life.isDead ? "hang" : "pass");
  return { life, provider: withFaults(engine, fault, full) };
}

describe("a worker that dies", () => {
  it("in the responder: another takes over when the lease lapses, without a new message", async () => {
    at = fixture();
    const { life, provider } = mortal(at.engine);
    const first = at.worker(provider, () => new Promise(() => {}));
    await first.start();
    await write(first, "ana", "hi");
    await at.clock.advance(10_000);
    life.isDead = true;
    const second = at.worker(at.engine, (turn) => `attempt ${turn.attempt}`);
    await second.start();
    await at.clock.advance(59_000);
    expect(at.channel.outbox).toEqual([]);
    await at.clock.advance(1_500);
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["attempt 2"]);
  });

  it("after the provider took the message: the channel is asked, the reply is not sent twice", async () => {
    at = fixture();
    const { life, provider } = mortal(at.engine);
    at.channel.reconcileWith(() => ({ kind: "sent", providerId: "SM1" }));
    at.channel.behave(() => {
      life.isDead = true;
      return { kind: "sent", providerId: "SM1" };
    });
    const first = at.worker(provider, () => "hello");
    await first.start();
    await write(first, "ana", "hi");
    await at.clock.advance(10_000);
    const second = at.worker(at.engine, () => "hello");
    await second.start();
    await at.clock.advance(120_000);
    expect(at.channel.outbox).toHaveLength(1);
    const { turns } = await (await second.engine()).inspector.counts();
    expect(turns).toBe(1);
  });

  it("that was only slow finds its lease taken, and sends nothing", async () => {
    at = fixture({ limits: { leaseSeconds: 60, answerTimeoutSeconds: 600 } });
    let isFrozen = false;
    const frozen: Fault = (name) => (isFrozen && /renew|takeDue/.test(name) ? "fail-before" : "pass");
    const { asked, respond } = byHand();
    const first = at.worker(withFaults(at.engine, frozen, full), respond);
    await first.start();
    await write(first, "ana", "hi");
    await at.clock.advance(10_000);
    isFrozen = true;
    const second = at.worker(at.engine, () => "from the second");
    await second.start();
    await at.clock.advance(62_000);
    asked[0]!.reply("from the first");
    await at.clock.advance(1_000);
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["from the second"]);
    expect(at.logged).toContain("lease.lost");
  });

  it("that finds its lease taken at the draft sends nothing", async () => {
    at = fixture();
    const { asked, respond } = byHand();
    const service = at.worker(at.engine, respond);
    await service.start();
    await write(service, "ana", "hi");
    await at.clock.advance(10_000);
    const engine = await service.engine();
    const { items } = await engine.inspector.conversations({ limit: 1 });
    await engine.conversations.erase(items[0]!.id);
    asked[0]!.reply("too late");
    await at.clock.advance(1_000);
    expect(at.channel.outbox).toEqual([]);
  });

  it("whose lease is taken while it answers is told at once", async () => {
    at = fixture({ limits: { answerTimeoutSeconds: 600 } });
    const { asked, respond } = byHand();
    const service = at.worker(at.engine, respond);
    await service.start();
    await write(service, "ana", "hi");
    await at.clock.advance(10_000);
    const engine = await service.engine();
    const { items } = await engine.inspector.conversations({ limit: 1 });
    await engine.conversations.erase(items[0]!.id);
    await at.clock.advance(20_000);
    expect(asked[0]!.turn.signal.aborted).toBe(true);
  });
});

describe("a worker whose clock jumps", () => {
  it("inside a send: a reply that went out after its deadline is told apart", async () => {
    at = fixture();
    let jumpedMs = 0;
    const jumping = { ...at.clock, nowMs: () => at.clock.nowMs() + jumpedMs };
    const logged: string[] = [];
    const service = createService({
      engine: at.engine,
      channels: { test: at.channel },
      window: { seconds: 10 },
      clock: jumping,
      log: (_level, event) => void logged.push(event),
      respond: () => "hello",
    });
    at.services.push(service);
    at.channel.behave(() => {
      jumpedMs = 20_000;
      return { kind: "sent", providerId: "SM1" };
    });
    await service.start();
    await write(service, "ana", "hi");
    await at.clock.advance(10_000);
    expect(logged).toContain("send.late");
    expect(logged).toContain("turn.committed");
  });
});

describe("messages that kill every worker that takes them", () => {
  it("are found out by attempts that no worker lived to report", async () => {
    at = fixture({ limits: { attemptsMax: 2 }, failureText: "we could not answer" });
    for (let n = 0; n < 2; n += 1) {
      const { life, provider } = mortal(at.engine);
      const service = at.worker(provider, () => {
        life.isDead = true;
        return new Promise(() => {});
      });
      await service.start();
      if (n === 0) await write(service, "ana", "poison");
      await at.clock.advance(61_000);
    }
    const healthy = at.worker(at.engine, () => "hello");
    await healthy.start();
    await at.clock.advance(61_000);
    expect(at.logged).toContain("turn.dead");
    const { items } = await (await healthy.engine()).inspector.dead({ limit: 10 });
    expect(items).toMatchObject([{ reason: "the worker died in every attempt", attempts: 2 }]);
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["we could not answer"]);
  });
});

describe("a store that is away for a while", () => {
  /** A worker whose calls to the store meet this. */
  async function startedBehind(fault: Fault, respond: Responder = () => "hello"): Promise<Service> {
    at = fixture();
    const service = at.worker(withFaults(at.engine, fault, full), respond);
    await service.start();
    return service;
  }

  it.each(["turns.draft", "turns.commit", "turns.release"])(
    "%s is tried again while the lease is ours",
    async (name) => {
      let failures = 0;
      const fault: Fault = (call) => (call === name && failures++ < 3 ? "fail-before" : "pass");
      let asked = 0;
      const respond: Responder = () => {
        asked += 1;
        if (name === "turns.release" && asked === 1) throw new Error("once");
        return "hello";
      };
      const service = await startedBehind(fault, respond);
      await write(service, "ana", "hi");
      await at.clock.advance(15_000);
      expect(at.channel.outbox.map(({ text }) => text)).toEqual(["hello"]);
      expect(asked).toBe(name === "turns.release" ? 2 : 1);
    },
  );

  it("that took the commit and could not say so: the reply is not sent again", async () => {
    let failures = 0;
    const fault: Fault = (call) => (call === "turns.commit" && failures++ === 0 ? "fail-after" : "pass");
    const service = await startedBehind(fault);
    await write(service, "ana", "hi");
    await at.clock.advance(300_000);
    expect(at.channel.outbox).toHaveLength(1);
  });

  it("for longer than the lease: the turn is abandoned and taken again later", async () => {
    let isAway = false;
    const fault: Fault = (call) => (isAway && call.startsWith("turns.") ? "fail-before" : "pass");
    const service = await startedBehind(fault, (turn) => {
      isAway = turn.attempt === 1;
      return "hello";
    });
    await write(service, "ana", "hi");
    await at.clock.advance(70_000);
    expect(at.channel.outbox).toEqual([]);
    expect(at.logged).toContain("worker.look-failed");
    expect(at.logged).toContain("turn.abandoned");
    isAway = false;
    await at.clock.advance(10_000);
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["hello"]);
  });

  it("for minutes: the log says so once a minute, with the number of failures", async () => {
    const told: LogFields[] = [];
    at = fixture({
      log: (_level, event, fields = {}) => {
        if (event === "worker.look-failed") told.push(fields);
      },
    });
    const fault: Fault = (call) => (call === "turns.takeDue" ? "fail-before" : "pass");
    await at.worker(withFaults(at.engine, fault, full), () => "hello").start();
    await at.clock.advance(119_000);
    const reason = expect.stringContaining("disk is full");
    expect(told).toEqual([
      { reason, failures: 1 },
      { reason, failures: expect.toSatisfy((failures: number) => failures > 50) },
    ]);
  });

  it("that broke for good does not loop: the error goes up and the turn comes back", async () => {
    at = fixture();
    let failures = 0;
    const fault: Fault = (call) => (call === "turns.draft" && failures++ === 0 ? "fail-before" : "pass");
    const service = at.worker(
      withFaults(at.engine, fault, () => new Error("a bug")),
      () => "hello",
    );
    await service.start();
    await write(service, "ana", "hi");
    await at.clock.advance(12_000);
    expect(at.channel.outbox).toHaveLength(1);
  });

  it("answers 503 and acknowledges nothing while staging fails", async () => {
    let isFull = true;
    const fault: Fault = (call) => (isFull && call === "receiving.stage" ? "fail-before" : "pass");
    const service = await startedBehind(fault);
    expect(await write(service, "ana", "hi")).toBe(503);
    isFull = false;
    expect(await write(service, "ana", "hi")).toBe(200);
    await at.clock.advance(10_000);
    expect(at.channel.outbox).toHaveLength(1);
  });

  it("that cannot be opened is tried again by the next caller", async () => {
    at = fixture();
    let isBroken = true;
    const provider: EngineProvider = {
      ...at.engine,
      open: (context) => (isBroken ? Promise.reject(full()) : at.engine.open(context)),
    };
    const service = at.worker(provider, () => "hello");
    expect(await write(service, "ana", "hi")).toBe(503);
    isBroken = false;
    expect(await write(service, "ana", "hi")).toBe(200);
  });

  it("a sweep that fails is logged, and the next one runs", async () => {
    let sweeps = 0;
    const fault: Fault = (call) => (call === "sweeping.sweep" && sweeps++ === 0 ? "fail-before" : "pass");
    await startedBehind(fault);
    await at.clock.advance(20_000);
    expect(at.logged).toContain("sweep.failed");
    expect(at.logged).toContain("sweep.done");
  });
});

describe("many conversations", () => {
  it("run at the same time, up to the limit; the rest follows as places get free", async () => {
    at = fixture({ limits: { concurrency: 2 } });
    const { asked, respond } = byHand();
    const service = at.worker(at.engine, respond);
    await service.start();
    for (const name of ["a", "b", "c"]) await write(service, name, `hi from ${name}`);
    await at.clock.advance(10_000);
    expect(asked).toHaveLength(2);
    asked[0]!.reply("one");
    await at.clock.advance(200);
    expect(asked).toHaveLength(3);
  });

  it("cut batches go on under the same lease until all is answered", async () => {
    at = fixture({ limits: { batchMessagesMax: 2 } });
    const sizes: number[] = [];
    const service = at.worker(at.engine, (turn) => {
      sizes.push(turn.messages.length);
      return "ok";
    });
    await service.start();
    for (const text of ["1", "2", "3", "4", "5"]) await write(service, "ana", text);
    await at.clock.advance(10_000);
    expect(sizes).toEqual([2, 2, 1]);
  });
});

describe("stopping", () => {
  it("lets running turns finish within the grace time, and takes no new ones", async () => {
    at = fixture();
    const { asked, respond } = byHand();
    const service = at.worker(at.engine, respond);
    await service.start();
    await write(service, "ana", "hi");
    await at.clock.advance(10_000);
    const stopped = service.stop(25_000);
    await at.clock.advance(5_000);
    asked[0]!.reply("hello");
    await at.clock.advance(1);
    await stopped;
    expect(at.channel.outbox).toHaveLength(1);
  });

  it("releases the lease when the grace time is over: the next process goes on at once", async () => {
    at = fixture();
    const { asked, respond } = byHand();
    const service = at.worker(at.engine, respond);
    await service.start();
    await write(service, "ana", "hi");
    await at.clock.advance(10_000);
    const stopped = service.stop(1_000);
    await at.clock.advance(1_000);
    await stopped;
    expect(asked[0]!.turn.signal.aborted).toBe(true);
    const next = at.worker(at.engine, (turn) => `attempt ${turn.attempt}`);
    await next.start();
    await at.clock.advance(200);
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["attempt 1"]);
  });

  it("begins nothing of what a limit left behind: the next process does, at once and uncounted", async () => {
    at = fixture({ limits: { batchMessagesMax: 1 } });
    const { asked, respond } = byHand();
    const service = at.worker(at.engine, respond);
    await service.start();
    for (const text of ["1", "2", "3"]) await write(service, "ana", text);
    await at.clock.advance(10_000);
    const stopped = service.stop(25_000);
    await at.clock.advance(1);
    asked[0]!.reply("one");
    await at.clock.advance(1);
    expect(asked).toHaveLength(1);
    await stopped;
    expect(at.logged.filter((event) => event === "lease.taken")).toHaveLength(1);
    const next = at.worker(at.engine, (turn) => `attempt ${turn.attempt}: ${turn.text}`);
    await next.start();
    await at.clock.advance(200);
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["one", "attempt 1: 2", "attempt 1: 3"]);
    expect(await (await next.engine()).inspector.counts()).toMatchObject({ staged: 0, turns: 3, dead: 0 });
  });

  it("puts back what its last look takes while it is stopped", async () => {
    at = fixture();
    const look = Promise.withResolvers<void>();
    const provider = aroundEngine(at.engine, () => async (name, _input, call) => {
      const answer = await call();
      if (name === "turns.takeDue" && (answer as DueTurns).outcomes.length > 0) await look.promise;
      return answer;
    });
    const { asked, respond } = byHand();
    const service = at.worker(provider, respond);
    await service.start();
    await write(service, "ana", "hi");
    await at.clock.advance(10_000);
    const stopped = service.stop(25_000);
    look.resolve();
    await at.clock.advance(1);
    expect(asked).toEqual([]);
    await stopped;
    await at.worker(at.engine, (turn) => `attempt ${turn.attempt}`).start();
    await at.clock.advance(200);
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["attempt 1"]);
  });

  it("may be asked for twice, and before anything was started", async () => {
    at = fixture();
    const service = at.worker(at.engine, () => "x");
    await service.stop();
    await service.stop();
  });
});

it("a turn that fails unexpectedly ends neither the process nor its neighbours", async () => {
  const told: string[] = [];
  at = fixture({
    log: (_level, event, fields) => {
      told.push(event);
      // A user's log function that throws.
      if (event === "lease.taken" && told.filter((each) => each === event).length === 1)
        throw new TypeError(`no ${String(fields?.conversation)}`);
    },
  });
  const service = at.worker(at.engine, () => "ok");
  await service.start();
  await write(service, "ana", "one");
  await write(service, "ben", "two");
  await at.clock.advance(10_000);
  expect(told).toContain("turn.abandoned");
  expect(at.channel.outbox).toHaveLength(1);
  await at.clock.advance(120_000);
  expect(at.channel.outbox.map(({ to }) => to).toSorted()).toEqual(["ana", "ben"]);
});
