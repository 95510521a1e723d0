import { fileURLToPath } from "node:url";
import { Duration, RemovalPolicy, type Stack } from "aws-cdk-lib";
import { Annotations, Match, Template } from "aws-cdk-lib/assertions";
import { AttributeType, Table } from "aws-cdk-lib/aws-dynamodb";
import { Key } from "aws-cdk-lib/aws-kms";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { describe, expect, test } from "vitest";
import { Lull } from "../../src/cdk/index.ts";
import { placeFrom } from "../../src/engines/aws/options.ts";
import { type KeyPart, TABLES } from "../../src/engines/aws/tables.ts";
import { statementsIn } from "./permissions.ts";
import { functionsOf, newStack, type Resource, resourcesOf, synthesise } from "./synthesis.ts";

const CHANNELS = ["whatsapp", "sms", "my-channel"];
const template = synthesise(() => ({ channels: CHANNELS, environment: { OPENAI_MODEL: "a-model" } }));

function all(type: string, of = template): Resource[] {
  return Object.values(resourcesOf(of, type));
}

function variablesOf(name: string, of = template): Record<string, unknown> {
  return functionsOf(of)[name]!.Properties.Environment.Variables;
}

/** The resource that a function's variable refers to. */
function behind(variable: string, of = template): Resource {
  const { Ref } = variablesOf("worker", of)[variable] as { Ref: string };
  return (of.toJSON().Resources as Record<string, Resource>)[Ref]!;
}

describe("the tables", () => {
  test.each(Object.entries(TABLES))("%s is as the engine has it", (_name, table) => {
    const { Properties } = behind(table.env);
    const keys = (of: KeyPart, sort: KeyPart | undefined) => [
      { AttributeName: of.name, KeyType: "HASH" },
      ...(sort ? [{ AttributeName: sort.name, KeyType: "RANGE" }] : []),
    ];
    expect(Properties.KeySchema).toEqual(keys(table.partitionKey, table.sortKey));
    const indexes = (table.indexes ?? []).map((index) => ({
      IndexName: index.name,
      KeySchema: keys(index.partitionKey, index.sortKey),
      Projection: index.carries
        ? { ProjectionType: "INCLUDE", NonKeyAttributes: index.carries }
        : { ProjectionType: "KEYS_ONLY" },
    }));
    expect(Properties.GlobalSecondaryIndexes ?? []).toEqual(indexes);
    const parts = [table, ...(table.indexes ?? [])].flatMap((each) => [each.partitionKey, each.sortKey]);
    const types = new Map(parts.flatMap((part) => (part ? [[part.name, part.type]] : [])));
    const defined = Properties.AttributeDefinitions as { AttributeName: string; AttributeType: string }[];
    expect(new Map(defined.map((each) => [each.AttributeName, each.AttributeType]))).toEqual(types);
    expect(Properties.TimeToLiveSpecification).toEqual(
      table.timeToLive === undefined ? undefined : { AttributeName: table.timeToLive, Enabled: true },
    );
  });

  test("cost what is used, can be wound back, are encrypted, and are not lost with the stack", () => {
    expect(all("AWS::DynamoDB::Table")).toHaveLength(6);
    for (const { Properties, DeletionPolicy } of all("AWS::DynamoDB::Table")) {
      expect(Properties).toMatchObject({
        BillingMode: "PAY_PER_REQUEST",
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
        DeletionProtectionEnabled: true,
      });
      expect(DeletionPolicy).toBe("Retain");
    }
  });

  test("go with the stack where that is wanted, and so do the logs", () => {
    const trial = synthesise(() => ({ removalPolicy: RemovalPolicy.DESTROY }));
    for (const { Properties, DeletionPolicy } of all("AWS::DynamoDB::Table", trial)) {
      expect(DeletionPolicy).toBe("Delete");
      expect(Properties.DeletionProtectionEnabled).toBe(false);
    }
    expect(all("AWS::Logs::LogGroup", trial).map((each) => each.DeletionPolicy)).not.toContain("Retain");
  });

  test("take a key of your own, which the functions may use through DynamoDB only", () => {
    const keyed = synthesise((stack) => ({ encryptionKey: new Key(stack, "Key") }));
    const [key] = Object.keys(resourcesOf(keyed, "AWS::KMS::Key"));
    const arn = { "Fn::GetAtt": [key, "Arn"] };
    for (const { Properties } of all("AWS::DynamoDB::Table", keyed)) {
      expect(Properties.SSESpecification).toEqual({ SSEEnabled: true, SSEType: "KMS", KMSMasterKeyId: arn });
    }
    keyed.hasResourceProperties("AWS::IAM::Policy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: Match.arrayWith(["kms:Decrypt"]),
            Resource: arn,
            Condition: { StringEquals: { "kms:ViaService": "dynamodb.eu-west-1.amazonaws.com" } },
          }),
        ]),
      },
    });
  });

  test("may be somebody else's: it is named and allowed, not made", () => {
    const shared = synthesise((stack) => ({
      tables: {
        conversations: Table.fromTableName(stack, "Theirs", "their-conversations"),
        seen: new Table(stack, "Own", { partitionKey: { name: "id", type: AttributeType.STRING } }),
      },
    }));
    expect(all("AWS::DynamoDB::Table", shared)).toHaveLength(5);
    expect(variablesOf("webhook", shared).LULL_TABLE_CONVERSATIONS).toBe("their-conversations");
    const resources = JSON.stringify(statementsIn(shared));
    expect(resources).toContain(":table/their-conversations");
    expect(resources).toContain(":table/their-conversations/index/active-by-primary-channel");
  });
});

