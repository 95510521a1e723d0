import { Table } from "aws-cdk-lib/aws-dynamodb";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { App, Duration, Stack, Token } from "aws-cdk-lib/core";
import { describe, expect, test } from "vitest";
import { exposed, problemsOf } from "./check-props.ts";
import { missingVariables, unreadable, writtenOut } from "./config-secrets.ts";
import type { LullProps } from "./lull-props.ts";

const URL_ = "https://sqs.eu-west-1.amazonaws.com/111122223333/ai";
const stack = new Stack(new App(), "Chat");
const secret = Secret.fromSecretNameV2(stack, "Secret", "prod/wati");
const queue = Queue.fromQueueArn(stack, "Queue", "arn:aws:sqs:eu-west-1:111122223333:ai.fifo");
const table = Table.fromTableName(stack, "Table", "theirs");

describe("bad props are told:", () => {
  test.each<[string, LullProps]>([
    [`channels: "SMS" is no channel's name`, { channels: ["sms", "SMS"] }],
    [`channels: "a--b" is no channel's name`, { channels: ["a--b"] }],
    [`channels: "my_channel" is no channel's name`, { channels: ["my_channel"] }],
    [`channels: "${"a".repeat(41)}" is no channel's name`, { channels: ["a".repeat(41)] }],
    [`environment: "1ST" is no variable's name`, { environment: { "1ST": "x" } }],
    ["environment: LULL_ENGINE is set by the construct", { environment: { LULL_ENGINE: "sqlite" } }],
    [
      "environment: LULL_TABLE_STAGE is set by the construct",
      { environment: { LULL_TABLE_STAGE: "theirs" } },
    ],
    ["environment: LULL_QUEUE_SMS is set by the construct", { environment: { LULL_QUEUE_SMS: "theirs" } }],
    [
      'environment: LULL_WINDOW_SECONDS must be a number from 0 to 604800, not "ten"',
      { environment: { LULL_WINDOW_SECONDS: "ten" } },
    ],
    [
      "environment: LULL_LEASE_SECONDS must be a number from 0.1 to 86400",
      { environment: { LULL_LEASE_SECONDS: "100000" } },
    ],
    [
      "environment: LULL_WHILE_BUSY must be one of queue, restart, reject",
      { environment: { LULL_WHILE_BUSY: "wait" } },
    ],
    [
      'environment: LULL_ALIASES: "/webhook/" is no plain path',
      { environment: { LULL_ALIASES: "/webhook/=wati" } },
    ],
    [
      "environment: LULL_ALIASES must be written out",
      { environment: { LULL_ALIASES: Token.asString({ Ref: "Parameter" }) } },
    ],
    [
      "environment: LULL_API_TOKN_SECRET is not a known setting. Did you mean LULL_API_TOKEN_SECRET?",
      { environment: { LULL_API_TOKN_SECRET: "prod/api" } },
    ],
    [
      "secrets: WATI_TOKEN is in environment, too",
      { environment: { WATI_TOKEN: "x" }, secrets: { WATI_TOKEN: secret } },
    ],
    [
      "secrets: WATI_TOKEN is in environment, too",
      { environment: { WATI_TOKEN_SECRET: "prod/wati" }, secrets: { WATI_TOKEN: secret } },
    ],
    [`secrets: "wati-token" is no variable's name`, { secrets: { "wati-token": secret } }],
    ['secrets: WATI_TOKEN: "" is no key', { secrets: { WATI_TOKEN: { secret, key: "" } } }],
    ['secrets: WATI_TOKEN: "a#b" is no key', { secrets: { WATI_TOKEN: { secret, key: "a#b" } } }],
    ["entry: there is no file nowhere.ts", { entry: "nowhere.ts" }],
    [
      "worker.timeout must be a whole number from 30 to 900, not 29: seconds",
      { worker: { timeout: Duration.seconds(29) } },
    ],
    [
      "worker.timeout must be a whole number from 30 to 900, not 901",
      { worker: { timeout: Duration.seconds(901) } },
    ],
    [
      "worker.timeout must be a whole number from 30 to 900, not 30.5",
      { worker: { timeout: Duration.millis(30_500) } },
    ],
    ["worker.concurrency must be a whole number from 2 to 1000, not 1", { worker: { concurrency: 1 } }],
    [
      "worker.concurrency must be a whole number from 2 to 1000, not 1001",
      { worker: { concurrency: 1_001 } },
    ],
    ["worker.batchSize must be a whole number from 1 to 10, not 11", { worker: { batchSize: 11 } }],
    ["worker.memorySize must be a whole number from 128 to 10240, not 64", { worker: { memorySize: 64 } }],
    ["memorySize must be a whole number from 128 to 10240, not 64", { memorySize: 64 }],
    ["throttling.rate must be a whole number from 1 to 100000, not 0", { throttling: { rate: 0 } }],
    [
      "throttling.status.burst must be a whole number from 1 to 50000, not 0",
      { throttling: { status: { burst: 0 } } },
    ],
    [
      "concurrency.webhook.reserved must be a whole number from 1 to 100000, not 0",
      { concurrency: { webhook: { reserved: 0 } } },
    ],
    [
      "concurrency.api.provisioned must not be more than reserved, 2",
      { concurrency: { api: { reserved: 2, provisioned: 3 } } },
    ],
    ["memorysize is not a known setting. Did you mean memorySize?", { memorysize: 512 } as LullProps],
    [
      "worker.bachSize is not a known setting. Did you mean batchSize?",
      { worker: { bachSize: 1 } as LullProps["worker"] & object },
    ],
    [
      "throttling.stats is not a known setting. Did you mean status?",
      { throttling: { stats: {} } as LullProps["throttling"] & object },
    ],
    [
      "warmThroughput.stages is not a known setting. Did you mean stage?",
      { warmThroughput: { stages: {} } as LullProps["warmThroughput"] & object },
    ],
    [
      "concurrency.worker.reserved: 99 is less than the 100 ",
      { channels: ["sms"], concurrency: { worker: { reserved: 99 } } },
    ],
    [
      "aiQueue: LULL_AI_QUEUE is in environment, too; give it once",
      { aiQueue: true, environment: { LULL_AI_QUEUE: URL_ } },
    ],
    [
      "handOffQueue: LULL_HANDOFF_QUEUE is in environment, too; give it once",
      { handOffQueue: queue, environment: { LULL_HANDOFF_QUEUE: URL_ } },
    ],
    [
      "handOffQueue must be true, or a queue of aws-cdk-lib/aws-sqs",
      { handOffQueue: URL_ } as unknown as LullProps,
    ],
    ["aiQueue must be true, or a queue", { aiQueue: {} } as unknown as LullProps],
    [
      "LULL_AI_QUEUE_ANSWER_SECONDS is for the reader of aiQueue, and there is none",
      { api: true, environment: { LULL_AI_QUEUE_ANSWER_SECONDS: "600" } },
    ],
    [
      "LULL_AI_QUEUE_ANSWER_SECONDS: answers come through /api, which is not served",
      { aiQueue: true, environment: { LULL_AI_QUEUE_ANSWER_SECONDS: "600" } },
    ],
    ['config: aliases: "/webhook/" is no plain path', { config: { aliases: { "/webhook/": "wati" } } }],
    [
      "config: aliases: LULL_ALIASES is in environment, too, and counts alone; give it once",
      { config: { aliases: { "/webhook": "wati" } }, environment: { LULL_ALIASES: "/sms=sms" } },
    ],
    [
      "config.responder.queue.answerWithinSeconds: answers come through /api, which is not served",
      { config: { responder: { queue: { url: URL_, answerWithinSeconds: 600 } } } },
    ],
    [
      "config.responders.sms.queue.answerWithinSeconds must be a number from 1 to ",
      { api: true, config: { responders: { sms: { queue: { url: URL_, answerWithinSeconds: 0 } } } } },
    ],
    [
      "config.projects.acme.respond.queue.answerWithinSeconds: answers come through /api",
      { config: { projects: { acme: { respond: { queue: { url: URL_, answerWithinSeconds: 600 } } } } } },
    ],
    [
      "config.projects.acme.responders.a.queue.answerWithinSeconds: answers come through /api",
      {
        api: false,
        config: {
          projects: {
            acme: {
              responders: { a: { queue: { url: URL_, answerWithinSeconds: 600 } } },
              tokens: { turn: { env: "ACME_TURN" } },
            },
          },
        },
      },
    ],
    [
      "aiQueue and config.responder say the same thing: config counts, and nothing would be written to",
      { aiQueue: true, config: { responder: "echo" } },
    ],
    [
      "aiQueue and config.respond say the same thing",
      { aiQueue: queue, config: { respond: { queue: { url: URL_ } } } },
    ],
    [
      "handOffQueue and config.handOffTo say the same thing",
      { handOffQueue: true, config: { handOffTo: { http: { url: "https://desk.example.com" } } } },
    ],
    [
      "config.projects.acme.handOffTo.queue.url must be a queue's URL, https://sqs.<region>.amazonaws.com/",
      {
        config: { projects: { acme: { handOffTo: { queue: { url: "https://queues.example.com/desk" } } } } },
      },
    ],
    ["environment: LULL_WEB without LULL_WEB_SECRET", { environment: { LULL_WEB: "1" } }],
    [`handlers.ts exports no "api"`, { entry: "test/cdk/handlers.ts", api: true }],
    ["throttling.burst must be a whole number from 1 to 50000, not 0.5", { throttling: { burst: 0.5 } }],
    [
      "tables.stages is not a known setting. Did you mean stage?",
      { tables: { stages: table } as NonNullable<LullProps["tables"]> },
    ],
  ])("%s", (message, props) => {
    expect(problemsOf(props)).toEqual([expect.stringContaining(message)]);
  });

  test("all of them", () => {
    expect(problemsOf({ channels: ["SMS"], memorySize: 1 })).toHaveLength(2);
  });
});

