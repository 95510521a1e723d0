import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { StoreUnavailable } from "../errors.ts";
import type { Responder, Turn } from "../ports/responder.ts";
import { createService } from "../runtime/create-service.ts";
import type { Service } from "../runtime/service.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { type Fault, withFaults } from "../testing/fault-engine.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import { againSeconds, BatchRun } from "./batch-run.ts";
import { budgetOf } from "./deadline.ts";
import type { SqsRecord } from "./invocation.ts";

interface Given {
  readonly respond: Responder;
  readonly fault?: Fault;
  readonly concurrency?: number;
  readonly retryForSeconds?: number;
}

/** Due messages of some people, a function's invocations, and what the queue was told about its messages. */
async function invoked({ respond, fault = () => "pass", ...limits }: Given) {
  const clock = fakeClock();
  const channel = testChannel();
  const logged: string[] = [];
  const shown: [id: string, seconds: number][] = [];
  const hidden: string[][] = [];
  const removed: string[] = [];
  const service = createService({
    engine: withFaults(memory(), fault, () => new StoreUnavailable("the store is away")),
    channels: { test: channel },
    window: { seconds: 0 },
    limits: { concurrency: 50, ...limits },
    respond,
    clock,
    random: () => 0.5,
    log: () => {},
  });
  const visibility = {
    keepHidden(records: ReadonlySet<SqsRecord>, everyMs: number) {
      const beat = () => {
        hidden.push([...records].map(({ messageId }) => messageId));
        cancel = clock.after(everyMs, beat);
      };
      let cancel = clock.after(everyMs, beat);
      return () => cancel();
    },
    showAfter: async ({ messageId }: SqsRecord, seconds: number) => void shown.push([messageId, seconds]),
    async remove({ messageId }: SqsRecord) {
      removed.push(messageId);
      if (messageId === "stuck") await never();
    },
  };
  async function receive(sender: string, id = sender): Promise<string> {
    await service.receive("test", testWebhook(testMessage({ providerId: id, sender, text: id })));
    const { items } = await (await service.engine()).inspector.conversations({ limit: 1, search: sender });
    return items[0]!.id;
  }
  /** Gives the ids of the records that failed. */
  async function invoke(
    records: readonly SqsRecord[],
    remainingMs = 60_000,
    lull: Pick<Service, "wake" | "settings"> = service,
  ): Promise<string[]> {
    const log = (_level: string, event: string) => void logged.push(event);
    const budget = budgetOf(remainingMs, lull.settings);
    const run = new BatchRun({ lull, visibility, budget, log, clock, trace: (_name, work) => work() });
    const ended = await Promise.allSettled(records.map((record) => run.handle(record)));
    run.end();
    return records.filter((_, at) => ended[at]!.status === "rejected").map(({ messageId }) => messageId);
  }
  return { clock, channel, lull: service, logged, shown, hidden, removed, receive, invoke };
}

function record(messageId: string, conversationId: string, receives = 1): SqsRecord {
  return {
    messageId,
    receiptHandle: `handle-${messageId}`,
    body: JSON.stringify({ conversation_id: conversationId }),
    attributes: { ApproximateReceiveCount: String(receives) },
  };
}

const never = () => new Promise<string>(() => {});

