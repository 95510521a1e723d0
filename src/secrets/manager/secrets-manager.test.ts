import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ConfigError, LullError } from "../../errors.ts";
import { fakeSecretsManager } from "../../testing/fake-secrets-manager.ts";
import { secretsManager } from "./index.ts";

const fake = fakeSecretsManager();
let client: SecretsManagerClient;
beforeAll(() => fake.start());
afterAll(() => fake.stop());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  fake.behave(() => ({ kind: "ok" }));
  fake.put("prod/twilio", '{ "authToken": "first", "port": 25, "list": [] }');
  fake.put("prod/openai", "sk-plain");
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  client = new SecretsManagerClient({ region: "eu-west-1", endpoint: fake.url, credentials, maxAttempts: 1 });
});
afterEach(() => {
  vi.useRealTimers();
  client.destroy();
});

async function rejection(promise: Promise<unknown>): Promise<LullError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof LullError)) throw new Error(`no LullError: ${error}`);
  return error;
}

describe("a secret is", () => {
  test("the text itself, or a key of a JSON secret", async () => {
    const secrets = secretsManager({ client });
    expect(await secrets.get({ name: "prod/openai" })).toBe("sk-plain");
    expect(await secrets.get({ name: "prod/twilio#authToken" })).toBe("first");
    expect(await secrets.get({ name: "prod/twilio#port" })).toBe("25");
  });

  test("found by its ARN", async () => {
    const arn = "arn:aws:secretsmanager:eu-west-1:000000000000:secret:prod/wati-AbCdEf";
    fake.put(arn, '{"token":"by-arn"}');
    expect(await secretsManager({ client }).get({ name: `${arn}#token` })).toBe("by-arn");
  });

  test("looked for elsewhere when it is kept elsewhere", async () => {
    vi.stubEnv("LULL_TEST_TOKEN", "from the environment");
    const secrets = secretsManager({ client });
    expect(await secrets.get({ env: "LULL_TEST_TOKEN" })).toBe("from the environment");
    expect(await secrets.get("itself")).toBe("itself");
    vi.unstubAllEnvs();
  });

  test("asked for once, however many want it, and again when it is too old", async () => {
    const secrets = secretsManager({ client, maxAgeSeconds: 60 });
    const before = fake.requests.length;
    const names = ["prod/twilio#authToken", "prod/twilio#port", "prod/twilio#authToken"];
    await Promise.all(names.map((name) => secrets.get({ name })));
    await secrets.get({ name: "prod/twilio#authToken" });
    expect(fake.requests.length - before).toBe(1);
    fake.put("prod/twilio", '{"authToken":"rotated"}');
    vi.setSystemTime(Date.now() + 59_000);
    expect(await secrets.get({ name: "prod/twilio#authToken" })).toBe("first");
    vi.setSystemTime(Date.now() + 2_000);
    expect(await secrets.get({ name: "prod/twilio#authToken" })).toBe("rotated");
    expect(fake.requests.length - before).toBe(2);
  });

  test("kept for five minutes by default", async () => {
    const secrets = secretsManager({ client });
    await secrets.get({ name: "prod/openai" });
    fake.put("prod/openai", "sk-rotated");
    vi.setSystemTime(Date.now() + 299_000);
    expect(await secrets.get({ name: "prod/openai" })).toBe("sk-plain");
    vi.setSystemTime(Date.now() + 2_000);
    expect(await secrets.get({ name: "prod/openai" })).toBe("sk-rotated");
  });

  test("used on while the store cannot be reached", async () => {
    const secrets = secretsManager({ client, maxAgeSeconds: 1 });
    await secrets.get({ name: "prod/openai" });
    vi.setSystemTime(Date.now() + 2_000);
    fake.behave(() => ({ kind: "error", status: 500 }));
    expect(await secrets.get({ name: "prod/openai" })).toBe("sk-plain");
    fake.behave(() => ({ kind: "ok" }));
    fake.put("prod/openai", undefined);
    vi.setSystemTime(Date.now() + 1_000);
    // Removed is not unreachable.
    expect(await rejection(secrets.get({ name: "prod/openai" }))).toBeInstanceOf(ConfigError);
  });
});