test("good ones are not, nor is what only the deployment will know", () => {
  const unknown = Token.asNumber({ Ref: "Parameter" });
  expect(problemsOf({})).toEqual([]);
  expect(
    problemsOf({
      channels: ["whatsapp", "my-channel", "default"],
      environment: {
        OPENAI_MODEL: "m",
        LULL_WINDOW_SECONDS: "8",
        LULL_LEASE_SECONDS: Token.asString({ Ref: "Parameter" }),
        THEIR_OWN: "x",
      },
      secrets: { WATI_TOKEN: { secret, key: "token" }, OPENAI_API_KEY: secret },
      entry: import.meta.filename,
      worker: { timeout: Duration.seconds(900), concurrency: unknown, batchSize: 1 },
      memorySize: unknown,
      concurrency: { webhook: { reserved: unknown, provisioned: 5 }, worker: { reserved: 150 } },
      throttling: { rate: 1, burst: 1 },
      tables: { conversations: table },
      aiQueue: queue,
      handOffQueue: false,
    }),
  ).toEqual([]);
  const ofAcme = { responder: "echo", handOffTo: { queue: { url: Token.asString({ Ref: "Desk" }) } } };
  expect(problemsOf({ aiQueue: true, handOffQueue: queue, config: { projects: { acme: ofAcme } } })).toEqual(
    [],
  );
  const late = { responder: { queue: { url: URL_, answerWithinSeconds: 600 } } };
  expect(problemsOf({ config: { ...late, turnToken: { env: "LULL_TURN" } } })).toEqual([]);
  const blank = { config: { aliases: { "/webhook": "wati" } }, environment: { LULL_ALIASES: " " } };
  expect(problemsOf(blank)).toEqual([]);
  const answered = { LULL_AI_QUEUE_ANSWER_SECONDS: "600" };
  expect(problemsOf({ aiQueue: true, environment: answered, secrets: { LULL_TURN_TOKEN: secret } })).toEqual(
    [],
  );
});