describe("a batch", () => {
  it("wakes each conversation once, however many triggers it holds", async () => {
    const turns: Turn[] = [];
    const at = await invoked({
      respond: (turn) => {
        turns.push(turn);
        return "hello";
      },
    });
    const [ana, ben] = [await at.receive("ana"), await at.receive("ben")];
    const failed = await at.invoke([record("1", ana), record("2", ben), record("3", ana), record("4", ana)]);
    expect(failed).toEqual([]);
    expect(turns).toHaveLength(2);
    expect(at.channel.outbox.map(({ to }) => to).sort()).toEqual(["ana", "ben"]);
  });

  it("tells the worker through whose queue a trigger came", async () => {
    const at = await invoked({ respond: () => "hello" });
    const told: unknown[] = [];
    const lull = {
      settings: at.lull.settings,
      async wake(...[, , trigger]: Parameters<Service["wake"]>) {
        told.push(trigger?.channel);
        return "busy" as const;
      },
    };
    await at.invoke(
      [{ ...record("1", "c"), body: '{"conversation_id":"c","channel":"whatsapp"}' }],
      60_000,
      lull,
    );
    expect(told).toEqual(["whatsapp"]);
  });

  it("is done with a trigger when its turn is over, and does not wait for the queue to agree", async () => {
    const slow = Promise.withResolvers<string>();
    const at = await invoked({ respond: ({ text }) => (text === "ben" ? slow.promise : "hello") });
    const [ana, ben, cyd] = [await at.receive("ana"), await at.receive("ben"), await at.receive("cyd")];
    const invocation = at.invoke([record("1", ana), record("stuck", cyd), record("2", ben)]);
    await at.clock.settle();
    expect(at.removed.sort()).toEqual(["1", "stuck"]);
    slow.resolve("there you are");
    expect(await invocation).toEqual([]);
    // The event source deletes the rest when the invocation ends: the last trigger needs no request of its
    // own.
    expect(at.removed).not.toContain("2");
  });

  it("with a poisoned trigger fails that one alone, and at once", async () => {
    const at = await invoked({ respond: () => "hello" });
    const ana = await at.receive("ana");
    const poisoned = ["", "poison", "{}", "[]", "null", '{"conversation_id":7}'].map((body, n) => ({
      ...record(`p${n}`, ""),
      body,
    }));
    const failed = await at.invoke([...poisoned, record("good", ana)]);
    expect(failed).toEqual(poisoned.map(({ messageId }) => messageId));
    expect(at.channel.outbox).toHaveLength(1);
    expect(at.logged.filter((event) => event === "trigger.unreadable")).toHaveLength(poisoned.length);
    expect(at.shown).toEqual(failed.map((id) => [id, 0]));
  });

  it("reports every trigger of a conversation that could not be taken, and no other", async () => {
    let takes = 0;
    const at = await invoked({
      respond: () => "hello",
      fault: (name) => (name === "turns.take" && ++takes === 1 ? "fail-before" : "pass"),
    });
    const [ana, ben] = [await at.receive("ana"), await at.receive("ben")];
    const failed = await at.invoke([record("1", ana, 2), record("2", ben), record("3", ana)]);
    expect(failed).toEqual(["1", "3"]);
    expect(at.channel.outbox.map(({ to }) => to)).toEqual(["ben"]);
    expect(at.shown).toEqual([
      ["1", 15],
      ["3", 5],
    ]);
    expect(await at.invoke([record("1", ana, 3)])).toEqual([]);
    expect(at.channel.outbox).toHaveLength(2);
  });

  it("reports a turn that the store left in the air", async () => {
    const at = await invoked({
      respond: () => "hello",
      fault: (name) => (/turns\.(draft|release|renew)/.test(name) ? "fail-before" : "pass"),
    });
    const ana = await at.receive("ana");
    const failed = at.invoke([record("1", ana)], 300_000);
    await at.clock.advance(120_000);
    expect(await failed).toEqual(["1"]);
  });

  it("reports no trigger that came too early, had no conversation, or found the lease held", async () => {
    const at = await invoked({ respond: never });
    const ana = await at.receive("ana");
    const running = at.invoke([record("1", ana)], 900_000);
    await at.clock.settle();
    expect(await at.invoke([record("2", ana), record("3", "no-such-id")])).toEqual([]);
    await at.clock.advance(900_000);
    await running;
  });
});

