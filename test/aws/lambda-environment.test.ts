import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { DeleteMessageCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import type {
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  ScheduledHandler,
  SQSHandler,
} from "aws-lambda";
import { afterAll, afterEach, beforeAll, beforeEach, it, vi } from "vitest";
import { createQueues, createTables, TABLES } from "../../src/engines/aws/index.ts";
import type { LambdaHandlers } from "../../src/lambda/index.ts";
import { fakeOpenai } from "../../src/testing/fake-openai.ts";
import { fakeSecretsManager } from "../../src/testing/fake-secrets-manager.ts";
import { fakeTwilio } from "../../src/testing/fake-twilio.ts";
import { signedWebhook } from "../../src/testing/fake-twilio-webhook.ts";
import type { Emulators } from "../../tools/aws-local/emulators.ts";
import { eventually } from "../lull-process.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { contextWith, get, post, recordOf, signedUrl } from "./function-fixture.ts";

const ACCOUNT = "AC00000000000000000000000000000001";
const AUTH_TOKEN = "token-in-the-store";
const API_TOKEN = "api-token-in-the-store";
const PATH = "/webhooks/whatsapp";
const WEB_SECRET = "s".repeat(32);
const VISITOR_1 = createHmac("sha256", WEB_SECRET).update("visitor-1").digest("hex");

/** The functions, with providers, secrets, tables and queues of their own. */
function functionsOn(emulators: Emulators) {
  const twilio = fakeTwilio({ accountSid: ACCOUNT, authToken: AUTH_TOKEN });
  const openai = fakeOpenai();
  const secrets = fakeSecretsManager({
    "prod/twilio": JSON.stringify({ authToken: AUTH_TOKEN }),
    "prod/openai": "key-in-the-store",
    "prod/lull": API_TOKEN,
  });
  let queue: string;
  let count = 0;
  beforeAll(async () => {
    await Promise.all([twilio.start(), openai.start(), secrets.start()]);
  });
  afterAll(() => Promise.all([twilio.stop(), openai.stop(), secrets.stop()]));

  beforeEach(async () => {
    count += 1;
    vi.spyOn(process.stdout, "write").mockReturnValue(true);
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    secrets.behave(() => ({ kind: "ok" }));
    const environment = {
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_MAX_ATTEMPTS: "1",
      AWS_ENDPOINT_URL_DYNAMODB: emulators.endpoint.dynamodb,
      AWS_ENDPOINT_URL_SQS: emulators.endpoint.sqs,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
      TWILIO_ACCOUNT_SID: ACCOUNT,
      TWILIO_AUTH_TOKEN_SECRET: "prod/twilio#authToken",
      TWILIO_WHATSAPP_FROM: "+14155238886",
      TWILIO_API_URL: twilio.url,
      OPENAI_API_KEY_SECRET: "prod/openai",
      OPENAI_BASE_URL: openai.url,
      LULL_API_TOKEN_SECRET: "prod/lull",
      LULL_PUBLIC_URL: signedUrl(""),
      LULL_WINDOW_SECONDS: "0",
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const tablePrefix = `env${count}-`;
    const clients = { dynamodb: emulators.dynamodb(), sqs: emulators.sqs() };
    for (const { name, env } of Object.values(TABLES)) vi.stubEnv(env, `${tablePrefix}${name}`);
    await createTables({ clients });
    queue = (await createQueues({ prefix: tablePrefix, clients })).default!;
    vi.stubEnv("LULL_QUEUE_DEFAULT", queue);
    clients.dynamodb.destroy();
    clients.sqs.destroy();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  /** As a cold start would find them. */
  async function functions(): Promise<LambdaHandlers> {
    vi.resetModules();
    return import("../../src/lambda/environment.ts");
  }

  function message(text: string, authToken = AUTH_TOKEN) {
    const sid = `SM${Buffer.from(`${count}${text}`).toString("hex").padEnd(32, "0").slice(0, 32)}`;
    const params = {
      AccountSid: ACCOUNT,
      MessageSid: sid,
      From: "whatsapp:+50370000001",
      To: "whatsapp:+14155238886",
      Body: text,
      NumMedia: "0",
      // Blank fields are signed too.
      MediaUrl0: "",
    };
    return signedWebhook({ url: signedUrl(PATH), authToken, params });
  }

  const write = async (lull: LambdaHandlers, text: string, authToken?: string) => {
    const { body, headers } = message(text, authToken);
    return (await lull.webhook(post(PATH, body, headers), contextWith(29_000))).statusCode;
  };
  const counts = async (lull: LambdaHandlers) => {
    const headers = { authorization: `Bearer ${API_TOKEN}` };
    const { body } = await lull.api(get("/api/counts", headers), contextWith(29_000));
    return JSON.parse(body) as Record<string, number>;
  };
  const askedFor = (name: string) => secrets.requests.filter(({ body }) => body.includes(name)).length;

  async function work(lull: LambdaHandlers): Promise<void> {
    const sqs = emulators.sqs();
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
    );
    const Records = Messages.map((each) => recordOf(each, queue));
    const { batchItemFailures } = await lull.worker({ Records }, contextWith(30_000));
    assert.deepEqual(batchItemFailures, []);
    for (const { ReceiptHandle } of Messages)
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle }));
    sqs.destroy();
  }

  return { twilio, openai, secrets, functions, message, write, counts, askedFor, work };
}