test("visitors of a page are signed, or it is said that they are not", () => {
  const on = { LULL_WEB: "true" };
  expect(problemsOf({ environment: { ...on, LULL_WEB_UNSIGNED: "1" } })).toEqual([]);
  expect(problemsOf({ environment: { ...on, LULL_WEB_SECRET_SECRET: "prod/web" } })).toEqual([]);
  expect(problemsOf({ environment: on, secrets: { LULL_WEB_SECRET: secret } })).toEqual([]);
  expect(problemsOf({ environment: { LULL_WEB: "0" } })).toEqual([]);
});

test("a secret among plain variables is noticed", () => {
  const environment = {
    OPENAI_API_KEY: "k",
    TWILIO_AUTH_TOKEN: "t",
    OPENAI_MODEL: "m",
    OPENAI_MAX_TOKENS: "9",
  };
  expect(exposed({ environment })).toEqual(["OPENAI_API_KEY", "TWILIO_AUTH_TOKEN"]);
});

test("a variable that config names and no function has is told", () => {
  const tokens = { api: { env: "ACME_API" }, turn: { env: "ACME_TURN" } };
  const config = { apiToken: { env: "MAIN" }, projects: { acme: { tokens } } };
  const given = { MAIN_SECRET: "prod/main" };
  expect(missingVariables({ config, environment: given, secrets: { ACME_TURN: secret } })).toEqual([
    "config.projects.acme.tokens.api: no function is given ACME_API",
  ]);
});