describe("the queues", () => {
  test("are one for each channel and a default one, each with its dead letters", () => {
    expect(all("AWS::SQS::Queue")).toHaveLength(2 * (1 + CHANNELS.length));
    for (const variable of ["DEFAULT", "WHATSAPP", "SMS", "MY_CHANNEL"].map((name) => `LULL_QUEUE_${name}`)) {
      const { Properties } = behind(variable);
      expect(Properties.RedrivePolicy.maxReceiveCount).toBe(5);
      const dead = resourcesOf(template, "AWS::SQS::Queue")[
        Properties.RedrivePolicy.deadLetterTargetArn["Fn::GetAtt"][0]
      ]!.Properties;
      expect(dead.MessageRetentionPeriod).toBe(14 * 86_400);
      expect(dead.MessageRetentionPeriod).toBeGreaterThan(Properties.MessageRetentionPeriod);
      expect([Properties.SqsManagedSseEnabled, dead.SqsManagedSseEnabled]).toEqual([true, true]);
    }
  });

  test("refuse what comes without TLS", () => {
    expect(all("AWS::SQS::QueuePolicy")).toHaveLength(all("AWS::SQS::Queue").length);
    for (const { Properties } of all("AWS::SQS::QueuePolicy")) {
      expect(Properties.PolicyDocument.Statement).toMatchObject([
        { Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } },
      ]);
    }
  });

  test.each([undefined, Duration.seconds(30), Duration.seconds(900)])(
    "hide a trigger for six times the worker's timeout (%o)",
    (timeout) => {
      const timed = synthesise(() => (timeout ? { worker: { timeout } } : {}));
      const { Timeout } = functionsOf(timed).worker!.Properties;
      expect(Timeout).toBe(timeout?.toSeconds() ?? 180);
      expect(behind("LULL_QUEUE_DEFAULT", timed).Properties.VisibilityTimeout).toBe(6 * Timeout);
    },
  );

  test("feed the worker, which fails single triggers, and not more of them at once than said", () => {
    const fed = synthesise(() => ({ channels: ["sms"], worker: { concurrency: 7, batchSize: 3 } }));
    const [worker] = Object.entries(resourcesOf(fed, "AWS::Lambda::Function")).find(
      ([, { Properties }]) => Properties.Handler === "index.worker",
    )!;
    const feeds = all("AWS::Lambda::EventSourceMapping", fed);
    expect(feeds).toHaveLength(2);
    for (const { Properties } of feeds) {
      expect(Properties).toMatchObject({
        FunctionName: { Ref: worker },
        FunctionResponseTypes: ["ReportBatchItemFailures"],
        ScalingConfig: { MaximumConcurrency: 7 },
        BatchSize: 3,
      });
    }
  });

  test("have the names that the engine reads", () => {
    const env = Object.fromEntries(Object.keys(variablesOf("worker")).map((name) => [name, "x"]));
    expect(Object.keys(placeFrom({}, env).queues).sort()).toEqual([
      "default",
      "my-channel",
      "sms",
      "whatsapp",
    ]);
  });
});

