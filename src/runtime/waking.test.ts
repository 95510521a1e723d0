import { describe, expect, it } from "vitest";
import type { Tables } from "../engines/embedded/tables.ts";
import { memory } from "../engines/memory/index.ts";
import { memoryTables } from "../engines/memory/tables.ts";
import { StoreUnavailable } from "../errors.ts";
import type { LogFields } from "../model/log.ts";
import type { Responder, Turn } from "../ports/responder.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { type Fault, withFaults } from "../testing/fault-engine.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import type { LullConfig } from "./config.ts";
import { createService } from "./create-service.ts";
import type { Within } from "./worker.ts";

/** A service that takes no turns by itself, as in a function that a queue wakes. */
async function woken(
  respond: Responder,
  fault: Fault = () => "pass",
  { tables = memoryTables(), ...config }: Partial<LullConfig> & { readonly tables?: Tables } = {},
) {
  const clock = fakeClock();
  const channel = testChannel({ textMax: 10 });
  const logged: [string, LogFields | undefined][] = [];
  const service = createService({
    engine: withFaults(memory({ tables }), fault, () => new StoreUnavailable("the store is away")),
    channels: { test: channel },
    window: { seconds: 0 },
    respond,
    clock,
    random: () => 0.5,
    ...config,
    log: (_level, event, fields) => void logged.push([event, fields]),
  });
  await service.receive("test", testWebhook(testMessage()));
  const { inspector } = await service.engine();
  const id = (await inspector.conversations({ limit: 1 })).items[0]!.id;
  const told = (event: string) => logged.filter(([name]) => name === event).map(([, fields]) => fields);
  return { clock, channel, service, id, inspector, told };
}

function within(answerTimeoutMs = 20_000): Within & { readonly stop: () => void } {
  const stopping = new AbortController();
  return {
    stopping: stopping.signal,
    limits: { answerTimeoutMs, sendTimeoutMs: 5_000 },
    stop: () => stopping.abort(),
  };
}

describe("a turn within the time of the caller that woke it", () => {
  it("is released uncounted when that time is over, and a later wake-up answers it", async () => {
    const turns: Turn[] = [];
    const at = await woken((turn) => {
      turns.push(turn);
      return turns.length === 1 ? new Promise(() => {}) : `attempt ${turn.attempt}`;
    });
    const time = within();
    const first = at.service.wake(at.id, time);
    await at.clock.advance(10_000);
    time.stop();
    expect(await first).toBe("turn");
    expect(turns[0]!.signal.aborted).toBe(true);
    expect((await at.inspector.counts()).leases).toBe(0);
    expect(await at.service.wake(at.id, within())).toBe("turn");
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["attempt 1"]);
  });

  it("fails and counts when its answer had the whole time: so would the next attempt", async () => {
    const at = await woken(() => new Promise(() => {}));
    const waking = at.service.wake(at.id, within(20_000));
    await at.clock.advance(20_000);
    expect(await waking).toBe("turn");
    expect(at.told("turn.retry")).toMatchObject([{ attempt: 1, reason: expect.any(String) }]);
  });

  it("that has no time left does not ask the responder", async () => {
    let asked = 0;
    const at = await woken(() => {
      asked += 1;
      return "hello";
    });
    const time = within();
    time.stop();
    expect(await at.service.wake(at.id, time)).toBe("turn");
    expect(asked).toBe(0);
    await at.service.wake(at.id, within());
    expect(at.channel.outbox).toHaveLength(1);
  });

  it("is released between two parts of a reply, and the next holder sends only the rest", async () => {
    const at = await woken(() => "part one\n\npart two");
    const time = within();
    at.channel.behave((_outgoing, n) => {
      if (n === 1) time.stop();
      return { kind: "sent", providerId: `out-${n}` };
    });
    expect(await at.service.wake(at.id, time)).toBe("turn");
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["part one"]);
    expect(await at.service.wake(at.id, within())).toBe("turn");
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["part one", "part two"]);
    const detail = await at.inspector.conversation(at.id);
    expect(detail?.turns).toMatchObject([
      { outcome: "replied", attempts: 1, providerIds: ["out-1", "out-2"] },
    ]);
  });

  it("that is over when a turn ends begins none of those behind it", async () => {
    const at = await woken(() => "hello");
    await at.service.wake(at.id, within());
    for (const text of ["one", "two"])
      await at.service.say({ conversationId: at.id, text, id: text, author: "eva" });
    const time = within();
    at.channel.behave((_outgoing, n) => {
      time.stop();
      return { kind: "sent", providerId: `out-${n}` };
    });
    expect(await at.service.wake(at.id, time)).toBe("turn");
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["hello", "one"]);
    expect(await at.inspector.counts()).toMatchObject({ staged: 1, windows: 1, leases: 0 });
    expect(await at.service.wake(at.id, within())).toBe("turn");
    expect(at.channel.outbox.map(({ text }) => text)).toEqual(["hello", "one", "two"]);
    expect(at.told("lease.taken")).toMatchObject([{ attempt: 1 }, { attempt: 1 }, { attempt: 1 }]);
  });

  it("gives a send no longer than that time allows", async () => {
    const at = await woken(() => "hello");
    at.channel.behave(() => new Promise(() => {}));
    const waking = at.service.wake(at.id, within());
    await at.clock.advance(5_000);
    expect(await waking).toBe("turn");
    expect(at.told("send.in-doubt")).toHaveLength(1);
  });

  it("ends when the service stops, too", async () => {
    const at = await woken(() => new Promise(() => {}));
    const waking = at.service.wake(at.id, within());
    await at.clock.settle();
    const stopped = at.service.stop(0);
    await at.clock.advance(1);
    expect(await waking).toBe("turn");
    await stopped;
  });
});

