import { fileURLToPath } from "node:url";
import { Duration, RemovalPolicy, type Stack } from "aws-cdk-lib";
import { Annotations, Match, Template } from "aws-cdk-lib/assertions";
import { LambdaDeploymentConfig } from "aws-cdk-lib/aws-codedeploy";
import { AttributeType, Table } from "aws-cdk-lib/aws-dynamodb";
import { Vpc } from "aws-cdk-lib/aws-ec2";
import { Key } from "aws-cdk-lib/aws-kms";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { describe, expect, test } from "vitest";
import { Lull, type LullProps } from "../../src/cdk/index.ts";
import { type KeyPart, TABLES } from "../../src/engines/aws/dynamo/tables.ts";
import { resourcesFrom } from "../../src/engines/aws/options.ts";
import { statementsIn, tablePermissions } from "./permissions.ts";
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

  test("may be another system's: it is named and allowed, not made", () => {
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
    expect(Object.keys(resourcesFrom({}, env).queues).sort()).toEqual([
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

describe("a configuration", () => {
  const config = { projects: { acme: { channels: { "acme-sms": { twilio: "sms", from: "+15550100" } } } } };

  test("is told to every function as one variable, and the secrets that it names are granted", () => {
    const made = synthesise((stack) => ({
      config,
      secrets: {
        ACME_TWILIO: Secret.fromSecretNameV2(stack, "T", "acme/twilio"),
        ACME_KEY: { secret: Secret.fromSecretNameV2(stack, "K", "acme/openai"), for: ["worker"] },
      },
    }));
    for (const name of ["webhook", "worker", "sweeper"])
      expect(JSON.parse(String(variablesOf(name, made).LULL_CONFIG))).toEqual(config);
    const reads = statementsIn(made)
      .filter(({ actions }) => actions.includes("secretsmanager:GetSecretValue"))
      .flatMap(({ caller, resources }) =>
        resources.map((each) => `${caller} ${/:secret:(.+)-\?/.exec(JSON.stringify(each))?.[1]}`),
      );
    expect(reads.sort()).toEqual(["webhook acme/twilio", "worker acme/openai", "worker acme/twilio"]);
  });

  test.each<[string, LullProps, RegExp]>([
    ["is misspelt", { config: { project: { state: "active" } } }, /config: project\.state/],
    ["is given twice", { config, environment: { LULL_CONFIG: "{}" } }, /LULL_CONFIG: give it as config/],
    [
      "is a variable",
      { environment: { LULL_CONFIG: JSON.stringify(config) } },
      /LULL_CONFIG: give it as config/,
    ],
    ["is too long for a variable", { config: { busyText: "x".repeat(4_000) } }, /use entry/],
    ["is beside an entry", { config, entry: import.meta.filename }, /an entry brings its configuration/],
  ])("is refused at synth where it %s", (_, props, words) => {
    expect(() => synthesise(() => props)).toThrow(words);
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
  const readers = (of: Template) =>
    statementsIn(of)
      .filter(({ actions }) => actions.some((action) => action.startsWith("secretsmanager:")))
      .flatMap(({ caller, resources }) => resources.map((each) => `${caller} ${JSON.stringify(each)}`))
      .map((each) => each.replace(/^(\w+) .*:secret:([\w/]+)-.*$/, "$1 $2"))
      .sort();

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

  test("are read by their users alone: webhook checks signatures, worker calls out, API has tokens", () => {
    const variables = [
      ...["TWILIO_AUTH_TOKEN", "WATI_TOKEN", "WATI_WEBHOOK_SECRET", "LULL_WEB_SECRET", "OPENAI_API_KEY"],
      ...["LULL_API_TOKEN", "LULL_TURN_TOKEN", "MY_OWN", "NARROW"],
    ];
    const split = synthesise((stack) => ({
      secrets: Object.fromEntries(
        variables.map((name) => {
          const made = Secret.fromSecretNameV2(stack, name, `prod/${name}`);
          return [name, name === "NARROW" ? { secret: made, for: ["worker"] } : made];
        }),
      ),
    }));
    const of = (caller: string, ...names: string[]) => names.map((name) => `${caller} prod/${name}`);
    expect(readers(split)).toEqual([
      ...of("api", "LULL_API_TOKEN", "LULL_TURN_TOKEN"),
      ...of("webhook", "LULL_WEB_SECRET", "MY_OWN", "TWILIO_AUTH_TOKEN", "WATI_WEBHOOK_SECRET"),
      ...of("worker", "MY_OWN", "NARROW", "OPENAI_API_KEY", "TWILIO_AUTH_TOKEN", "WATI_TOKEN"),
    ]);
    const [reading] = statementsIn(kept).filter(({ actions }) => actions[0]!.startsWith("secretsmanager:"));
    expect(reading!.actions).toEqual(["secretsmanager:GetSecretValue"]);
    expect(JSON.stringify(reading!.resources[0])).toContain(":secret:prod/twilio-??????");
  });

  test("that share one secret, and not their readers, are warned about", () => {
    const warned = (propsIn: (stack: Stack) => LullProps) => {
      const stack = newStack();
      new Lull(stack, "Lull", propsIn(stack));
      return Annotations.fromStack(stack).findWarning("*", Match.stringLikeRegexp("share a secret"));
    };
    const shared = warned((stack) => {
      const { named } = secret(stack);
      const field = (key: string) => ({ secret: named, key });
      return { secrets: { WATI_WEBHOOK_SECRET: field("hook"), OPENAI_API_KEY: field("openai") } };
    });
    expect(String(shared[0]?.entry.data)).toMatch(/^WATI_WEBHOOK_SECRET, OPENAI_API_KEY can be read/);
    const apart = warned((stack) => {
      const { named, made } = secret(stack);
      const field = (key: string) => ({ secret: named, key });
      return {
        secrets: { OPENAI_API_KEY: field("openai"), WATI_TOKEN: field("wati"), LULL_WEB_SECRET: made },
      };
    });
    expect(apart).toEqual([]);
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

  test("that stand in the configuration are warned about and not repeated, with the way to name them", () => {
    const stack = newStack();
    const config = { responder: { openai: { apiKey: "sk-live-planted" } }, turnToken: { env: "TURN" } };
    new Lull(stack, "Lull", {
      config,
      secrets: { TURN: Secret.fromSecretNameV2(stack, "Turn", "prod/turn") },
    });
    const [warning, ...more] = Annotations.fromStack(stack).findWarning("*", Match.anyValue());
    const words = String(warning!.entry.data);
    expect(words).toMatch(/^config\.responder\.openai\.apiKey looks like a secret.+\{ env: "NAME" \}/);
    expect(words).not.toContain("planted");
    expect(more).toEqual([]);
  });

  test("that the configuration names and no function is given, or may read, are warned about", () => {
    const stack = newStack();
    const config = { responder: { openai: { apiKeys: ["prod/openai"] } }, turnToken: { env: "TURN" } };
    new Lull(stack, "Lull", { config });
    const warnings = Annotations.fromStack(stack).findWarning("*", Match.anyValue());
    expect(warnings.map(({ entry }) => String(entry.data).split(" [")[0])).toEqual([
      'config.turnToken: no function is given TURN: name it in "secrets".',
      "config.responder.openai.apiKeys: prod/openai: no function may read that secret unless it is in " +
        '"secrets", under any name.',
    ]);
  });

  test("that the configuration names as tokens are read by the API, and by nothing else", () => {
    const named = synthesise((stack) => ({
      config: {
        apiToken: { env: "OURS" },
        responder: { openai: { apiKey: { env: "BOTH" } } },
        projects: { acme: { tokens: { api: { env: "ACME_API" }, turn: { env: "BOTH" } } } },
      },
      secrets: Object.fromEntries(
        ["OURS", "ACME_API", "BOTH"].map((name) => [
          name,
          Secret.fromSecretNameV2(stack, name, `prod/${name}`),
        ]),
      ),
    }));
    expect(readers(named)).toEqual([
      ...["api prod/ACME_API", "api prod/BOTH", "api prod/OURS"],
      "worker prod/BOTH",
    ]);
  });

  test("that the configuration names are read by who needs them: no key to a model by the webhook", () => {
    const env = (name: string) => ({ env: name });
    const account = { authToken: env("TWILIO"), from: "+15550100" };
    const acme = {
      channels: {
        "acme-sms": {
          twilio: "sms",
          accounts: { AC1: account },
          apiKey: { sid: "SK1", secret: env("SENDS") },
        },
        "acme-wati": { wati: true, webhookSecret: env("PASSKEY"), token: env("WATI") },
        "acme-web": { web: true, secret: env("PAGE") },
      },
      responder: { openai: { apiKey: env("KEY"), apiKeys: ["prod/EU#api_key"] } },
      responders: { "acme-web": { http: { url: "https://ai.example.com", secret: { name: "prod/HTTP" } } } },
    };
    const named = synthesise((stack) => ({
      config: { projects: { acme } },
      secrets: Object.fromEntries(
        ["TWILIO", "SENDS", "PASSKEY", "WATI", "PAGE", "KEY", "EU", "HTTP", "UNNAMED"].map((name) => [
          name,
          Secret.fromSecretNameV2(stack, name, `prod/${name}`),
        ]),
      ),
    }));
    const of = (caller: string, ...names: string[]) => names.map((name) => `${caller} prod/${name}`);
    expect(readers(named)).toEqual([
      ...of("webhook", "PAGE", "PASSKEY", "TWILIO", "UNNAMED"),
      ...of("worker", "EU", "HTTP", "KEY", "SENDS", "TWILIO", "UNNAMED", "WATI"),
    ]);
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
  const routesIn = (of: Template) => {
    const integrations = resourcesOf(of, "AWS::ApiGatewayV2::Integration");
    const functions = resourcesOf(of, "AWS::Lambda::Function");
    return all("AWS::ApiGatewayV2::Route", of)
      .map(({ Properties: { RouteKey, Target } }) => {
        const { IntegrationUri } = integrations[Target["Fn::Join"][1][1].Ref]!.Properties;
        return `${RouteKey} -> ${functions[IntegrationUri["Fn::GetAtt"][0]]!.Properties.Handler}`;
      })
      .sort();
  };

  test("has limits, of its own or yours", () => {
    const limitsOf = (of: Template) => {
      const { DefaultRouteSettings, RouteSettings } = all("AWS::ApiGatewayV2::Stage", of)[0]!.Properties;
      const settings = Object.entries<Record<string, number>>({
        ...RouteSettings,
        default: DefaultRouteSettings,
      });
      return Object.fromEntries(
        settings.map(([route, each]) => [route, [each.ThrottlingRateLimit, each.ThrottlingBurstLimit]]),
      );
    };
    // A message that is turned away is lost: Twilio does not come back. What is not a message makes way for
    // those that are.
    const limits = {
      "POST /webhooks/{proxy+}": [2_000, 4_000],
      "POST /webhooks/{channel}/status": [1_000, 2_000],
      "GET /webhooks/{proxy+}": [200, 400],
      "GET /healthz": [10, 20],
      "GET /readyz": [10, 20],
      "GET /": [10, 20],
      default: [10, 20],
    };
    expect(limitsOf(template)).toEqual(limits);
    const limited = synthesise(() => ({
      api: true,
      throttling: { rate: 5, status: { burst: 9 }, api: { rate: 2, burst: 3 } },
    }));
    expect(limitsOf(limited)).toEqual({
      ...limits,
      "POST /webhooks/{proxy+}": [5, 4_000],
      "POST /webhooks/{channel}/status": [1_000, 9],
      "ANY /api": [2, 3],
      "ANY /api/{proxy+}": [2, 3],
    });
  });

  test("takes webhooks at their old paths, within the limits of webhooks", () => {
    const moved = synthesise(() => ({ environment: { LULL_ALIASES: "/webhook=wati, /old/sms=sms" } }));
    const { RouteSettings } = all("AWS::ApiGatewayV2::Stage", moved)[0]!.Properties;
    for (const path of ["/webhook", "/old/sms"]) {
      expect(RouteSettings[`POST ${path}`]).toEqual(RouteSettings["POST /webhooks/{proxy+}"]);
      expect(RouteSettings[`GET ${path}`]).toEqual(RouteSettings["GET /webhooks/{proxy+}"]);
      expect(routesIn(moved)).toEqual(
        expect.arrayContaining([`POST ${path} -> index.webhook`, `GET ${path} -> index.webhook`]),
      );
    }
    expect(variablesOf("webhook", moved).LULL_ALIASES).toBe("/webhook=wati, /old/sms=sms");
    const filters = all("AWS::Logs::MetricFilter", moved).map(({ Properties }) => Properties.FilterPattern);
    const anyOf =
      '($.route = "POST /webhooks/*") || ($.route = "POST /webhook") || ($.route = "POST /old/sms")';
    expect(filters).toContain(`{ (${anyOf}) && ($.status = "429") }`);
  });

  test("takes webhooks at old paths that the configuration says, as the functions do", () => {
    const config = { aliases: { "/webhook": "wati", "/old/sms": "sms" } };
    const byVariable = { environment: { LULL_ALIASES: "/webhook=wati, /old/sms=sms" } };
    expect(routesIn(synthesise(() => ({ config })))).toEqual(routesIn(synthesise(() => byVariable)));
    const blank = synthesise(() => ({ config, environment: { LULL_ALIASES: "" } }));
    expect(routesIn(blank)).toContain("POST /webhook -> index.webhook");
  });

  test("has no limit for a route that is not there yet", () => {
    const routes = Object.keys(resourcesOf(template, "AWS::ApiGatewayV2::Route"));
    const [{ DependsOn }] = all("AWS::ApiGatewayV2::Stage") as [Resource];
    expect(DependsOn).toEqual(expect.arrayContaining(routes));
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

  const PUBLIC = [
    "GET / -> index.webhook",
    "GET /healthz -> index.webhook",
    "GET /readyz -> index.webhook",
    "GET /webhooks/{proxy+} -> index.webhook",
    "POST /webhooks/{channel}/status -> index.webhook",
    "POST /webhooks/{proxy+} -> index.webhook",
  ];

  test("lets through what the service answers to, and nothing to an API that was not asked for", () => {
    expect(routesIn(template)).toEqual(PUBLIC);
    template.hasResourceProperties("AWS::ApiGatewayV2::Integration", { PayloadFormatVersion: "2.0" });
    expect(Object.keys(functionsOf(template))).not.toContain("api");
  });

  test.each<[string, (stack: Stack) => LullProps]>([
    ["asked for", () => ({ api: true })],
    ["given a token", (stack) => ({ secrets: { LULL_API_TOKEN: new Secret(stack, "Token") } })],
    ["given a token for late answers", () => ({ environment: { LULL_TURN_TOKEN: "t".repeat(16) } })],
    ["given a token in config", () => ({ config: { apiToken: { env: "LULL_API_TOKEN" } } })],
    ["given one for late answers in config", () => ({ config: { turnToken: { env: "TURN" } } })],
    ["given a project's", () => ({ config: { projects: { acme: { tokens: { api: { env: "A" } } } } } })],
    [
      "given a project's for late answers",
      () => ({ config: { projects: { other: {}, acme: { tokens: { turn: { env: "A" } } } } } }),
    ],
  ])("has a function and a role of its own for /api, %s", (_, propsIn) => {
    const withApi = synthesise(propsIn);
    expect(routesIn(withApi)).toEqual(["ANY /api -> index.api", "ANY /api/{proxy+} -> index.api", ...PUBLIC]);
    const roles = Object.values(functionsOf(withApi)).map(
      ({ Properties }) => Properties.Role["Fn::GetAtt"][0],
    );
    expect(new Set(roles).size).toBe(4);
    // An attacker in the public function can erase no person, and list no dead letter.
    const allowed = tablePermissions(withApi);
    expect(allowed).toContain("api dynamodb:DeleteItem conversations");
    expect([...allowed].filter((each) => /^webhook .*:(Scan|BatchWriteItem) /.test(each))).toEqual([]);
    expect(allowed).not.toContain("webhook dynamodb:DeleteItem conversations");
    expect(allowed).not.toContain("webhook dynamodb:Query conversations-messages/index/listed");
  });

  test("is left out where that is said, whatever tokens there are", () => {
    const without = synthesise((stack) => ({
      api: false,
      secrets: { LULL_API_TOKEN: new Secret(stack, "Token") },
    }));
    expect(routesIn(without)).toEqual(PUBLIC);
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
  expect(() => synthesise(() => props)).toThrow(/^Chat\/Lull: channels: .+; memorySize must be/);
});

describe("keys of your own", () => {
  const keyIds = (of: Template) => Object.keys(resourcesOf(of, "AWS::KMS::Key"));
  const keyOf = (id: string | undefined) => ({ "Fn::GetAtt": [id, "Arn"] });

  test("one is for everything that keeps data, and CloudWatch may use it for logs of this account", () => {
    const keyed = synthesise((stack) => ({ encryptionKey: new Key(stack, "Key"), channels: ["sms"] }));
    const [key] = keyIds(keyed);
    for (const { Properties } of all("AWS::Logs::LogGroup", keyed))
      expect(Properties.KmsKeyId).toEqual(keyOf(key));
    for (const { Properties } of all("AWS::SQS::Queue", keyed))
      expect(Properties.KmsMasterKeyId).toEqual(keyOf(key));
    const [{ Properties }] = all("AWS::KMS::Key", keyed) as [Resource];
    expect(Properties.KeyPolicy.Statement).toContainEqual(
      expect.objectContaining({
        Principal: { Service: "logs.eu-west-1.amazonaws.com" },
        Condition: {
          ArnLike: {
            "kms:EncryptionContext:aws:logs:arn": {
              "Fn::Join": [
                "",
                ["arn:", { Ref: "AWS::Partition" }, ":logs:eu-west-1:111122223333:log-group:*"],
              ],
            },
          },
        },
      }),
    );
    for (const name of ["webhook", "worker", "sweeper"]) {
      const use = statementsIn(keyed).filter(
        ({ caller, actions }) => caller === name && actions.join() === "kms:Decrypt,kms:GenerateDataKey",
      );
      expect(use.map(({ resources }) => resources)).toEqual([[keyOf(key)]]);
    }
  });

  test("may be three", () => {
    const keyed = synthesise((stack) => ({
      encryptionKey: new Key(stack, "A"),
      logEncryptionKey: new Key(stack, "B"),
      queueEncryptionKey: new Key(stack, "C"),
    }));
    const [a, b, c] = keyIds(keyed);
    const [table] = all("AWS::DynamoDB::Table", keyed);
    const [log] = all("AWS::Logs::LogGroup", keyed);
    const [queue] = all("AWS::SQS::Queue", keyed);
    expect([
      table!.Properties.SSESpecification.KMSMasterKeyId,
      log!.Properties.KmsKeyId,
      queue!.Properties.KmsMasterKeyId,
    ]).toEqual([keyOf(a), keyOf(b), keyOf(c)]);
  });

  test("that were not made here are told what they have to allow", () => {
    const stack = newStack();
    const arn = "arn:aws:kms:eu-west-1:111122223333:key/00000000-0000-0000-0000-000000000000";
    new Lull(stack, "Lull", { encryptionKey: Key.fromKeyArn(stack, "Theirs", arn) });
    const said = Annotations.fromStack(stack).findWarning("*", Match.stringLikeRegexp("key of the logs"));
    expect(String(said[0]?.entry.data)).toContain("logs.eu-west-1.amazonaws.com");
  });
});

describe("what is asked for", () => {
  test("a place in a network of yours, for every function, with what its role needs there", () => {
    const placed = synthesise((stack) => ({ network: { vpc: new Vpc(stack, "Vpc") } }));
    const [group] = Object.keys(resourcesOf(placed, "AWS::EC2::SecurityGroup"));
    for (const { Properties } of Object.values(functionsOf(placed))) {
      expect(Properties.VpcConfig.SecurityGroupIds).toEqual([{ "Fn::GetAtt": [group, "GroupId"] }]);
      expect(Properties.VpcConfig.SubnetIds.length).toBeGreaterThan(1);
    }
    const [{ Properties }] = all("AWS::EC2::SecurityGroup", placed) as [Resource];
    expect(Properties).not.toHaveProperty("SecurityGroupIngress");
    const interfaces = statementsIn(placed).filter(({ actions }) => actions[0]!.startsWith("ec2:"));
    expect(interfaces.map(({ caller }) => caller).sort()).toEqual(["sweeper", "webhook", "worker"]);
  });

  test("instances that are kept, and instances that wait", () => {
    const kept = synthesise(() => ({
      worker: { concurrency: 5 },
      concurrency: { webhook: { reserved: 40, provisioned: 3 }, worker: { reserved: 5 } },
    }));
    const { webhook, worker, sweeper } = functionsOf(kept);
    expect([webhook, worker, sweeper].map((each) => each!.Properties.ReservedConcurrentExecutions)).toEqual([
      40,
      5,
      undefined,
    ]);
    const aliases = all("AWS::Lambda::Alias", kept);
    expect(aliases.map(({ Properties }) => Properties.ProvisionedConcurrencyConfig)).toEqual([
      { ProvisionedConcurrentExecutions: 3 },
    ]);
    const [alias] = Object.keys(resourcesOf(kept, "AWS::Lambda::Alias"));
    const uris = all("AWS::ApiGatewayV2::Integration", kept).map(
      ({ Properties }) => Properties.IntegrationUri,
    );
    expect(uris).toEqual([{ Ref: alias }]);
  });

  test("a new version that takes over step by step, and goes back if it fails", () => {
    const gradual = synthesise(() => ({
      api: true,
      deployment: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    }));
    const aliases = Object.keys(resourcesOf(gradual, "AWS::Lambda::Alias"));
    expect(aliases).toHaveLength(3);
    for (const { UpdatePolicy } of all("AWS::Lambda::Alias", gradual))
      expect(UpdatePolicy.CodeDeployLambdaAliasUpdate).toBeDefined();
    for (const { Properties } of all("AWS::CodeDeploy::DeploymentGroup", gradual)) {
      expect(Properties.DeploymentConfigName).toBe("CodeDeployDefault.LambdaCanary10Percent5Minutes");
      expect(Properties.AlarmConfiguration.Alarms).toHaveLength(1);
      expect(Properties.AutoRollbackConfiguration.Events).toContain("DEPLOYMENT_STOP_ON_ALARM");
    }
    // Triggers, webhooks and the API go to the alias; the sweeper has none.
    for (const { Properties } of all("AWS::Lambda::EventSourceMapping", gradual))
      expect(aliases.filter((id) => JSON.stringify(Properties.FunctionName).includes(id))).toHaveLength(1);
    const uris = all("AWS::ApiGatewayV2::Integration", gradual).map(
      ({ Properties }) => Properties.IntegrationUri.Ref,
    );
    expect(aliases).toEqual(expect.arrayContaining(uris));
    const [rule] = all("AWS::Events::Rule", gradual);
    expect(rule!.Properties.Targets[0].Arn["Fn::GetAtt"][0]).toMatch(/Sweeper/);
  });

  test("tables that are warm from the first second, and their indexes with them", () => {
    const warm = { readUnitsPerSecond: 15_000, writeUnitsPerSecond: 10_000 };
    const warmed = synthesise(() => ({ warmThroughput: { state: warm } }));
    const expected = { ReadUnitsPerSecond: 15_000, WriteUnitsPerSecond: 10_000 };
    const { Properties } = behind("LULL_TABLE_STATE", warmed);
    expect(Properties.WarmThroughput).toEqual(expected);
    expect(Properties.GlobalSecondaryIndexes[0].WarmThroughput).toEqual(expected);
    expect(behind("LULL_TABLE_STAGE", warmed).Properties).not.toHaveProperty("WarmThroughput");
  });
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
