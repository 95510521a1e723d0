import assert from "node:assert/strict";
import { it } from "vitest";
import { OTHER_REQUESTS_MAX } from "../../src/http/defaults.ts";
import type { Turn } from "../../src/ports/responder.ts";
import { eventually } from "../lull-process.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { contextWith, get } from "./function-fixture.ts";
import { printingFunctions } from "./printing-functions.ts";

const HOUR_MS = 3_600_000;
const never = () => new Promise<string>(() => {});

describeOnEmulators("functions that are given triggers", (emulators) => {
  const at = printingFunctions(emulators);

  it("answer a burst once, and leave nothing behind", async () => {
    await at.open();
    const lull = at.fixture.instance();
    for (const text of ["hi", "a table", "for two"])
      assert.equal(await at.fixture.write(lull, "ana", text), 200);
    assert.equal(await at.fixture.write(lull, "ben", "hello"), 200);
    await at.fixture.passes(10_000);
    const { failed, records } = await at.fixture.poll(lull);
    assert.deepEqual([records.length, failed.length], [2, 0]);
    assert.deepEqual(at.replies().sort(), [
      ["ana", "heard 3: hi\na table\nfor two"],
      ["ben", "heard 1: hello"],
    ]);
    assert.equal((await at.fixture.inQueue()) + at.fixture.held.waiting.length, 0);
    assert.deepEqual(
      ["MessagesStaged", "LeasesTaken", "TurnsCommitted", "TurnsDead", "LeasesBusy"].map(at.metric),
      [4, 2, 2, 0, 0],
    );
  });

  it("take one turn for two triggers of a conversation in one batch", async () => {
    await at.open();
    const turns: Turn[] = [];
    const lull = at.fixture.instance({
      respond: (turn) => {
        turns.push(turn);
        return "hello";
      },
    });
    await at.fixture.write(lull, "ana", "hi");
    const [trigger] = at.fixture.held.waiting;
    await at.fixture.passes(10_000);
    // A second one: SQS delivers at least once.
    await at.fixture.send(trigger!.input.MessageBody!);
    const { records, failed } = await at.fixture.poll(lull);
    assert.deepEqual([records.length, failed.length], [2, 0]);
    assert.equal(turns.length, 1);
    assert.equal(at.metric("LeasesBusy"), 0);
    assert.equal((await at.fixture.inQueue()) + at.fixture.held.waiting.length, 0);
  });

  it("fail a poisoned message alone, tell it, and it ends with the queue's dead letters", async () => {
    await at.open();
    const lull = at.fixture.instance();
    await at.fixture.write(lull, "ana", "hi");
    await at.fixture.passes(10_000);
    await at.fixture.send("poison");
    const { records, failed } = await at.fixture.poll(lull);
    const poisoned = records.find(({ body }) => body === "poison")!;
    assert.equal(records.length, 2);
    assert.deepEqual(failed, [poisoned.messageId]);
    assert.deepEqual(at.replies(), [["ana", "heard 1: hi"]]);
    await eventually("the dead letters", async () => {
      await at.fixture.poll(lull);
      return (await at.fixture.inQueue("dead")) === 1 ? true : undefined;
    });
    assert.equal(await at.fixture.inQueue(), 0);
    assert.equal(at.fixture.told("trigger.unreadable").length, 5);
    assert.equal(at.metric("TriggersUnreadable"), 5);
  });

  it("report what the store could not take, and only that, and answer it once later", async () => {
    await at.open();
    const lull = at.fixture.instance();
    for (const sender of ["lucky", "unlucky"]) await at.fixture.write(lull, sender, "hi");
    const unlucky = at.fixture.held.waiting.at(-1)!;
    await at.fixture.passes(10_000);
    at.fixture.meet(({ name, input }) =>
      name === "UpdateItem" && JSON.stringify(input.Key).includes(unlucky.conversationId)
        ? { error: "ProvisionedThroughputExceededException" }
        : "pass",
    );
    const { records, failed } = await at.fixture.poll(lull);
    assert.deepEqual(
      failed,
      records.filter(({ body }) => body.includes(unlucky.conversationId)).map(({ messageId }) => messageId),
    );
    assert.deepEqual(at.replies(), [["lucky", "heard 1: hi"]]);
    // It comes again in seconds, not when the queue's own visibility is over.
    const changed = at.fixture.asked.filter(({ name }) => name === "ChangeMessageVisibility");
    assert.deepEqual(
      changed.map(({ input }) => input.VisibilityTimeout),
      [5],
    );
    at.fixture.meet(() => "pass");
    // The trigger that failed, once it is visible again.
    await at.fixture.send(records.find(({ messageId }) => failed.includes(messageId))!.body);
    await at.fixture.poll(lull);
    assert.deepEqual(at.replies().at(-1), ["unlucky", "heard 1: hi"]);
    assert.equal(at.replies().length, 2);
  });

  it("send a trigger on while its window is longer than a queue can delay", async () => {
    await at.open({ config: { window: { seconds: 7_200 } } });
    const lull = at.fixture.instance();
    await at.fixture.write(lull, "ana", "hi");
    for (let passedMs = 900_000; passedMs < 2 * HOUR_MS; passedMs += 900_000) {
      await at.fixture.passes(900_000);
      const { records, failed } = await at.fixture.poll(lull);
      assert.deepEqual([records.length, failed.length], [1, 0]);
      assert.deepEqual(at.replies(), []);
      assert.equal(at.fixture.held.waiting.length, 1);
    }
    await at.fixture.passes(900_000);
    await at.fixture.poll(lull);
    assert.deepEqual(at.replies(), [["ana", "heard 1: hi"]]);
    const delays = at.fixture.asked
      .filter(({ name }) => name === "SendMessage")
      .map(({ input }) => input.DelaySeconds);
    assert.equal(delays.length, 8);
    assert.ok(delays.every((seconds) => Number(seconds) <= 900));
  });

  it("hide a trigger for as long as its turn runs", async () => {
    await at.open({
      inRealTime: true,
      visibilitySeconds: 2,
      // Renewed, and hidden again, every second.
      config: { window: { seconds: 0 }, limits: { leaseSeconds: 3 } },
    });
    const answer = Promise.withResolvers<string>();
    const lull = at.fixture.instance({ respond: () => answer.promise });
    await at.fixture.write(lull, "ana", "hi");
    const running = at.fixture.poll(lull);
    const hides = () => at.fixture.asked.filter(({ name }) => name === "ChangeMessageVisibilityBatch").length;
    await eventually("some renewals", async () => (hides() >= 3 ? true : undefined));
    assert.deepEqual(await at.fixture.receiveRecords(), []);
    answer.resolve("hello");
    const { failed, tookMs } = await running;
    assert.ok(tookMs > 2_000, "its visibility would have been over");
    assert.deepEqual(failed, []);
    assert.equal(await at.fixture.inQueue(), 0);
    assert.equal(at.replies().length, 1);
  });
});

