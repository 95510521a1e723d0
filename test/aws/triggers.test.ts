import assert from "node:assert/strict";
import { ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, it } from "vitest";
import { aws } from "../../src/engines/aws/index.ts";
import type { Engine } from "../../src/ports/engine.ts";
import type { LogFields } from "../../src/ports/log.ts";
import { seeded } from "../../src/testing/simulator/random.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import type { AwsRequest } from "./proxy.ts";
import { Story } from "./story.ts";
import { type AwsWorld, awsWorld } from "./world.ts";

interface Sent {
  readonly delaySeconds: number;
  readonly body: {
    readonly conversation_id: string;
    readonly primary_channel: string;
    readonly wake_at_ms: number;
  };
}

describe.skipIf(unavailable)("triggers", () => {
  let emulators: Emulators;
  beforeAll(async () => {
    emulators = await startEmulators();
  });
  afterAll(() => emulators.stop());

  async function watched(world: AwsWorld): Promise<{ engine: Engine; sent: Sent[] }> {
    const sent: Sent[] = [];
    const onAnswered = ({ name, input }: AwsRequest) => {
      if (name !== "SendMessage") return;
      sent.push({ delaySeconds: Number(input.DelaySeconds), body: JSON.parse(String(input.MessageBody)) });
    };
    const engine = await world.openBehind({ onAnswered });
    return { engine, sent };
  }

  it("carry the conversation and the customer's address, and are delayed by whole seconds, rounded up", async () => {
    const world = await awsWorld(emulators, { window: { kind: "fixed", lengthMs: 2_300 } });
    const { engine, sent } = await watched(world);
    const story = new Story(world);
    await story.receive("ana", engine);
    const [conversation] = (await engine.inspector.conversations({ limit: 1 })).items;
    assert.equal(sent.length, 1);
    assert.equal(sent[0]?.delaySeconds, 3);
    assert.equal(sent[0]?.body.conversation_id, conversation?.id);
    assert.equal(sent[0]?.body.primary_channel, "ana");
    await story.receive("ana", engine);
    assert.equal(sent.length, 1);
    await world.close();
  });

  it("for later than a queue can delay are sent on until the window is over", async () => {
    const hours = 3_600_000;
    const world = await awsWorld(emulators, { window: { kind: "fixed", lengthMs: 2 * hours } });
    const { engine, sent } = await watched(world);
    const story = new Story(world);
    await story.receive("ana", engine);
    for (let at = 0; at < 2 * hours - 900_000; at += 900_000) {
      await world.clock.advance(900_000);
      const outcomes = await world.takeDue(engine);
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ["later"],
      );
    }
    await world.clock.advance(900_000);
    await story.carryOutAll(engine, await world.takeDue(engine));
    assert.equal((await story.check(engine, "ana")).length, 1);
    assert.ok(sent.every(({ delaySeconds }) => delaySeconds <= 900));
    await world.close();
  });

  it("that come twice, in any order and long out of date make no second turn", async () => {
    const world = await awsWorld(emulators);
    const engines = [await world.open("one"), await world.open("two")] as const;
    const random = seeded(7);
    const ids = new Set<string>();
    const story = new Story(world);
    for (let round = 0; round < 6; round += 1) {
      for (const sender of ["ana", "ben"]) {
        await story.receive(sender, engines[round % 2]!);
      }
      for (const { id } of (await engines[0].inspector.conversations({ limit: 10 })).items) ids.add(id);
      await world.clock.advance(random.below(12_000));
      // Whatever was ever triggered is triggered again, now, and by both at once.
      const strays = [...ids, ...ids].sort(() => random.next() - 0.5);
      await Promise.all(
        strays.map(async (id, at) => {
          const engine = engines[at % 2]!;
          await story.carryOutAll(engine, [await engine.turns.take(id)]);
        }),
      );
    }
    await story.settles(engines[0]);
    for (const sender of ["ana", "ben"]) await story.check(engines[1], sender);
    assert.equal(story.orphans, 0);
    await world.close();
  });

  it("that nobody can read stay in the queue for its dead letters, and the others are taken", async () => {
    const world = await awsWorld(emulators);
    const told: [string, LogFields | undefined][] = [];
    const engine = await aws(world.options).open({
      ...world.context("worker"),
      log: (_level, event, fields) => told.push([event, fields]),
    });
    const plain = emulators.sqs();
    const QueueUrl = world.options.queues?.default;
    for (const MessageBody of ["poison", "{}", '{"conversation_id":7}']) {
      await plain.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    }
    const story = new Story(world);
    await story.receive("ana", engine);
    await world.clock.advance(10_000);
    await story.carryOutAll(engine, await world.takeDue(engine));
    await story.check(engine, "ana");
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
    await world.close();
  });

  it("go through the queue of their channel, and one worker hears all of them", async () => {
    const world = await awsWorld(emulators);
    const { createQueues } = await import("../../src/engines/aws/index.ts");
    const queues = await createQueues({
      prefix: `${world.options.tablePrefix}more-`,
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
    const engine = await aws({ ...world.options, queues, clients }).open({
      ...world.context("worker"),
      settings: { ...world.settings, window: { kind: "fixed", lengthMs: 0 } },
    });
    for (const channel of ["sms", "email", "other"]) {
      const message = { providerId: channel, account: "a", address: "us", sender: channel, replyTo: channel };
      const arrival = {
        ...message,
        channel,
        text: "hi",
        media: [],
        arrivedAtMs: world.clock.nowMs(),
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
    await world.close();
  });
});
