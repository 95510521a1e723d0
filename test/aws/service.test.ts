import assert from "node:assert/strict";
import { afterAll, beforeAll, it, vi } from "vitest";
import { aws, createQueues, createTables } from "../../src/engines/aws/index.ts";
import type { Outgoing } from "../../src/ports/channel.ts";
import { createService } from "../../src/runtime/create-service.ts";
import type { Service } from "../../src/runtime/service.ts";
import { testChannel } from "../../src/testing/test-channel.ts";
import { eventually } from "../lull-process.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

/**
 * The whole service on the emulators in real time, set up by the environment alone, as a container on ECS
 * would be.
 */
describeOnEmulators("a long-running worker on AWS", (emulators) => {
  beforeAll(async () => {
    vi.stubEnv("AWS_REGION", "eu-west-1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
    vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", emulators.endpoint.dynamodb);
    vi.stubEnv("AWS_ENDPOINT_URL_SQS", emulators.endpoint.sqs);
    vi.stubEnv("LULL_TABLE_CONVERSATIONS", "people");
    await createTables();
    const queues = await createQueues({ channels: ["test"] });
    vi.stubEnv("LULL_QUEUE_DEFAULT", queues.default);
    vi.stubEnv("LULL_QUEUE_TEST", queues.test);
  });
  afterAll(() => void vi.unstubAllEnvs());

  function serviceOn(workerId: string): { service: Service; sent: readonly Outgoing[] } {
    const channel = testChannel();
    const service = createService({
      engine: aws(),
      channels: { test: channel },
      // Longer than three messages take to arrive on a busy machine.
      window: { seconds: 5 },
      respond: (turn) => `heard ${turn.messages.length}: ${turn.text}`,
      workerId,
    });
    return { service, sent: channel.outbox };
  }

  async function post(service: Service, sender: string, text: string): Promise<number> {
    const message = {
      providerId: `${sender}-${text}`,
      account: "a",
      address: "us",
      sender,
      replyTo: sender,
      text,
      media: [],
    };
    const body = Buffer.from(JSON.stringify([message]));
    return (await service.receive("test", { method: "POST", url: "http://test/", headers: {}, body })).status;
  }

  it("answers a burst once, woken by the queue, whichever worker received it", async () => {
    const [first, second] = [serviceOn("first"), serviceOn("second")];
    await first.service.start();
    await second.service.start();
    await (await first.service.engine()).ping();
    for (const text of ["hi", "a table", "for two"])
      assert.equal(await post(first.service, "ana", text), 200);
    for (const text of ["hello", "again"]) assert.equal(await post(second.service, "ben", text), 200);
    const sent = () => [...first.sent, ...second.sent].sort((a, b) => a.to.localeCompare(b.to));
    await eventually("both answers", async () => (sent().length >= 2 ? sent() : undefined));
    assert.deepEqual(
      sent().map(({ to, text }) => [to, text]),
      [
        ["ana", "heard 3: hi\na table\nfor two"],
        ["ben", "heard 2: hello\nagain"],
      ],
    );
    const { inspector } = await second.service.engine();
    await eventually("rest", async () => {
      const { staged, windows, leases } = await inspector.counts();
      return staged + windows + leases === 0 ? true : undefined;
    });
    assert.equal((await inspector.counts()).turns, 2);
    // Polls are aborted: a stop does not wait twenty seconds for a queue.
    await Promise.all([first.service.stop(1_000), second.service.stop(1_000)]);
    assert.equal(sent().length, 2);
  }, 30_000);
});