describeOnEmulators("functions whose time runs out", (emulators) => {
  const at = printingFunctions(emulators);

  it("report a turn that hangs on the store, within their time, and its neighbours are done", async () => {
    await at.open();
    const lull = at.fixture.instance();
    for (const sender of ["lucky", "unlucky"]) await at.fixture.write(lull, sender, "hi");
    const unlucky = at.fixture.held.waiting.at(-1)!;
    await at.fixture.passes(10_000);
    let isAsked = false;
    at.fixture.channel.behave(({ to }) => {
      isAsked ||= to === "unlucky";
      return { kind: "sent", providerId: `out-${to}` };
    });
    at.fixture.meet(({ service, input }) =>
      isAsked && service === "dynamodb" && JSON.stringify(input).includes(unlucky.conversationId)
        ? { delayMs: 5_000 }
        : "pass",
    );
    const timeoutMs = 2_000;
    const { records, failed, tookMs } = await at.fixture.poll(lull, { timeoutMs });
    assert.ok(tookMs < timeoutMs, `it took ${tookMs} ms`);
    const reported = records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body);
    assert.deepEqual(reported, [unlucky.input.MessageBody]);
    assert.equal(at.metric("TurnsCommitted"), 1);
  });

  it("give a slow answer back before they are killed, and a later one answers once", async () => {
    await at.open();
    const turns: Turn[] = [];
    const lull = at.fixture.instance({
      respond: (turn) => {
        turns.push(turn);
        return turns.length === 1 ? never() : `attempt ${turn.attempt}`;
      },
    });
    await at.fixture.write(lull, "ana", "hi");
    await at.fixture.passes(10_000);
    const timeoutMs = 2_000;
    const { failed, tookMs } = await at.fixture.poll(lull, { timeoutMs });
    assert.ok(tookMs < timeoutMs, `it took ${tookMs} ms`);
    // Nothing failed: its trigger is deleted, and the release has sent another.
    assert.deepEqual(failed, []);
    assert.equal(turns[0]!.signal.aborted, true);
    assert.equal(await at.fixture.inQueue(), 0);
    assert.equal(at.fixture.held.waiting.length, 1);
    await at.fixture.passes(1_000);
    await at.fixture.poll(at.fixture.instance({ respond: (turn) => `attempt ${turn.attempt}` }));
    assert.deepEqual(at.replies(), [["ana", "attempt 1"]]);
    await at.fixture.passes(10 * HOUR_MS);
    await at.fixture.poll(lull);
    assert.equal(at.replies().length, 1);
  });

  it("lose nothing if the mapping does not read what they report: the sweeper brings it back", async () => {
    await at.open();
    const lull = at.fixture.instance();
    await at.fixture.write(lull, "ana", "hi");
    await at.fixture.passes(10_000);
    at.fixture.meet(({ name }) => (name === "UpdateItem" ? { error: "ThrottlingException" } : "pass"));
    const { failed } = await at.fixture.poll(lull, { ignoresAnswer: true });
    assert.equal(failed.length, 1);
    assert.equal(await at.fixture.inQueue(), 0);
    at.fixture.meet(() => "pass");
    await at.fixture.passes(60_000);
    await lull.sweeper({}, contextWith(30_000));
    await at.fixture.passes(0);
    await at.fixture.poll(lull);
    assert.deepEqual(at.replies(), [["ana", "heard 1: hi"]]);
    // An overdue window, not a message without one.
    assert.equal(at.metric("Orphans"), 0);
  });
});

