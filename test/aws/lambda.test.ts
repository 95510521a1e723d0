import assert from "node:assert/strict";
import { afterEach, beforeEach, it, vi } from "vitest";
import { OTHER_REQUESTS_MAX } from "../../src/core/defaults.ts";
import type { Turn } from "../../src/ports/responder.ts";
import { eventually } from "../lull-process.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import {
  contextWith,
  type FunctionFixture,
  type FunctionFixtureOptions,
  functionFixture,
  get,
} from "./function-fixture.ts";

const HOUR_MS = 3_600_000;
const never = () => new Promise<string>(() => {});

describeOnEmulators("Lambda functions on the emulators", (emulators) => {
  let fixture: FunctionFixture;
  let lines: string[];
  beforeEach(() => {
    lines = [];
    vi.spyOn(process.stdout, "write").mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await fixture.close();
  });

  const open = async (options: FunctionFixtureOptions = {}) => {
    fixture = await functionFixture(emulators, options);
    return fixture;
  };
  const replies = () => fixture.channel.outbox.map(({ to, text }) => [to, text]);
  /** Everything that was told to CloudWatch, summed. */
  const metric = (name: string) =>
    lines
      .filter((line) => line.startsWith('{"_aws"'))
      .reduce((sum, line) => sum + Number(JSON.parse(line)[name] ?? 0), 0);

  it("say that they are ready without writing anything, and ask AWS once for a crowd", async () => {
    await open();
    const lull = fixture.instance();
    const ask = () => lull.webhook(get("/readyz"), contextWith(10_000));
    fixture.asked.length = 0;
    assert.equal((await ask()).statusCode, 200);
    const first = fixture.asked.splice(0).map(({ name }) => name);
    assert.deepEqual(first.sort(), ["GetItem", "GetQueueAttributes"]);
    for (const { statusCode } of await Promise.all(Array.from({ length: OTHER_REQUESTS_MAX }, ask)))
      assert.equal(statusCode, 200);
    assert.deepEqual(fixture.asked, []);
    await fixture.clock.advance(1_000);
    assert.equal((await ask()).statusCode, 200);
    assert.equal(fixture.asked.length, 2);
  });

  it("answer a burst once, and leave nothing behind", async () => {
    await open();
    const lull = fixture.instance();
    for (const text of ["hi", "a table", "for two"])
      assert.equal(await fixture.write(lull, "ana", text), 200);
    assert.equal(await fixture.write(lull, "ben", "hello"), 200);
    await fixture.passes(10_000);
    const { failed, records } = await fixture.poll(lull);
    assert.deepEqual([records.length, failed.length], [2, 0]);
    assert.deepEqual(replies().sort(), [
      ["ana", "heard 3: hi\na table\nfor two"],
      ["ben", "heard 1: hello"],
    ]);
    assert.equal((await fixture.inQueue()) + fixture.held.waiting.length, 0);
    assert.deepEqual(
      ["MessagesStaged", "LeasesTaken", "TurnsCommitted", "TurnsDead", "LeasesBusy"].map(metric),
      [4, 2, 2, 0, 0],
    );
  });

  it("take one turn for two triggers of a conversation in one batch", async () => {
    await open();
    const turns: Turn[] = [];
    const lull = fixture.instance({
      respond: (turn) => {
        turns.push(turn);
        return "hello";
      },
    });
    await fixture.write(lull, "ana", "hi");
    const [trigger] = fixture.held.waiting;
    await fixture.passes(10_000);
    // A second one: SQS delivers at least once.
    await fixture.send(trigger!.input.MessageBody!);
    const { records, failed } = await fixture.poll(lull);
    assert.deepEqual([records.length, failed.length], [2, 0]);
    assert.equal(turns.length, 1);
    assert.equal(metric("LeasesBusy"), 0);
    assert.equal((await fixture.inQueue()) + fixture.held.waiting.length, 0);
  });

  it("fail a poisoned message alone, tell it, and it ends with the queue's dead letters", async () => {
    await open();
    const lull = fixture.instance();
    await fixture.write(lull, "ana", "hi");
    await fixture.passes(10_000);
    await fixture.send("poison");
    const { records, failed } = await fixture.poll(lull);
    const poisoned = records.find(({ body }) => body === "poison")!;
    assert.equal(records.length, 2);
    assert.deepEqual(failed, [poisoned.messageId]);
    assert.deepEqual(replies(), [["ana", "heard 1: hi"]]);
    await eventually("the dead letters", async () => {
      await fixture.poll(lull);
      return (await fixture.inQueue("dead")) === 1 ? true : undefined;
    });
    assert.equal(await fixture.inQueue(), 0);
    assert.equal(fixture.told("trigger.unreadable").length, 5);
    assert.equal(metric("TriggersUnreadable"), 5);
  });

  it("report what the store could not take, and only that, and answer it once later", async () => {
    await open();
    const lull = fixture.instance();
    for (const sender of ["lucky", "unlucky"]) await fixture.write(lull, sender, "hi");
    const unlucky = fixture.held.waiting.at(-1)!;
    await fixture.passes(10_000);
    fixture.meet(({ name, input }) =>
      name === "UpdateItem" && JSON.stringify(input.Key).includes(unlucky.conversationId)
        ? { error: "ProvisionedThroughputExceededException" }
        : "pass",
    );
    const { records, failed } = await fixture.poll(lull);
    assert.deepEqual(
      failed,
      records.filter(({ body }) => body.includes(unlucky.conversationId)).map(({ messageId }) => messageId),
    );
    assert.deepEqual(replies(), [["lucky", "heard 1: hi"]]);
    // It comes again in seconds, not when the queue's own visibility is over.
    const changed = fixture.asked.filter(({ name }) => name === "ChangeMessageVisibility");
    assert.deepEqual(
      changed.map(({ input }) => input.VisibilityTimeout),
      [5],
    );
    fixture.meet(() => "pass");
    // The trigger that failed, once it is visible again.
    await fixture.send(records.find(({ messageId }) => failed.includes(messageId))!.body);
    await fixture.poll(lull);
    assert.deepEqual(replies().at(-1), ["unlucky", "heard 1: hi"]);
    assert.equal(replies().length, 2);
  });

  it("report a turn that hangs on the store, within their time, and its neighbours are done", async () => {
    await open();
    const lull = fixture.instance();
    for (const sender of ["lucky", "unlucky"]) await fixture.write(lull, sender, "hi");
    const unlucky = fixture.held.waiting.at(-1)!;
    await fixture.passes(10_000);
    let isAsked = false;
    fixture.channel.behave(({ to }) => {
      isAsked ||= to === "unlucky";
      return { kind: "sent", providerId: `out-${to}` };
    });
    fixture.meet(({ service, input }) =>
      isAsked && service === "dynamodb" && JSON.stringify(input).includes(unlucky.conversationId)
        ? { delayMs: 5_000 }
        : "pass",
    );
    const timeoutMs = 2_000;
    const { records, failed, tookMs } = await fixture.poll(lull, { timeoutMs });
    assert.ok(tookMs < timeoutMs, `it took ${tookMs} ms`);
    const reported = records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body);
    assert.deepEqual(reported, [unlucky.input.MessageBody]);
    assert.equal(metric("TurnsCommitted"), 1);
  });

  it("give a slow answer back before they are killed, and a later one answers once", async () => {
    await open();
    const turns: Turn[] = [];
    const lull = fixture.instance({
      respond: (turn) => {
        turns.push(turn);
        return turns.length === 1 ? never() : `attempt ${turn.attempt}`;
      },
    });
    await fixture.write(lull, "ana", "hi");
    await fixture.passes(10_000);
    const timeoutMs = 2_000;
    const { failed, tookMs } = await fixture.poll(lull, { timeoutMs });
    assert.ok(tookMs < timeoutMs, `it took ${tookMs} ms`);
    // Nothing failed: its trigger is deleted, and the release has sent another.
    assert.deepEqual(failed, []);
    assert.equal(turns[0]!.signal.aborted, true);
    assert.equal(await fixture.inQueue(), 0);
    assert.equal(fixture.held.waiting.length, 1);
    await fixture.passes(1_000);
    await fixture.poll(fixture.instance({ respond: (turn) => `attempt ${turn.attempt}` }));
    assert.deepEqual(replies(), [["ana", "attempt 1"]]);
    await fixture.passes(10 * HOUR_MS);
    await fixture.poll(lull);
    assert.equal(replies().length, 1);
  });

  it("lose nothing if the mapping does not read what they report: the sweeper brings it back", async () => {
    await open();
    const lull = fixture.instance();
    await fixture.write(lull, "ana", "hi");
    await fixture.passes(10_000);
    fixture.meet(({ name }) => (name === "UpdateItem" ? { error: "ThrottlingException" } : "pass"));
    const { failed } = await fixture.poll(lull, { ignoresAnswer: true });
    assert.equal(failed.length, 1);
    assert.equal(await fixture.inQueue(), 0);
    fixture.meet(() => "pass");
    await fixture.passes(60_000);
    await lull.sweeper({}, contextWith(30_000));
    await fixture.passes(0);
    await fixture.poll(lull);
    assert.deepEqual(replies(), [["ana", "heard 1: hi"]]);
    // An overdue window, not a message without one.
    assert.equal(metric("Orphans"), 0);
  });

  it("send a trigger on while its window is longer than a queue can delay", async () => {
    await open({ config: { window: { seconds: 7_200 } } });
    const lull = fixture.instance();
    await fixture.write(lull, "ana", "hi");
    for (let at = 900_000; at < 2 * HOUR_MS; at += 900_000) {
      await fixture.passes(900_000);
      const { records, failed } = await fixture.poll(lull);
      assert.deepEqual([records.length, failed.length], [1, 0]);
      assert.deepEqual(replies(), []);
      assert.equal(fixture.held.waiting.length, 1);
    }
    await fixture.passes(900_000);
    await fixture.poll(lull);
    assert.deepEqual(replies(), [["ana", "heard 1: hi"]]);
    const delays = fixture.asked
      .filter(({ name }) => name === "SendMessage")
      .map(({ input }) => input.DelaySeconds);
    assert.equal(delays.length, 8);
    assert.ok(delays.every((seconds) => Number(seconds) <= 900));
  });

  it("hide a trigger for as long as its turn runs", async () => {
    await open({
      inRealTime: true,
      visibilitySeconds: 2,
      // Renewed, and hidden again, every second.
      config: { window: { seconds: 0 }, limits: { leaseSeconds: 3 } },
    });
    const answer = Promise.withResolvers<string>();
    const lull = fixture.instance({ respond: () => answer.promise });
    await fixture.write(lull, "ana", "hi");
    const running = fixture.poll(lull);
    const hides = () => fixture.asked.filter(({ name }) => name === "ChangeMessageVisibilityBatch").length;
    await eventually("some renewals", async () => (hides() >= 3 ? true : undefined));
    assert.deepEqual(await fixture.receiveRecords(), []);
    answer.resolve("hello");
    const { failed, tookMs } = await running;
    assert.ok(tookMs > 2_000, "its visibility would have been over");
    assert.deepEqual(failed, []);
    assert.equal(await fixture.inQueue(), 0);
    assert.equal(replies().length, 1);
  });

  it("tell dead letters on the way, and gauges with every sweep", async () => {
    await open({ config: { limits: { attemptsMax: 1 } } });
    const lull = fixture.instance({
      respond: (turn) => (turn.text === "slow" ? never() : Promise.reject(new Error("broken"))),
    });
    await fixture.write(lull, "ana", "hi");
    await fixture.passes(10_000);
    await fixture.poll(lull);
    assert.equal(metric("TurnsDead"), 1);
    lines = [];
    await lull.sweeper({}, contextWith(30_000));
    const gauges = ["DeadLetters", "UnknownSends", "StaleLeases", "LeaseHeldSecondsMax"];
    assert.deepEqual(gauges.map(metric), [1, 0, 0, 0]);
    assert.equal(lines.filter((line) => gauges.every((name) => line.includes(`"${name}":`))).length, 1);
  });

  it("sweep round after round while there is more, but only as long as there is time", async () => {
    await open({ defaults: { sweepRowsMax: 5 } });
    const lull = fixture.instance();
    for (let n = 0; n < 12; n += 1) await fixture.write(lull, `person-${n}`, "hi");
    await lull.sweeper({}, contextWith(30_000));
    assert.equal(fixture.told("sweep.done").length, 3);
    let remainingMs = 1_000;
    await lull.sweeper({}, { getRemainingTimeInMillis: () => (remainingMs -= 300) });
    assert.equal(fixture.told("sweep.done").length, 4);
    // Where it stopped is kept in the store: another function goes on from there.
    await fixture.instance().sweeper({}, contextWith(30_000));
    assert.equal(fixture.told("sweep.done").length, 6);
  });

  it("throw when a sweep fails: alarms on failed functions are made for that", async () => {
    await open();
    fixture.meet(({ name }) => (name === "Scan" ? { error: "AccessDeniedException" } : "pass"));
    await assert.rejects(fixture.instance().sweeper({}, contextWith(30_000)), /AWS does not let us use/);
  });
});
