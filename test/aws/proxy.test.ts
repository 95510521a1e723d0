import assert from "node:assert/strict";
import { GetItemCommand, PutItemCommand, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, it } from "vitest";
import type { Clients } from "../../tools/aws-local/emulators.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { conflict } from "./faults.ts";
import { type AwsProxy, type Fate, type ProxyOptions, startProxy } from "./proxy.ts";

describeOnEmulators("the proxy between an engine and the emulators", (emulators) => {
  let fixture: AwsFixture;
  let TableName: string;
  const proxies: AwsProxy[] = [];
  beforeAll(async () => {
    fixture = await awsFixture(emulators);
    TableName = `${fixture.options.tablePrefix}conversations-state`;
  });
  afterAll(async () => {
    for (const proxy of proxies) await proxy.close();
    await fixture.close();
  });

  const put = (clients: Clients, id: string) =>
    clients.dynamodb.send(new PutItemCommand({ TableName, Item: { conversation_id: { S: id } } }));

  async function isThere(id: string): Promise<boolean> {
    const Key = { conversation_id: { S: id } };
    const { Item } = await fixture.dynamodb.send(new GetItemCommand({ TableName, Key }));
    return Item !== undefined;
  }

  async function start(options: ProxyOptions): Promise<AwsProxy> {
    const proxy = await startProxy(emulators.endpoint, options);
    proxies.push(proxy);
    return proxy;
  }

  /** The error that a client without retries gets, for a fate of its first request. */
  async function metWith(fate: Fate, id: string): Promise<{ error: string | undefined; clients: Clients }> {
    const onRequest = (_: unknown, n: number): Fate => (n === 1 ? fate : "pass");
    const proxy = await start({ onRequest });
    const clients = emulators.clientsAt(proxy.url, { tries: 1 });
    const error = await put(clients, id).then(
      () => undefined,
      (met: Error & { code?: string }) => met.code ?? met.name,
    );
    return { error, clients };
  }

  it("refuses, cuts before, and cuts after a write took effect", async () => {
    assert.equal((await metWith("pass", "pass")).error, undefined);
    assert.equal((await metWith("reset", "reset")).error, "ECONNRESET");
    assert.equal((await metWith("lose-answer", "lost")).error, "ECONNRESET");
    assert.equal((await metWith("answer-500", "500")).error, "InternalServerError");
    assert.equal((await metWith({ error: "ThrottlingException" }, "slow")).error, "ThrottlingException");
    for (const id of ["pass", "lost", "500"]) assert.equal(await isThere(id), true, id);
    for (const id of ["reset", "slow"]) assert.equal(await isThere(id), false, id);
  });

  it("lets nothing through any more of a process that is dead", async () => {
    for (const fate of ["die-before", "die-after"] as const) {
      const { error, clients } = await metWith(fate, fate);
      assert.equal(error, "ProcessDied");
      await assert.rejects(put(clients, "afterwards"), { name: "ProcessDied" });
      assert.equal(await isThere(fate), fate === "die-after");
    }
    assert.equal(await isThere("afterwards"), false);
  });

  it("is tried again by the SDK itself, as AWS is", async () => {
    const fates: Fate[] = ["lose-answer", { error: "ThrottlingException" }];
    const proxy = await start({ onRequest: () => fates.shift() ?? "pass" });
    const { $metadata } = await put(emulators.clientsAt(proxy.url), "third time lucky");
    assert.equal($metadata.attempts, 3);
  });

  it("words a cancelled transaction as DynamoDB does", async () => {
    const proxy = await start({ onRequest: conflict });
    const { dynamodb } = emulators.clientsAt(proxy.url, { tries: 1 });
    const TransactItems = [{ Put: { TableName, Item: { conversation_id: { S: "never" } } } }];
    await assert.rejects(dynamodb.send(new TransactWriteItemsCommand({ TransactItems })), {
      name: "TransactionCanceledException",
      CancellationReasons: [{ Code: "TransactionConflict", Message: "made for a test" }],
    });
  });

  it("tells what took effect before its client hears of it, counted from 1", async () => {
    const told: string[] = [];
    const proxy = await start({
      onRequest: ({ service, name }, n) => {
        told.push(`${n} ${service} ${name}`);
        return "pass";
      },
      onAnswered: async (_, n) => void told.push(`${n} ${await isThere("told")}`),
    });
    await put(emulators.clientsAt(proxy.url), "told");
    assert.deepEqual(told, ["1 dynamodb PutItem", "1 true"]);
  });

  it("sends a trigger twice, and puts back into the queue what no caller received", async () => {
    const fates: Fate[] = ["twice", "lose-answer"];
    const proxy = await start({ onRequest: () => fates.shift() ?? "pass" });
    const { sqs } = emulators.clientsAt(proxy.url, { tries: 1 });
    const QueueUrl = fixture.options.queues?.default;
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "look" }));
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
    await assert.rejects(sqs.send(receive));
    const { Messages = [] } = await sqs.send(receive);
    assert.deepEqual(
      Messages.map(({ Body }) => Body),
      ["look", "look"],
    );
  });
});
