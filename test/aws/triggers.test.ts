import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  ChangeMessageVisibilityCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { it } from "vitest";
import { aws, createQueues } from "../../src/engines/aws/index.ts";
import { QueueTriggers } from "../../src/engines/aws/queue/triggers.ts";
import { RETRYING } from "../../src/engines/aws/retry.ts";
import type { LogFields } from "../../src/model/log.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { seeded } from "../../src/testing/simulator/random.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { CheckedService } from "./checked-service.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import type { AwsRequest, Fate } from "./proxy.ts";

interface Sent {
  readonly delaySeconds: number;
  readonly body: {
    readonly conversation_id: string;
    readonly wake_at_ms: number;
  };
}

async function watched(fixture: AwsFixture): Promise<{ engine: Engine; sent: Sent[] }> {
  const sent: Sent[] = [];
  const onAnswered = ({ name, input }: AwsRequest) => {
    if (name !== "SendMessage") return;
    sent.push({ delaySeconds: Number(input.DelaySeconds), body: JSON.parse(String(input.MessageBody)) });
  };
  const engine = await fixture.openBehind({ onAnswered });
  return { engine, sent };
}

describeOnEmulators("triggers that are sent", (emulators) => {
  it("carry the conversation and nothing of the person, delayed by whole seconds, rounded up", async () => {
    const fixture = await awsFixture(emulators, { window: { kind: "fixed", lengthMs: 2_300 } });
    const { engine, sent } = await watched(fixture);
    const service = new CheckedService(fixture);
    await service.receive("ana", engine);
    const [conversation] = (await engine.inspector.conversations({ limit: 1 })).items;
    assert.equal(sent.length, 1);
    assert.equal(sent[0]?.delaySeconds, 3);
    assert.equal(sent[0]?.body.conversation_id, conversation?.id);
    assert.deepEqual(Object.keys(sent[0]?.body ?? {}).sort(), [
      "channel",
      "conversation_id",
      "v",
      "wake_at_ms",
    ]);
    await service.receive("ana", engine);
    assert.equal(sent.length, 1);
    await fixture.close();
  });

  it("for later than a queue can delay are sent on until the window is over", async () => {
    const hours = 3_600_000;
    const fixture = await awsFixture(emulators, { window: { kind: "fixed", lengthMs: 2 * hours } });
    const { engine, sent } = await watched(fixture);
    const service = new CheckedService(fixture);
    await service.receive("ana", engine);
    for (let at = 0; at < 2 * hours - 900_000; at += 900_000) {
      await fixture.clock.advance(900_000);
      const outcomes = await fixture.takeDue(engine);
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ["later"],
      );
    }
    await fixture.clock.advance(900_000);
    await service.carryOutAll(engine, await fixture.takeDue(engine));
    assert.equal((await service.check(engine, "ana")).length, 1);
    assert.ok(sent.every(({ delaySeconds }) => delaySeconds <= 900));
    await fixture.close();
  });

  it("go through the queue of their channel, and one worker hears all of them", async () => {
    const fixture = await awsFixture(emulators);
    const queues = await createQueues({
      prefix: `${fixture.options.tablePrefix}more-`,
      channels: ["sms", "email"],
      clients: { sqs: emulators.sqs() },
    });
    const urls: string[] = [];
    const clients = { dynamodb: emulators.dynamodb(), sqs: emulators.sqs() };
    clients.sqs.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === "SendMessageCommand") urls.push((args.input as { QueueUrl: string }).QueueUrl);
          return next(args);
        },
      { step: "initialize" },
    );
    const engine = await aws({ ...fixture.options, queues, clients }).open({
      ...fixture.context("worker"),
      settings: { ...fixture.settings, window: { kind: "fixed", lengthMs: 0 } },
    });
    for (const channel of ["sms", "email", "other"]) {
      const message = { providerId: channel, account: "a", address: "us", sender: channel, replyTo: channel };
      const arrival = {
        ...message,
        channel,
        text: "hi",
        media: [],
        arrivedAtMs: fixture.clock.nowMs(),
        position: 0,
      };
      await engine.receiving.stage([{ arrival }]);
    }
    assert.deepEqual(urls, [queues.sms, queues.email, queues.default]);
    const taken: string[] = [];
    while (taken.length < 3) {
      const { outcomes } = await engine.turns.takeDue(10, new AbortController().signal);
      for (const outcome of outcomes)
        if (outcome.kind === "turn") taken.push(outcome.taken.conversation.sender);
    }
    assert.deepEqual(taken.sort(), ["email", "other", "sms"]);
    await engine.close();
    await fixture.close();
  });
});

