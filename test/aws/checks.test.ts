import assert from "node:assert/strict";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, it } from "vitest";
import { problems } from "../../src/engines/aws/dynamo/table-problems.ts";
import { BY_ACTIVITY, BY_ID, LISTED, TABLES, type TableName } from "../../src/engines/aws/dynamo/tables.ts";
import { type AwsOptions, aws } from "../../src/engines/aws/index.ts";
import { tableNames } from "../../src/engines/aws/options.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

type Attribute = [name: string, type: "S" | "N"];
interface Index {
  readonly name: string;
  readonly key: readonly string[];
  readonly carries?: readonly string[] | "all";
}

describeOnEmulators("tables that another hand made", (emulators) => {
  let fixture: AwsFixture;
  let count = 0;
  beforeAll(async () => {
    fixture = await awsFixture(emulators);
  });
  afterAll(() => fixture.close());

  const schema = ([partition, sort]: readonly string[]): CreateTableCommandInput["KeySchema"] => [
    { AttributeName: partition, KeyType: "HASH" },
    ...(sort === undefined ? [] : [{ AttributeName: sort, KeyType: "RANGE" as const }]),
  ];

  /** What the checks say of a table made by hand in place of ours. */
  async function wrongWith(
    table: TableName,
    made: { readonly attributes: Attribute[]; readonly key: readonly string[]; readonly indexes?: Index[] },
  ): Promise<string[]> {
    count += 1;
    const name = `by-hand-${count}`;
    const GlobalSecondaryIndexes = made.indexes?.map(({ name: IndexName, key, carries }) => ({
      IndexName,
      KeySchema: schema(key),
      Projection:
        carries === "all"
          ? { ProjectionType: "ALL" as const }
          : carries
            ? { ProjectionType: "INCLUDE" as const, NonKeyAttributes: [...carries] }
            : { ProjectionType: "KEYS_ONLY" as const },
    }));
    await fixture.dynamodb.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: made.attributes.map(([AttributeName, AttributeType]) => ({
          AttributeName,
          AttributeType,
        })),
        KeySchema: schema(made.key),
        ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes }),
      }),
    );
    const engine = await fixture.openWith(fixture.options.clients as never, `checker-${count}`, {
      tables: { [table]: name },
    });
    const findings = await engine.checks!();
    return findings.filter(({ verdict }) => verdict === "fail").map(({ detail }) => detail);
  }

  const attributes: Attribute[] = [
    ["primary_channel", "S"],
    ["conversation_id", "S"],
    ["task_complete", "N"],
    ["listing", "S"],
    ["listed_at", "S"],
  ];
  const key = ["primary_channel", "conversation_id"];
  const carries = TABLES.conversations.indexes![0]!.carries!;
  const activity: Index = { name: BY_ACTIVITY, key: ["primary_channel", "task_complete"], carries };
  const byId: Index = { name: BY_ID, key: ["conversation_id"] };
  const listed: Index = { name: LISTED, key: ["listing", "listed_at"] };

  it("as ours are well, whatever else their indexes carry", async () => {
    const indexes = [{ ...activity, carries: "all" as const }, { ...byId, carries: ["crm"] }, listed];
    assert.deepEqual(await wrongWith("conversations", { attributes, key, indexes }), []);
    for (const [table, definition] of Object.entries(TABLES)) {
      const TableName = tableNames(fixture.options)[table as TableName];
      const { Table } = await fixture.dynamodb.send(new DescribeTableCommand({ TableName }));
      assert.deepEqual(problems(Table!, definition), []);
      assert.deepEqual(problems({ ...Table!, KeySchema: Table!.KeySchema!.toReversed() }, definition), []);
    }
  });

  it("with an index of the right name and other keys are told", async () => {
    const indexes = [{ ...activity, key: ["task_complete", "primary_channel"] }, byId, listed];
    assert.deepEqual(await wrongWith("conversations", { attributes, key, indexes }), [
      `has an index ${BY_ACTIVITY} that has the key task_complete (N), primary_channel (S) ` +
        `instead of primary_channel (S), task_complete (N)`,
    ]);
  });

  it("with a key of another type are told", async () => {
    const texts = attributes.map(([name]): Attribute => [name, "S"]);
    assert.deepEqual(
      await wrongWith("conversations", { attributes: texts, key, indexes: [activity, byId, listed] }),
      [
        `has an index ${BY_ACTIVITY} that has the key primary_channel (S), task_complete (S) ` +
          `instead of primary_channel (S), task_complete (N)`,
      ],
    );
    const number: Attribute[] = [["conversation_id", "N"]];
    assert.deepEqual(await wrongWith("triggerLock", { attributes: number, key: ["conversation_id"] }), [
      "has the key conversation_id (N) instead of conversation_id (S)",
    ]);
  });

  it("with an index that carries too little are told", async () => {
    const [first, ...rest] = carries;
    const indexes = [{ ...activity, carries: rest }, byId, listed];
    assert.deepEqual(await wrongWith("conversations", { attributes, key, indexes }), [
      `has an index ${BY_ACTIVITY} that does not carry ${first}`,
    ]);
  });

  it("with an index that is still being made are told", async () => {
    const TableName = tableNames(fixture.options).state;
    const { Table } = await fixture.dynamodb.send(new DescribeTableCommand({ TableName }));
    const indexes = Table!.GlobalSecondaryIndexes!.map((index) => ({
      ...index,
      IndexStatus: "CREATING" as const,
    }));
    assert.deepEqual(problems({ ...Table!, GlobalSecondaryIndexes: indexes }, TABLES.state), [
      "has an index leased that is not ready: CREATING",
    ]);
  });
});