describe("the functions", () => {
  test("run on Node 24 and arm64, are traced, and keep their logs for a month", () => {
    const groups = resourcesOf(template, "AWS::Logs::LogGroup");
    expect(Object.keys(functionsOf(template)).sort()).toEqual(["sweeper", "webhook", "worker"]);
    for (const { Properties } of Object.values(functionsOf(template))) {
      expect(Properties).toMatchObject({
        Runtime: "nodejs24.x",
        Architectures: ["arm64"],
        TracingConfig: { Mode: "Active" },
        MemorySize: 512,
      });
      expect(groups[Properties.LoggingConfig.LogGroup.Ref]!.Properties.RetentionInDays).toBe(30);
    }
  });

  test("are told their tables, their queues and their name, and what you say", () => {
    const expected = [
      ...Object.values(TABLES).map(({ env }) => env),
      ...["DEFAULT", "WHATSAPP", "SMS", "MY_CHANNEL"].map((name) => `LULL_QUEUE_${name}`),
      ...["LULL_ENGINE", "LULL_PUBLIC_URL", "NODE_OPTIONS", "OPENAI_MODEL", "POWERTOOLS_SERVICE_NAME"],
    ].sort();
    for (const name of ["webhook", "worker", "sweeper"]) {
      expect(Object.keys(variablesOf(name)).sort()).toEqual(expected);
      expect(variablesOf(name)).toMatchObject({ LULL_ENGINE: "aws", OPENAI_MODEL: "a-model" });
    }
  });

  test("know a public URL of their own, or the one that you give", () => {
    const [api] = Object.keys(resourcesOf(template, "AWS::ApiGatewayV2::Api"));
    expect(variablesOf("webhook").LULL_PUBLIC_URL).toEqual({ "Fn::GetAtt": [api, "ApiEndpoint"] });
    const named = synthesise(() => ({ environment: { LULL_PUBLIC_URL: "https://bot.example.com" } }));
    expect(variablesOf("webhook", named).LULL_PUBLIC_URL).toBe("https://bot.example.com");
  });

  test("may wake themselves again and again, where that is how it works", () => {
    const { webhook, worker, sweeper } = functionsOf(template);
    const loops = [webhook, worker, sweeper].map((each) => each!.Properties.RecursiveLoop);
    expect(loops).toEqual([undefined, "Allow", undefined]);
  });

  test("take memory and retention as said", () => {
    const sized = synthesise(() => ({
      memorySize: 256,
      worker: { memorySize: 1024 },
      logRetention: RetentionDays.ONE_WEEK,
    }));
    const { webhook, worker, sweeper } = functionsOf(sized);
    expect([webhook, worker, sweeper].map((each) => each!.Properties.MemorySize)).toEqual([256, 1024, 256]);
    expect(all("AWS::Logs::LogGroup", sized).map((each) => each.Properties.RetentionInDays)).toEqual(
      Array(4).fill(7),
    );
  });
});