describeOnEmulators("functions that the environment alone configures, and their secrets:", (emulators) => {
  const { twilio, openai, secrets, functions, write, counts, askedFor, work } = functionsOn(emulators);

  it("answer with secrets that they read from their store, once", async () => {
    const lull = await functions();
    const before = [askedFor("prod/twilio"), askedFor("prod/openai")];
    const sent = twilio.sent.length;
    for (const text of ["one", "two"]) {
      assert.equal(await write(lull, text), 200);
      await eventually("the answer", async () => {
        await work(lull);
        return (await counts(lull)).staged === 0 ? true : undefined;
      });
    }
    assert.equal(twilio.sent.length - sent, 2);
    assert.equal(openai.asked.at(-1)?.headers.authorization, "Bearer key-in-the-store");
    assert.deepEqual([askedFor("prod/twilio") - before[0]!, askedFor("prod/openai") - before[1]!], [1, 1]);
  });

  it("refuse a wrong signature, and keep nothing of it", async () => {
    const lull = await functions();
    assert.equal(await write(lull, "forged", "another-token"), 403);
    assert.deepEqual([(await counts(lull)).staged, (await counts(lull)).conversations], [0, 0]);
  });

  it("say 503 while the secret cannot be read, and take the message when it comes again", async () => {
    const lull = await functions();
    secrets.behave(() => ({ kind: "error", status: 500 }));
    assert.equal(await write(lull, "early"), 503);
    secrets.behave(() => ({ kind: "ok" }));
    // Within a second of a failure it is not asked for again.
    await eventually("its secret", async () => ((await write(lull, "early")) === 200 ? true : undefined));
    assert.equal((await counts(lull)).staged, 1);
  });

  it("take no webhook of a channel that must not be served as it is, and say why", async () => {
    vi.stubEnv("LULL_PUBLIC_URL", "");
    const said = () =>
      JSON.stringify([process.stdout, process.stderr].map(({ write }) => vi.mocked(write).mock.calls));
    const unsigned = await functions();
    assert.equal(await write(unsigned, "hello"), 503);
    assert.match(said(), /set LULL_PUBLIC_URL/);
    vi.stubEnv("LULL_PUBLIC_URL", signedUrl(""));
    vi.stubEnv("LULL_WEB", "1");
    const visit = async (lull: LambdaHandlers) => {
      const body = JSON.stringify({ id: "1", sender: "visitor-1", text: "hello" });
      const headers = { "content-type": "application/json", "x-lull-signature": VISITOR_1 };
      return (await lull.webhook(post("/webhooks/web", body, headers), contextWith(29_000))).statusCode;
    };
    const open = await functions();
    assert.equal(await visit(open), 503);
    assert.match(said(), /set LULL_WEB_SECRET/);
    // The customers of another channel have nothing to do with it.
    assert.equal(await write(open, "hello"), 200);
    vi.stubEnv("LULL_WEB_SECRET", WEB_SECRET);
    assert.equal(await visit(await functions()), 200);
  });
});

describeOnEmulators("functions that the environment alone configures, and their doors:", (emulators) => {
  const { functions, message, counts } = functionsOn(emulators);

  it("refuse every call of the API without its token, wherever it seems to come from", async () => {
    const lull = await functions();
    const answer = (headers: object) => lull.api(get("/api/counts", headers), contextWith(29_000));
    assert.equal((await answer({})).statusCode, 401);
    assert.equal((await answer({ host: "localhost", authorization: "Bearer wrong" })).statusCode, 401);
    vi.stubEnv("LULL_API_TOKEN_SECRET", "");
    const open = await functions();
    const local = await open.api(get("/api/counts", { host: "localhost" }), contextWith(29_000));
    assert.equal(local.statusCode, 403);
  });

  it("answer health checks, and say whether the tables are there", async () => {
    const lull = await functions();
    assert.equal((await lull.webhook(get("/healthz"), contextWith(29_000))).statusCode, 200);
    assert.equal((await lull.webhook(get("/readyz"), contextWith(29_000))).statusCode, 200);
    vi.stubEnv("LULL_TABLE_STATE", "not-there");
    const lost = await (await functions()).webhook(get("/readyz"), contextWith(29_000));
    assert.equal(lost.statusCode, 503);
    assert.match(lost.body, /table not-there does not exist/);
  });

  it("serve nothing of the API at the public door, and nothing else at the API's", async () => {
    const lull = await functions();
    const headers = { authorization: `Bearer ${API_TOKEN}` };
    for (const path of ["/api", "/api/counts", "/api/openapi.json"])
      assert.equal((await lull.webhook(get(path, headers), contextWith(29_000))).statusCode, 404);
    for (const path of ["/", "/readyz", PATH])
      assert.equal((await lull.api(get(path, headers), contextWith(29_000))).statusCode, 404);
    const { body, headers: signed } = message("through the back");
    assert.equal((await lull.api(post(PATH, body, signed), contextWith(29_000))).statusCode, 404);
    assert.equal((await counts(lull)).staged, 0);
  });

  it("have the types that AWS gives to its handlers", async () => {
    const { webhook, api, worker, sweeper } = await functions();
    const typed: [APIGatewayProxyHandlerV2, APIGatewayProxyHandler, SQSHandler, ScheduledHandler] = [
      webhook,
      api,
      worker,
      sweeper,
    ];
    assert.equal(typed.length, 4);
  });

  it("sweep, with nothing but the environment", async () => {
    const lull = await functions();
    await lull.sweeper({ source: "aws.scheduler" }, contextWith(30_000));
  });
});