test("the name of a secret that no function may read is noticed, where all names are known", () => {
  const config = {
    responder: { openai: { apiKeys: ["prod/wati#key", "prod/openai"] } },
    projects: { acme: { channels: { sms: { twilio: "sms", authToken: { name: "prod/twilio" } } } } },
  };
  expect(unreadable({ config, secrets: { OURS: secret } }).sort()).toEqual([
    "config.projects.acme.channels.sms.authToken: prod/twilio",
    "config.responder.openai.apiKeys: prod/openai",
  ]);
  const made = new Secret(stack, "Made");
  expect(unreadable({ config, secrets: { OURS: made } })).toEqual([]);
});

test("a secret that is written out in config is noticed, wherever config may name one", () => {
  const acme = {
    channels: {
      sms: { twilio: "sms", authToken: "plain", apiKey: { sid: "SK1", secret: "plain" } },
      more: {
        twilio: "whatsapp",
        accounts: { AC1: "plain", AC2: { authToken: "plain", from: "+15550100" } },
      },
      wati: { wati: true, token: { env: "WATI" }, webhookSecret: { name: "prod/wati" } },
    },
    responder: { openai: { model: "m", apiKey: "plain", apiKeys: { eu: "plain", us: { env: "US" } } } },
    responders: { sms: { http: { secret: "plain", headers: { "X-Api-Key": "plain", "X-Tenant": "acme" } } } },
    tokens: { api: "plain", turn: { env: "TURN" } },
  };
  const config = {
    apiToken: "plain",
    busyText: "plain",
    handOffTo: { openai: { apiKeys: ["prod/openai"] } },
    projects: { acme },
  };
  expect(writtenOut(config).sort()).toEqual([
    "config.apiToken",
    "config.projects.acme.channels.more.accounts.AC1",
    "config.projects.acme.channels.more.accounts.AC2.authToken",
    "config.projects.acme.channels.sms.apiKey.secret",
    "config.projects.acme.channels.sms.authToken",
    "config.projects.acme.responder.openai.apiKey",
    "config.projects.acme.responder.openai.apiKeys.eu",
    "config.projects.acme.responders.sms.http.headers.X-Api-Key",
    "config.projects.acme.responders.sms.http.secret",
    "config.projects.acme.tokens.api",
  ]);
});