describeOnEmulators("triggers that come", (emulators) => {
  it("and are done with are deleted while others of the same batch are still looked at", async () => {
    const fixture = await awsFixture(emulators);
    const calm = await fixture.open("calm");
    const service = new CheckedService(fixture);
    for (const sender of ["ana", "ben"]) await service.receive(sender, calm);
    await fixture.clock.advance(10_000);
    const stuck = Promise.withResolvers<void>();
    const deleted = Promise.withResolvers<unknown>();
    const bens = service.conversations.get("ben")!;
    const engine = await fixture.openBehind({
      async onRequest({ name, input }): Promise<Fate> {
        if (name === "DeleteMessageBatch") deleted.resolve(input.Entries);
        const isBens = name === "UpdateItem" && JSON.stringify(input).includes(bens);
        if (isBens) await stuck.promise;
        return "pass";
      },
    });
    await fixture.held.releaseDue(fixture.clock.nowMs());
    const taking = engine.turns.takeDue(10, new AbortController().signal);
    assert.equal(((await deleted.promise) as unknown[]).length, 1);
    stuck.resolve();
    const { outcomes } = await taking;
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["turn", "turn"],
    );
    const { Messages = [] } = await emulators
      .sqs()
      .send(new ReceiveMessageCommand({ QueueUrl: fixture.options.queues!.default, VisibilityTimeout: 0 }));
    assert.deepEqual(Messages, []);
    await fixture.close();
  }, 20_000);

  it("twice, in any order and long out of date make no second turn", async () => {
    const fixture = await awsFixture(emulators);
    const engines = [await fixture.open("one"), await fixture.open("two")] as const;
    const random = seeded(7);
    const ids = new Set<string>();
    const service = new CheckedService(fixture);
    for (let round = 0; round < 6; round += 1) {
      for (const sender of ["ana", "ben"]) {
        await service.receive(sender, engines[round % 2]!);
      }
      for (const { id } of (await engines[0].inspector.conversations({ limit: 10 })).items) ids.add(id);
      await fixture.clock.advance(random.below(12_000));
      // Whatever was ever triggered is triggered again, now, and by both at once.
      const strays = [...ids, ...ids].sort(() => random.next() - 0.5);
      await Promise.all(
        strays.map(async (id, at) => {
          const engine = engines[at % 2]!;
          await service.wake(engine, id);
        }),
      );
    }
    await service.settles(engines[0]);
    for (const sender of ["ana", "ben"]) await service.check(engines[1], sender);
    assert.equal(service.orphans, 0);
    await fixture.close();
  });

  it("unreadable stay in the queue for its dead letters, and the others are taken", async () => {
    const fixture = await awsFixture(emulators);
    const told: [string, LogFields | undefined][] = [];
    const engine = await aws(fixture.options).open({
      ...fixture.context("worker"),
      log: (_level, event, fields) => told.push([event, fields]),
    });
    const plain = emulators.sqs();
    const QueueUrl = fixture.options.queues?.default;
    for (const MessageBody of ["poison", "{}", '{"conversation_id":7}']) {
      await plain.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    }
    const service = new CheckedService(fixture);
    await service.receive("ana", engine);
    await fixture.clock.advance(10_000);
    await service.carryOutAll(engine, await fixture.takeDue(engine));
    await service.check(engine, "ana");
    assert.deepEqual(
      told.map(([event]) => event).filter((event) => event === "trigger.unreadable").length,
      3,
    );
    const { Messages } = await plain.send(
      new ReceiveMessageCommand({ QueueUrl, AttributeNames: ["All"], VisibilityTimeout: 0 }),
    );
    assert.equal(Messages, undefined, "they are hidden, not deleted");
    await engine.close();
    plain.destroy();
    await fixture.close();
  });
});

describeOnEmulators("triggers that were received and have no worker to take them", (emulators) => {
  const client = () => emulators.sqs();

  async function queuesFor(...channels: string[]) {
    const prefix = `${randomUUID().slice(0, 8)}-`;
    return createQueues({ prefix, channels, clients: { sqs: client() } });
  }

  function poller(queues: Record<string, string>): QueueTriggers {
    const options = { client: client(), queues, waitSeconds: 20, retrying: RETRYING, clock: systemClock };
    return new QueueTriggers({ ...options, log: () => {} });
  }

  async function trigger(triggers: QueueTriggers, conversationId: string, channel = "default") {
    await triggers.send({ conversationId, sender: "ana", channel }, systemClock.nowMs());
  }

  it("because the worker stopped meanwhile are another's at once, and cost no receive", async () => {
    const queues = await queuesFor();
    const [stopping, other] = [poller(queues), poller(queues)];
    const stop = new AbortController();
    const none = stopping.receive(10, stop.signal);
    stop.abort();
    assert.deepEqual(await none, []);
    // Its request is still open, and the next trigger is handed to it.
    const closing = stopping.close();
    await trigger(other, "c1");
    await closing;
    const [received] = await other.receive(10, new AbortController().signal);
    assert.equal(received?.conversationId, "c1");
    await client().send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: received!.queue,
        ReceiptHandle: received!.receipt,
        VisibilityTimeout: 0,
      }),
    );
    const { Messages } = await client().send(
      new ReceiveMessageCommand({ QueueUrl: received!.queue, MessageSystemAttributeNames: ["All"] }),
    );
    assert.equal(Messages?.[0]?.Attributes?.ApproximateReceiveCount, "2");
    await other.close();
  });

  it("because every place is taken go to a worker that has one", async () => {
    const queues = await queuesFor("sms");
    const [full, other] = [poller(queues), poller(queues)];
    await trigger(full, "c1", "default");
    await trigger(full, "c2", "sms");
    const first = await full.receive(1, new AbortController().signal);
    await full.done(first);
    const second = await other.receive(1, new AbortController().signal);
    assert.deepEqual([first, second].flatMap((all) => all.map((each) => each.conversationId)).sort(), [
      "c1",
      "c2",
    ]);
    await Promise.all([full.close(), other.close()]);
  });
});