describe("secrets", () => {
  const secret = (stack: Stack) => ({
    named: Secret.fromSecretNameV2(stack, "Named", "prod/twilio"),
    made: new Secret(stack, "Made"),
  });
  const kept = synthesise((stack) => {
    const { named, made } = secret(stack);
    return {
      secrets: {
        TWILIO_AUTH_TOKEN: { secret: named, key: "authToken" },
        OPENAI_API_KEY: made,
        LULL_API_TOKEN: { secret: named, key: "apiToken" },
      },
    };
  });

  test("are told by where they are", () => {
    const [made] = Object.keys(resourcesOf(kept, "AWS::SecretsManager::Secret"));
    for (const name of ["webhook", "worker", "sweeper"]) {
      expect(variablesOf(name, kept)).toMatchObject({
        TWILIO_AUTH_TOKEN_SECRET: "prod/twilio#authToken",
        LULL_API_TOKEN_SECRET: "prod/twilio#apiToken",
        OPENAI_API_KEY_SECRET: { Ref: made },
      });
      expect(variablesOf(name, kept)).not.toHaveProperty("OPENAI_API_KEY");
    }
  });

  test("may be read by the functions that talk to others, those secrets and no other", () => {
    const reading = statementsIn(kept).filter(({ actions }) =>
      actions.some((action) => action.startsWith("secretsmanager:")),
    );
    expect(reading.map(({ caller }) => caller).sort()).toEqual(["webhook", "worker"]);
    for (const { actions, resources } of reading) {
      expect(actions).toEqual(["secretsmanager:GetSecretValue"]);
      expect(resources).toHaveLength(2);
      expect(JSON.stringify(resources[0])).toContain(":secret:prod/twilio-??????");
    }
  });

  test("under a key of your own are decrypted through Secrets Manager only", () => {
    const keyed = synthesise((stack) => ({
      secrets: { WATI_TOKEN: new Secret(stack, "Made", { encryptionKey: new Key(stack, "Key") }) },
    }));
    keyed.hasResourceProperties("AWS::IAM::Policy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: "kms:Decrypt",
            Condition: { StringEquals: { "kms:ViaService": "secretsmanager.eu-west-1.amazonaws.com" } },
          }),
        ]),
      },
    });
  });

  test("that stand in the environment are warned about", () => {
    const stack = newStack();
    new Lull(stack, "Lull", { environment: { OPENAI_API_KEY: "k", OPENAI_MODEL: "m" } });
    const warnings = Annotations.fromStack(stack).findWarning(
      "*",
      Match.stringLikeRegexp("looks like a secret"),
    );
    expect(warnings.map(({ entry }) => String(entry.data).split(" ")[0])).toEqual(["OPENAI_API_KEY"]);
  });
});

describe("the roles", () => {
  test("allow no action and no resource at large, except for X-Ray, which knows no resources", () => {
    const statements = statementsIn(template);
    expect(statements.length).toBeGreaterThan(25);
    const atLarge = statements.filter(
      ({ actions, resources }) =>
        actions.some((action) => action.includes("*")) ||
        resources.some((resource) => resource === "*" || JSON.stringify(resource).includes("*")),
    );
    expect(new Set(atLarge.map(({ actions }) => actions.join()))).toEqual(
      new Set(["xray:PutTraceSegments,xray:PutTelemetryRecords"]),
    );
    expect(all("AWS::IAM::Policy")).toHaveLength(3);
    for (const { Properties } of all("AWS::IAM::Role")) {
      expect(Properties).not.toHaveProperty("ManagedPolicyArns");
      expect(Properties).not.toHaveProperty("Policies");
    }
  });

  test("let each function do to the queues what it does", () => {
    const allowed = statementsIn(template).filter(({ actions }) => actions[0]!.startsWith("sqs:"));
    const receiving = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility"];
    expect(Object.fromEntries(allowed.map(({ caller, actions }) => [caller, actions]))).toEqual({
      webhook: ["sqs:SendMessage", "sqs:GetQueueAttributes"],
      worker: ["sqs:SendMessage", "sqs:GetQueueAttributes", ...receiving],
      sweeper: ["sqs:SendMessage"],
    });
    const dead = Object.keys(resourcesOf(template, "AWS::SQS::Queue")).filter((id) => id.includes("dead"));
    expect(dead).toHaveLength(4);
    expect(dead.filter((id) => JSON.stringify(allowed).includes(id))).toEqual([]);
  });

  test("let a function write to its own log and no other", () => {
    const logs = statementsIn(template).filter(({ actions }) => actions[0]!.startsWith("logs:"));
    for (const { caller, resources } of logs) {
      const { Ref } = functionsOf(template)[caller]!.Properties.LoggingConfig.LogGroup;
      expect(resources).toEqual([{ "Fn::GetAtt": [Ref, "Arn"] }]);
    }
    expect(logs).toHaveLength(3);
  });
});