describeOnEmulators("functions that sweep, and tell how they are", (emulators) => {
  const at = printingFunctions(emulators);

  it("say that they are ready without writing anything, and ask AWS once for a crowd", async () => {
    await at.open();
    const lull = at.fixture.instance();
    const ask = () => lull.webhook(get("/readyz"), contextWith(10_000));
    at.fixture.asked.length = 0;
    assert.equal((await ask()).statusCode, 200);
    const first = at.fixture.asked.splice(0).map(({ name }) => name);
    assert.deepEqual(first.sort(), ["GetItem", "GetQueueAttributes"]);
    for (const { statusCode } of await Promise.all(Array.from({ length: OTHER_REQUESTS_MAX }, ask)))
      assert.equal(statusCode, 200);
    assert.deepEqual(at.fixture.asked, []);
    await at.fixture.clock.advance(1_000);
    assert.equal((await ask()).statusCode, 200);
    assert.equal(at.fixture.asked.length, 2);
  });

  it("tell dead letters on the way, and gauges with every sweep", async () => {
    await at.open({ config: { limits: { attemptsMax: 1 } } });
    const lull = at.fixture.instance({
      respond: (turn) => (turn.text === "slow" ? never() : Promise.reject(new Error("broken"))),
    });
    await at.fixture.write(lull, "ana", "hi");
    await at.fixture.passes(10_000);
    await at.fixture.poll(lull);
    assert.equal(at.metric("TurnsDead"), 1);
    at.lines.length = 0;
    await lull.sweeper({}, contextWith(30_000));
    const gauges = ["DeadLetters", "UnknownSends", "QuarantinedRows", "StaleLeases", "LeaseHeldSecondsMax"];
    assert.deepEqual(gauges.map(at.metric), [1, 0, 0, 0, 0]);
    assert.equal(at.lines.filter((line) => gauges.every((name) => line.includes(`"${name}":`))).length, 1);
  });

  it("sweep round after round while there is more, but only as long as there is time", async () => {
    await at.open({ defaults: { sweepRowsMax: 5 } });
    const lull = at.fixture.instance();
    for (let n = 0; n < 12; n += 1) await at.fixture.write(lull, `person-${n}`, "hi");
    await lull.sweeper({}, contextWith(30_000));
    assert.equal(at.fixture.told("sweep.done").length, 3);
    let remainingMs = 1_000;
    await lull.sweeper({}, { getRemainingTimeInMillis: () => (remainingMs -= 300) });
    assert.equal(at.fixture.told("sweep.done").length, 4);
    // Where it stopped is kept in the store: another function goes on from there.
    await at.fixture.instance().sweeper({}, contextWith(30_000));
    assert.equal(at.fixture.told("sweep.done").length, 6);
  });

  it("throw when a sweep fails: alarms on failed functions are made for that", async () => {
    await at.open();
    at.fixture.meet(({ name }) => (name === "Scan" ? { error: "AccessDeniedException" } : "pass"));
    await assert.rejects(at.fixture.instance().sweeper({}, contextWith(30_000)), /AWS does not let us use/);
  });
});