describeOnEmulators("what an engine finds of its surroundings", (emulators) => {
  let fixture: AwsFixture;
  beforeAll(async () => {
    fixture = await awsFixture(emulators);
  });
  afterAll(() => fixture.close());

  /** With the machine's time, unless another clock is given. */
  async function findings(given: Partial<AwsOptions> = {}, clock: Clock = systemClock): Promise<string[]> {
    const engine = await aws({ ...fixture.options, ...given }).open({ ...fixture.context("checker"), clock });
    const found = await engine.checks!();
    await engine.close();
    return found.map(({ check, verdict }) => `${verdict} ${check}`);
  }

  const WELL = ["ok AWS access", "ok tables", "ok queues", "ok clock"];

  it("is well where everything is", async () => {
    assert.deepEqual(await findings(), WELL);
  });

  it.each([-3_600_000, -10_000, 10_000, 3_600_000])("is told of a clock that is %i ms off", async (ms) => {
    const off: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + ms };
    assert.deepEqual(await findings({}, off), [...WELL.slice(0, 3), "warn clock"]);
  });

  it("names tables and queues that are not there", async () => {
    const gone = `${fixture.options.queues!.default}-gone`;
    assert.deepEqual(await findings({ tables: { seen: "nowhere" }, queues: { default: gone } }), [
      "ok AWS access",
      "fail table nowhere",
      "fail queue of channel default",
      "ok clock",
    ]);
  });

  it("tells once of credentials that are none", async () => {
    const credentials = () =>
      Promise.reject(Object.assign(new Error("none here"), { name: "CredentialsProviderError" }));
    const config = { region: "eu-west-1", credentials };
    const clients = {
      dynamodb: new DynamoDBClient({ ...config, endpoint: emulators.endpoint.dynamodb }),
      sqs: new SQSClient({ ...config, endpoint: emulators.endpoint.sqs }),
    };
    assert.deepEqual(await findings({ clients }), ["fail AWS access"]);
    clients.dynamodb.destroy();
    clients.sqs.destroy();
  });

  it("tells of a queue that hides triggers too shortly, and of one without dead letters", async () => {
    const sqs = emulators.sqs();
    const made = async (QueueName: string, Attributes: Record<string, string>) =>
      (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl!;
    const { default: ours } = fixture.options.queues!;
    const endless = await made("endless", { VisibilityTimeout: "10" });
    assert.deepEqual(await findings({ queues: { default: ours!, endless } }), [
      "ok AWS access",
      "ok tables",
      "warn queue of channel endless",
      "ok clock",
    ]);
    const hasty = await made("hasty", { VisibilityTimeout: "9" });
    assert.deepEqual((await findings({ queues: { hasty } })).slice(2, 4), [
      "warn queue of channel hasty",
      "warn queue of channel hasty",
    ]);
    const ordered = await made("ordered.fifo", { FifoQueue: "true" });
    assert.deepEqual((await findings({ queues: { ordered } })).slice(2, 4), [
      "fail queue of channel ordered",
      "warn queue of channel ordered",
    ]);
    sqs.destroy();
  });
});