describe("a wake-up says whether a worker has to look again:", () => {
  it("the store failed, and the lease could not even be released", async () => {
    const at = await woken(
      () => "hello",
      (name) => (/turns\.(draft|release|renew)/.test(name) ? "fail-before" : "pass"),
    );
    const waking = at.service.wake(at.id, within());
    await at.clock.advance(120_000);
    expect(await waking).toBe("abandoned");
    expect(at.told("turn.abandoned")).toHaveLength(1);
  });

  it("the lease ran out while the store was away", async () => {
    const at = await woken(
      () => new Promise(() => {}),
      (name) => (name === "turns.renew" ? "fail-before" : "pass"),
    );
    const waking = at.service.wake(at.id, within(600_000));
    await at.clock.advance(90_000);
    expect(await waking).toBe("abandoned");
  });

  it("not when a newer token stands: its holder continues", async () => {
    const at = await woken((turn) => (turn.attempt === 1 ? new Promise(() => {}) : "second"));
    const waking = at.service.wake(at.id, within(600_000));
    await at.clock.settle();
    const { sweeping } = await at.service.engine();
    await sweeping.freeLeases(at.service.workerId);
    await at.clock.advance(1);
    expect(await at.service.wake(at.id, within())).toBe("turn");
    await at.clock.advance(60_000);
    expect(await waking).toBe("turn");
    expect(at.told("lease.lost")).toHaveLength(1);
    expect(at.channel.outbox).toHaveLength(1);
  });
});

it("a wake-up that finds only a dead letter to make tells of it", async () => {
  const at = await woken(
    () => new Promise(() => {}),
    (name) => (/turns\.(release|renew)/.test(name) ? "fail-before" : "pass"),
  );
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const waking = at.service.wake(at.id, within());
    await at.clock.advance(120_000);
    await waking;
  }
  expect(await at.service.wake(at.id, within())).toBe("nothing");
  const { items } = await at.inspector.dead({ limit: 1 });
  const turn = expect.any(String);
  expect(at.told("turn.dead")).toMatchObject([{ conversation: at.id, turn, deadLetter: items[0]?.id }]);
  expect((await at.inspector.counts()).dead).toBe(1);
});

it("a wake-up for a conversation that is in other hands tells whose it is, and until when", async () => {
  const at = await woken(() => new Promise(() => {}));
  const time = within();
  const first = at.service.wake(at.id, time);
  await at.clock.advance(1);
  expect(await at.service.wake(at.id, within())).toBe("busy");
  const { lock } = (await at.inspector.conversation(at.id))!;
  const { untilAtMs, holder, takenAtMs: sinceAtMs } = lock!.lease!;
  expect(at.told("lease.busy")).toEqual([{ conversation: at.id, holder, sinceAtMs, untilAtMs }]);
  time.stop();
  await first;
});

it("a conversation that another system processes is told of, and so is one that it left behind", async () => {
  const tables = memoryTables();
  const at = await woken(() => "hello", undefined, { tables, honourStatus: true });
  const sinceAtMs = at.clock.nowMs();
  tables.conversations.put({ ...tables.conversations.get(at.id)!, status: "processing_reply" });
  expect(await at.service.wake(at.id, within())).toBe("later");
  const honoured = { conversation: at.id, sinceAtMs, againAtMs: sinceAtMs + 2_000 };
  expect(at.told("status.honoured")).toEqual([honoured]);
  expect(at.told("status.waiting")).toEqual([{ conversation: at.id, sinceAtMs }]);
  await at.clock.advance(2_000);
  expect(await at.service.wake(at.id, within())).toBe("later");
  expect([at.told("status.honoured").length, at.told("status.waiting").length]).toEqual([2, 1]);
  expect(at.told("status.stale")).toEqual([]);
  await at.clock.advance(598_000);
  expect(await at.service.wake(at.id, within())).toBe("turn");
  expect(at.told("status.stale")).toEqual([{ conversation: at.id, turn: expect.any(String) }]);
  expect(at.channel.outbox.map(({ text }) => text)).toEqual(["hello"]);
});
