import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import { aws, createQueues, createTables } from "../../src/engines/aws/index.ts";
import { lambdaHandlers } from "../../src/lambda/index.ts";
import { testChannel } from "../../src/testing/test-channel.ts";
import { eventually } from "../lull-process.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import { contextWith, pollOnce } from "./function.ts";

describe.skipIf(unavailable)("Lambda functions on the emulators", () => {
  let emulators: Emulators;
  beforeAll(async () => {
    emulators = await startEmulators();
  });
  afterAll(() => emulators.stop());

  it("answer a burst once", async () => {
    const clients = { dynamodb: emulators.dynamodb(), sqs: emulators.sqs() };
    await createTables({ tablePrefix: "burst-", clients });
    const queues = await createQueues({ prefix: "burst-", clients });
    const channel = testChannel();
    const handlers = lambdaHandlers({
      engine: aws({ tablePrefix: "burst-", queues, clients }),
      channels: { test: channel },
      window: { seconds: 1 },
      respond: (turn) => `heard ${turn.messages.length}: ${turn.text}`,
    });
    for (const text of ["hi", "a table", "for two"]) {
      const message = {
        providerId: text,
        account: "a",
        address: "us",
        sender: "ana",
        replyTo: "ana",
        text,
        media: [],
      };
      const event = {
        version: "2.0",
        rawPath: "/webhooks/test",
        rawQueryString: "",
        headers: { host: "abc.execute-api.eu-west-1.amazonaws.com" },
        requestContext: {
          stage: "$default",
          http: { method: "POST", path: "/webhooks/test", sourceIp: "192.0.2.1" },
        },
        body: Buffer.from(JSON.stringify([message])).toString("base64"),
        isBase64Encoded: true,
      };
      assert.equal((await handlers.webhook(event, contextWith(10_000))).statusCode, 200);
    }
    await eventually("the answer", async () => {
      await pollOnce(clients.sqs, queues.default!, handlers);
      return channel.outbox.length > 0 ? true : undefined;
    });
    assert.deepEqual(
      channel.outbox.map(({ text }) => text),
      ["heard 3: hi\na table\nfor two"],
    );
    await handlers.sweeper({}, contextWith(10_000));
  }, 30_000);
});