describe("the API", () => {
  test("has limits, of its own or yours", () => {
    const limitsOf = (of: Template) =>
      all("AWS::ApiGatewayV2::Stage", of)[0]!.Properties.DefaultRouteSettings;
    expect(limitsOf(template)).toMatchObject({ ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 });
    const limited = synthesise(() => ({ throttling: { rate: 5, burst: 9 } }));
    expect(limitsOf(limited)).toMatchObject({ ThrottlingRateLimit: 5, ThrottlingBurstLimit: 9 });
  });

  test("logs who called which route and how it went, as JSON, and nothing that was said", () => {
    const { AccessLogSettings } = all("AWS::ApiGatewayV2::Stage")[0]!.Properties;
    const format = JSON.parse(AccessLogSettings.Format) as Record<string, string>;
    expect(Object.keys(format)).toEqual(
      expect.arrayContaining(["requestId", "ip", "method", "route", "status", "responseLatency"]),
    );
    expect(Object.values(format).join()).not.toMatch(/body|header|path|query/i);
    const [group] = AccessLogSettings.DestinationArn["Fn::GetAtt"];
    expect(resourcesOf(template, "AWS::Logs::LogGroup")[group]!.Properties.RetentionInDays).toBe(30);
  });

  test("lets through what the service answers to", () => {
    const routes = all("AWS::ApiGatewayV2::Route").map(({ Properties }) => Properties.RouteKey);
    expect(routes.sort()).toEqual([
      "ANY /api",
      "ANY /api/{proxy+}",
      "ANY /webhooks/{proxy+}",
      "GET /",
      "GET /healthz",
      "GET /readyz",
    ]);
    template.hasResourceProperties("AWS::ApiGatewayV2::Integration", { PayloadFormatVersion: "2.0" });
  });
});

test("the sweeper runs every minute, and a late round is not made up for", () => {
  template.hasResourceProperties("AWS::Events::Rule", {
    ScheduleExpression: "rate(1 minute)",
    Targets: [Match.objectLike({ RetryPolicy: { MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 60 } })],
  });
  template.resourceCountIs("AWS::Lambda::EventInvokeConfig", 1);
  template.hasResourceProperties("AWS::Lambda::EventInvokeConfig", {
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
  });
  expect(functionsOf(template).sweeper!.Properties.Timeout).toBeLessThan(60);
});

test("bad props are told at synth, with the place and every reason", () => {
  const props = { channels: ["SMS"], memorySize: 1 };
  expect(() => synthesise(() => props)).toThrow(/^Chat\/Lull: channels: .+; memorySize: 1 is not/);
});

test("a user's own file is what the functions run", () => {
  const entry = fileURLToPath(new URL("handlers.ts", import.meta.url));
  expect(() => synthesise(() => ({ entry }))).not.toThrow();
});

test("two of them in one stack stay apart, also in their metrics", () => {
  const stack = newStack();
  for (const id of ["First", "Second"]) new Lull(stack, id);
  const names = Object.values(resourcesOf(Template.fromStack(stack), "AWS::Lambda::Function")).map(
    ({ Properties }) => Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME as string,
  );
  expect(new Set(names).size).toBe(2);
});