describe("one that never comes", () => {
  const options = () => ({
    ...{ region: "eu-west-1", endpoint: fake.url, timeoutSeconds: 1, maxAgeSeconds: 60 },
  });
  const asked = (name: string) => fake.requests.filter(({ body }) => body.includes(name)).length;

  beforeEach(() => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  });
  afterEach(() => vi.unstubAllEnvs());

  test("takes no other from those who know it, and breaks off no other's first read", async () => {
    const given = Promise.withResolvers<void>();
    fake.put("prod/slow", "slow");
    fake.put("prod/beta", "beta");
    fake.behave(async ({ body }) => {
      if (body.includes("prod/acme")) return { kind: "hang" };
      if (body.includes("prod/beta")) await given.promise;
      return { kind: "ok", ...(body.includes("prod/slow") && { afterMs: 300 }) };
    });
    const secrets = secretsManager(options());
    expect(await secrets.get({ name: "prod/openai" })).toBe("sk-plain");
    const before = asked("prod/openai");
    const hanging = rejection(secrets.get({ name: "prod/acme" }));
    await secrets.get({ name: "prod/slow" });
    const underWay = secrets.get({ name: "prod/beta" });
    expect(await hanging).toMatchObject({ code: "SECRET_UNAVAILABLE", retry: "later" });
    given.resolve();
    expect(await underWay).toBe("beta");
    expect(await secrets.get({ name: "prod/openai" })).toBe("sk-plain");
    expect(asked("prod/openai")).toBe(before);
  });

  test("is asked for once a second at most", async () => {
    fake.behave(({ body }) => ({ kind: body.includes("prod/acme") ? "hang" : "ok" }));
    const secrets = secretsManager(options());
    const first = await rejection(secrets.get({ name: "prod/acme" }));
    const before = asked("prod/acme");
    expect(await rejection(secrets.get({ name: "prod/acme" }))).toBe(first);
    expect(asked("prod/acme")).toBe(before);
    fake.behave(() => ({ kind: "ok" }));
    fake.put("prod/acme", "here now");
    vi.setSystemTime(Date.now() + 1_000);
    expect(await secrets.get({ name: "prod/acme" })).toBe("here now");
  });
});

describe("an error names the secret and never its value:", () => {
  test.each([
    ["nowhere", "the secret nowhere does not exist"],
    ["nowhere#key", "the secret nowhere#key does not exist"],
    ["prod/twilio#sid", "the secret prod/twilio#sid has no text under that key"],
    ["prod/twilio#list", "the secret prod/twilio#list has no text under that key"],
    ["prod/twilio#toString", "the secret prod/twilio#toString has no text under that key"],
    ["prod/openai#key", "the secret prod/openai#key is not a JSON object"],
  ])("%s", async (name, message) => {
    const error = await rejection(secretsManager({ client }).get({ name }));
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toContain(message);
    expect(error.message).not.toMatch(/first|sk-plain/);
  });

  test("an empty one", async () => {
    fake.put("empty", '{"key":""}');
    expect((await rejection(secretsManager({ client }).get({ name: "empty#key" }))).message).toBe(
      "the secret empty#key is empty",
    );
  });

  test.each([
    ["throttled", () => ({ kind: "error", status: 400 }) as const],
    ["out of order", () => ({ kind: "error", status: 500 }) as const],
    ["cut off", () => ({ kind: "drop" }) as const],
  ])("a store that is %s may be there later", async (_how, behaviour) => {
    fake.behave(behaviour);
    const error = await rejection(secretsManager({ client }).get({ name: "prod/openai" }));
    expect(error).toMatchObject({ code: "SECRET_UNAVAILABLE", retry: "later" });
    expect(error.message).toContain("the secret prod/openai cannot be read");
  });

  test("a store that denies access", async () => {
    fake.behave(() => ({
      kind: "status",
      status: 400,
      body: JSON.stringify({ __type: "AccessDeniedException", Message: "no" }),
    }));
    const error = await rejection(secretsManager({ client }).get({ name: "prod/openai" }));
    expect(error).toMatchObject({ code: "INVALID_CONFIG", retry: "never" });
    expect(error.message).toContain("AWS does not let us use the secret prod/openai");
  });

  test("one that failed is asked for again at once", async () => {
    const secrets = secretsManager({ client });
    await rejection(secrets.get({ name: "late" }));
    fake.put("late", "here now");
    expect(await secrets.get({ name: "late" })).toBe("here now");
  });
});