describe("near its deadline a function", () => {
  it("gives back what it began, reports nothing, and the next one answers once", async () => {
    const turns: Turn[] = [];
    const at = await invoked({
      respond: (turn) => {
        turns.push(turn);
        return turns.length === 1 ? never() : "hello";
      },
    });
    const ana = await at.receive("ana");
    // It began after others, so its answer has not had the whole time.
    const run = new BatchRun({
      lull: at.lull,
      visibility: { keepHidden: () => () => {}, showAfter: async () => {}, remove: async () => {} },
      budget: { ...budgetOf(60_000, at.lull.settings), stopMs: 20_000 },
      log: () => {},
      clock: at.clock,
      trace: (_name, work) => work(),
    });
    const handled = run.handle(record("1", ana));
    await at.clock.advance(20_000);
    await handled;
    run.end();
    expect(turns[0]!.signal.aborted).toBe(true);
    expect((await (await at.lull.engine()).inspector.counts()).leases).toBe(0);
    expect(await at.invoke([record("2", ana)])).toEqual([]);
    expect(at.channel.outbox).toHaveLength(1);
    expect(turns[1]!.attempt).toBe(1);
  });

  it("counts an answer that had all of its time", async () => {
    const at = await invoked({ respond: never, retryForSeconds: 200 });
    const ana = await at.receive("ana");
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const failed = at.invoke([record(String(attempt), ana)], 60_000);
      await at.clock.advance(60_000);
      expect(await failed).toEqual([]);
      await at.clock.advance(60_000);
    }
    await at.invoke([record("last", ana)]);
    expect((await (await at.lull.engine()).inspector.counts()).dead).toBe(1);
  });

  it("begins nothing more: what had no place comes at once, to another function", async () => {
    const at = await invoked({ respond: never, concurrency: 1 });
    const people = await Promise.all(["ana", "ben", "cyd"].map((sender) => at.receive(sender)));
    const run = at.invoke(
      people.map((id, n) => record(String(n + 1), id)),
      10_000,
    );
    await at.clock.advance(10_000);
    expect(await run).toEqual(["3"]);
    expect(at.shown).toEqual([["3", 0]]);
  });

  it("reports what hangs, and its neighbours are done", async () => {
    let drafts = 0;
    const at = await invoked({
      respond: () => "hello",
      fault: (name) => (name === "turns.draft" && ++drafts === 1 ? "hang" : "pass"),
    });
    const [ana, ben] = [await at.receive("ana"), await at.receive("ben")];
    const run = at.invoke([record("1", ana), record("2", ben)], 10_000);
    await at.clock.advance(10_000);
    expect(await run).toEqual(["1"]);
    expect(at.channel.outbox.map(({ to }) => to)).toEqual(["ben"]);
    expect(at.logged).toEqual(["trigger.failed"]);
    // There is no time to tell the queue.
    expect(at.shown).toEqual([]);
  });
});

it("while turns run their triggers are hidden, and only theirs", async () => {
  const at = await invoked({ respond: (turn) => (turn.text === "slow" ? never() : "hello") });
  const [slow, quick] = [await at.receive("ana", "slow"), await at.receive("ben", "quick")];
  const run = at.invoke([record("slow", slow), record("quick", quick)], 900_000);
  await at.clock.advance(40_000);
  expect(at.hidden).toEqual([["slow"], ["slow"]]);
  await at.clock.advance(900_000);
  await run;
  const beats = at.hidden.length;
  await at.clock.advance(900_000);
  expect(at.hidden).toHaveLength(beats);
});

it("no more turns at once than the limit says", async () => {
  let running = 0;
  let most = 0;
  const at = await invoked({
    concurrency: 3,
    respond: async () => {
      running += 1;
      most = Math.max(most, running);
      await at.clock.sleep(1_000);
      running -= 1;
      return "hello";
    },
  });
  const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => at.receive(`person-${n}`)));
  const run = at.invoke(ids.map((id, n) => record(String(n), id)));
  await at.clock.advance(10_000);
  expect(await run).toEqual([]);
  expect(most).toBe(3);
  expect(at.channel.outbox).toHaveLength(10);
});

it("a trigger that failed comes again soon, then later and later", () => {
  const after = [1, 2, 3, 4, 5, 6, 50].map((receives) => againSeconds(record("1", "c", receives)));
  expect(after).toEqual([5, 15, 45, 135, 405, 900, 900]);
  expect(againSeconds({ messageId: "1", receiptHandle: "h", body: "" })).toBe(5);
});
