import { fileURLToPath } from "node:url";
import { GetQueueAttributesCommand, SendMessageBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createQueues } from "../../src/engines/aws/index.ts";
import { describeOnEmulators } from "../../test/aws/describe-on-emulators.ts";
import { eventually } from "../../test/lull-process.ts";
import { REGION } from "./emulators.ts";
import { EventSource, failuresIn } from "./event-source.ts";
import { LocalFunction } from "./local-function.ts";

const HANDLERS = fileURLToPath(new URL("./sample-handlers.ts", import.meta.url));
/** What `createQueues` allows before a message is moved to the dead letters. */
const RECEIVES_MAX = 5;

interface Batch {
  readonly bodies: readonly string[];
  readonly pid: number;
  readonly records: readonly SQSRecord[];
}

describeOnEmulators("an event source on this machine", (emulators) => {
  let sqs: SQSClient;
  let fn: LocalFunction;
  let source: EventSource;
  let queueUrl: string;
  let batches: Batch[];
  let count = 0;
  beforeAll(async () => {
    sqs = emulators.sqs();
  });
  afterAll(async () => {
    sqs.destroy();
  });
  beforeEach(async () => {
    batches = [];
    count += 1;
    const prefix = `q${count}-`;
    queueUrl = (await createQueues({ prefix, visibilitySeconds: 1, clients: { sqs } })).default!;
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    fn = new LocalFunction({
      name: "batch",
      handler: `${HANDLERS}#batch`,
      env: { PATH, NODE_COMPILE_CACHE },
      timeoutMs: 5_000,
      instancesMax: 3,
      write: (line) => void (line.startsWith("{") && batches.push(JSON.parse(line))),
    });
    const options = { sqs, queueUrl, region: REGION, target: fn, concurrencyMax: 3, write: () => {} };
    source = new EventSource(options);
  });
  afterEach(async () => {
    await source.stop(Promise.resolve());
    await fn.stop(Promise.resolve());
  });

  const send = (...bodies: string[]) =>
    sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: bodies.map((MessageBody, at) => ({ Id: String(at), MessageBody })),
      }),
    );

  /** Everything in a queue: waiting, hidden, delayed. */
  async function inQueue(url: string): Promise<number> {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["All"] }),
    );
    const kinds = ["", "NotVisible", "Delayed"] as const;
    return kinds.reduce((sum, kind) => sum + Number(Attributes[`ApproximateNumberOfMessages${kind}`]), 0);
  }

  const times = (body: string) => batches.filter(({ bodies }) => bodies.includes(body)).length;
  const inDeadLetters = (messages: number) =>
    eventually("the dead letters", async () =>
      (await inQueue(`${queueUrl}-dead`)) === messages ? true : undefined,
    );

  it("hands over up to ten at once, as Lambda does, and deletes them", async () => {
    await send(...Array.from({ length: 10 }, (_, n) => `a${n}`));
    await send("b0", "b1");
    await source.start();
    await eventually("an empty queue", async () => ((await inQueue(queueUrl)) === 0 ? true : undefined));
    expect(batches.flatMap(({ bodies }) => bodies)).toHaveLength(12);
    expect(Math.max(...batches.map(({ bodies }) => bodies.length))).toBe(10);
    const [record] = batches[0]!.records;
    expect(record).toMatchObject({ eventSource: "aws:sqs", awsRegion: REGION });
    expect(record!.eventSourceARN).toMatch(/^arn:aws:sqs:/);
    expect(record!.attributes.ApproximateReceiveCount).toBe("1");
    expect(Number(record!.attributes.SentTimestamp)).toBeGreaterThan(0);
  });

  it("brings back only what was reported as failed, and after some tries it is a dead letter", async () => {
    await send("good", "fail this one", "fine");
    await source.start();
    await inDeadLetters(1);
    expect(await inQueue(queueUrl)).toBe(0);
    expect([times("good"), times("fine"), times("fail this one")]).toEqual([1, 1, RECEIVES_MAX]);
  });

  for (const [what, poison] of [
    ["throws", "throw"],
    ["gives a malformed answer", "malformed"],
    ["dies", "exit"],
  ] as const) {
    it(`brings all of a batch back when the function ${what}`, async () => {
      await send("good", poison);
      await source.start();
      await eventually("a second time", async () => (times(poison) >= 2 ? true : undefined));
      expect(times("good")).toBe(2);
    });
  }

  it("goes on with other batches while one takes its time, up to the maximum", async () => {
    await source.start();
    for (const body of ["slow", "slow", "slow", "slow"]) await send(body);
    await eventually("an empty queue", async () => ((await inQueue(queueUrl)) === 0 ? true : undefined));
    expect(new Set(batches.map(({ pid }) => pid)).size).toBeLessThanOrEqual(3);
  });

  it("understands an answer as Lambda does", () => {
    const ids = new Set(["a", "b"]);
    const answered = (payload: unknown) => failuresIn({ kind: "answer", payload }, ids);
    for (const nothing of [null, {}, { batchItemFailures: null }, { batchItemFailures: [] }]) {
      expect(answered(nothing)).toEqual(new Set());
    }
    expect(answered({ batchItemFailures: [{ itemIdentifier: "b" }] })).toEqual(new Set(["b"]));
    for (const identifier of ["", null, 7, "c"]) {
      expect(answered({ batchItemFailures: [{ itemIdentifier: identifier }] })).toBe("all");
    }
    expect(answered({ batchItemFailures: [{ id: "a" }] })).toBe("all");
    expect(answered("done")).toBe("all");
    expect(answered({ batchItemFailures: "a" })).toBe("all");
  });
});
