import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, it } from "vitest";
import { aws } from "../../src/engines/aws/index.ts";
import { ConfigError, LullError, StoreUnavailable } from "../../src/errors.ts";
import { arrival } from "../../src/testing/engine-contract/builders.ts";
import { seeded } from "../../src/testing/simulator/random.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { CheckedService } from "./checked-service.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { Faults, THROTTLED } from "./faults.ts";
import type { AwsRequest, Fate } from "./proxy.ts";

/** Each round has few transactions, and which request meets what depends on their order: more, if need be. */
const ROUNDS = 12;
const ROUNDS_MAX = 60;
const TROUBLES = [
  "ProvisionedThroughputExceededException",
  "TransactionCanceledException",
  "lose-answer",
  "answer-500",
];

describeOnEmulators("trouble with AWS", (emulators) => {
  let fixture: AwsFixture;
  beforeAll(async () => {
    fixture = await awsFixture(emulators);
  });
  afterAll(() => fixture.close());

  it("throttling, conflicts and lost answers all the time cost time and nothing else", async () => {
    const faults = new Faults(seeded(42), 0.4);
    // Nearly half of all requests fail: more tries than any service on AWS would need.
    const more = { retrying: { attemptsMax: 30, baseMs: 0 } };
    const engine = await fixture.openBehind(
      { onRequest: faults.draw },
      { holder: "troubled", tries: 1, more },
    );
    const calm = await fixture.open("calm");
    const service = new CheckedService(fixture);
    const isMet = (kind: string) => (faults.met[kind] ?? 0) > 0;
    let rounds = 0;
    for (; rounds < ROUNDS || (rounds < ROUNDS_MAX && !TROUBLES.every(isMet)); rounds += 1) {
      for (const sender of ["ana", "ben"]) await service.receive(sender, engine, engine, engine);
      await fixture.clock.advance(10_000);
      await service.carryOutAll(engine, await fixture.takeDue(engine));
    }
    await service.settles(calm);
    for (const sender of ["ana", "ben"]) {
      const turns = await service.check(calm, sender);
      assert.equal(turns.length, rounds);
    }
    assert.equal(service.orphans, 0);
    for (const kind of TROUBLES) assert.ok(isMet(kind), `${kind} never happened`);
  }, 60_000);

  it("that does not pass is told to the caller, and nothing is acknowledged", async () => {
    const engine = await fixture.openBehind({ onRequest: () => THROTTLED });
    const message = arrival({ providerId: "never", arrivedAtMs: fixture.clock.nowMs() });
    await assert.rejects(engine.receiving.stage([{ arrival: message }]), (error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.equal(error.retry, "later");
      return true;
    });
    await assert.rejects(engine.ping(), StoreUnavailable);
  });

  it("one conversation that cannot be taken does not keep the others from their turns", async () => {
    const healthy = await fixture.open("healthy");
    const service = new CheckedService(fixture);
    for (const sender of ["lucky", "unlucky"]) await service.receive(sender, healthy);
    await fixture.clock.advance(10_000);
    const { items } = await healthy.inspector.conversations({ limit: 1, search: "unlucky" });
    const onRequest = ({ name, input }: AwsRequest): Fate =>
      name === "UpdateItem" && JSON.stringify(input).includes(items[0]!.id) ? THROTTLED : "pass";
    const engine = await fixture.openBehind({ onRequest });
    const outcomes = await fixture.takeDue(engine);
    const senders = outcomes.flatMap((outcome) =>
      outcome.kind === "turn" ? [outcome.taken.conversation.sender] : [],
    );
    assert.deepEqual(senders, ["lucky"]);
    await service.carryOutAll(engine, outcomes);
    await service.settles(healthy);
    await service.check(healthy, "unlucky");
  });

  it("a table or a queue that is not there is named", async () => {
    const noTables = await aws({ ...fixture.options, tablePrefix: "nowhere-" }).open(fixture.context("lost"));
    const message = arrival({ providerId: "x", arrivedAtMs: fixture.clock.nowMs() });
    await assert.rejects(noTables.receiving.stage([{ arrival: message }]), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /table nowhere-conversations.* does not exist/);
      return true;
    });
    await assert.rejects(noTables.ping(), /table nowhere-conversations-state does not exist/);
    const queues = { default: `${fixture.options.queues?.default}-gone` };
    const noQueue = await aws({
      ...fixture.options,
      queues,
      clients: { ...fixture.options.clients, sqs: emulators.sqs() },
    }).open(fixture.context("lost"));
    await assert.rejects(
      noQueue.receiving.stage([{ arrival: message }]),
      /queue of channel test does not exist/,
    );
    await assert.rejects(noQueue.ping(), ConfigError);
    await assert.rejects(noQueue.turns.takeDue(1, new AbortController().signal), ConfigError);
  });

  it("without any queue the engine says which setting is missing", async () => {
    await assert.rejects(
      aws({ ...fixture.options, queues: {} }).open(fixture.context("lost")),
      /LULL_QUEUE_DEFAULT/,
    );
  });

  it("credentials that AWS does not know are told apart from a store that is down", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      response.end(
        JSON.stringify({
          __type: "com.amazon.coral.service#UnrecognizedClientException",
          message: "The security token included in the request is invalid.",
        }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const credentials = { accessKeyId: "AKIAWRONG", secretAccessKey: "wrong-secret" };
    const dynamodb = new DynamoDBClient({ region: "eu-west-1", endpoint, credentials });
    const engine = await aws({ ...fixture.options, clients: { ...fixture.options.clients, dynamodb } }).open(
      fixture.context("stranger"),
    );
    await assert.rejects(engine.ping(), (error) => {
      assert.ok(error instanceof LullError);
      assert.equal(error.code, "INVALID_CONFIG");
      assert.match(error.message, /credentials/);
      assert.doesNotMatch(error.message, /AKIAWRONG|wrong-secret/);
      return true;
    });
    dynamodb.destroy();
    server.close();
  });
});
