import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aws } from "../engines/aws/index.ts";
import { sqlite } from "../engines/sqlite/index.ts";
import type { SecretReference } from "../ports/secrets.ts";
import { arranged } from "../runtime/arranged.ts";
import { settingsFrom } from "../runtime/config.ts";
import type { EngineLoaders } from "./engine.ts";
import { type Loaded, load, type Purpose } from "./load.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-config-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Given {
  readonly env?: Record<string, string>;
  readonly flags?: Record<string, unknown>;
  readonly json?: unknown;
  readonly module?: string;
  readonly purpose?: Purpose;
  readonly engines?: EngineLoaders;
}

const ENGINES: EngineLoaders = { sqlite, aws };

async function loaded(given: Given): Promise<Loaded> {
  const { env = {}, flags = {}, json, module, purpose = "look", engines = ENGINES } = given;
  if (json !== undefined) await writeFile(join(folder, "lull.config.json"), JSON.stringify(json));
  if (module !== undefined) await writeFile(join(folder, "lull.config.ts"), module);
  return load({ file: undefined, env, flags, cwd: folder, purpose, engines });
}

function configOf(given: Loaded) {
  return given.config(() => {});
}

const TWILIO = {
  TWILIO_ACCOUNT_SID: "AC1",
  TWILIO_AUTH_TOKEN: "token",
  TWILIO_WHATSAPP_FROM: "whatsapp:+15550100",
};

describe("order", () => {
  test("without anything the documented defaults are in force", async () => {
    const { server, resolved, responder } = await loaded({});
    expect(server).toEqual({
      port: 8080,
      host: "127.0.0.1",
      db: join(folder, "data/lull.db"),
      workers: 1,
      stopGraceMs: 25_000,
      hungMs: 10_000,
      logLevel: "info",
    });
    expect(resolved.get("limits.concurrency")).toMatchObject({ value: 50, origin: "default" });
    expect(resolved.get("limits.leaseSeconds")).toMatchObject({ value: 60 });
    expect(responder).toMatchObject({ kind: "echo", origin: "default" });
  });

  test("a flag wins over the environment, that over the file, and the file over the default", async () => {
    const json = { port: 1001, host: "file", workers: 3 };
    const { resolved } = await loaded({
      json,
      env: { PORT: "1002", LULL_HOST: "environment" },
      flags: { port: "1003" },
    });
    expect(resolved.get("port")).toMatchObject({ value: 1003, origin: "--port" });
    expect(resolved.get("host")).toMatchObject({ value: "environment", origin: "LULL_HOST" });
    expect(resolved.get("workers")).toMatchObject({ value: 3, origin: "lull.config.json" });
    expect(resolved.get("db")).toMatchObject({ origin: "default" });
  });

  test("other paths of webhooks are an object in a file, pairs in the environment, which wins", async () => {
    const json = { channels: { old: { web: true } }, aliases: { "/file": "old" } };
    expect(configOf(await loaded({ json })).aliases).toEqual({ "/file": "old" });
    const env = { LULL_ALIASES: "/webhook=old, /hook=old" };
    const both = await loaded({ json, env });
    expect(configOf(both).aliases).toEqual({ "/webhook": "old", "/hook": "old" });
    expect(both.resolved.get("aliases")).toMatchObject({ origin: "LULL_ALIASES" });
    await expect(loaded({ json, env: { LULL_ALIASES: "/webhook" } })).rejects.toThrow(
      "LULL_ALIASES must be paths and their channels, such as /webhook=wati",
    );
    await expect(loaded({ json: { aliases: { "/api": "old" } } })).rejects.toThrow(
      `lull.config.json: aliases: "/api" is Lull's own`,
    );
    await expect(loaded({ json: { aliases: "/webhook=old" } })).rejects.toThrow("aliases must be an object");
  });

  test("an empty variable counts as not set", async () => {
    const { server, responder } = await loaded({ env: { PORT: "", LULL_DB: " ", OPENAI_API_KEY: "" } });
    expect(server.port).toBe(8080);
    expect(server.db).toBe(join(folder, "data/lull.db"));
    expect(responder.kind).toBe("echo");
  });

  test("limits of the environment reach the library in its own words", async () => {
    const env = {
      LULL_LEASE_SECONDS: "6",
      LULL_CONCURRENCY: "7",
      LULL_ATTEMPTS_MAX: "2",
      LULL_SETTLE_SECONDS: "0.5",
    };
    const { limits } = configOf(await loaded({ env, json: { limits: { batchMessagesMax: 9 } } }));
    expect(limits).toEqual({
      leaseSeconds: 6,
      concurrency: 7,
      attemptsMax: 2,
      settleSeconds: 0.5,
      batchMessagesMax: 9,
    });
  });
});

describe("the engine", () => {
  const engineOf = async (given: Given) => configOf(await loaded(given)).engine.name;
  const OWN = `export default { engine: { name: "own", open: async () => {} } };`;

  test("is SQLite's file unless the file, the environment or a flag says aws", async () => {
    expect(await engineOf({})).toBe(`sqlite ${join(folder, "data/lull.db")}`);
    expect(await engineOf({ flags: { engine: "aws" } })).toBe("aws");
    expect(await engineOf({ env: { LULL_ENGINE: "aws" } })).toBe("aws");
    expect(await engineOf({ json: { engine: "aws" }, env: { LULL_DB: "x.db" } })).toBe("aws");
    const { server, resolved } = await loaded({ env: { LULL_ENGINE: "aws" } });
    expect([server.db, resolved.has("db")]).toEqual([undefined, false]);
  });

  test("of a module stays until a later layer names another kind", async () => {
    expect(await engineOf({ module: OWN })).toBe("own");
    expect(await engineOf({ env: { LULL_ENGINE: "aws" } })).toBe("aws");
    expect((await loaded({})).resolved.get("engine")).toMatchObject({
      value: "own",
      origin: "lull.config.ts",
    });
  });

  test("of a module keeps its options when the environment says the same kind", async () => {
    const module = `export default { engine: { name: "aws", mine: true, open: async () => {} } };`;
    const given = await loaded({ module, env: { LULL_ENGINE: "aws", LULL_DB: "x.db" } });
    expect(configOf(given).engine).toMatchObject({ mine: true });
  });

  test("is loaded only when it is chosen, and only where it can run", async () => {
    const refused = () => {
      throw new Error("not asked for");
    };
    expect(await engineOf({ engines: { sqlite, aws: refused } })).toContain("sqlite");
    expect(await engineOf({ engines: { sqlite: refused, aws }, flags: { engine: "aws" } })).toBe("aws");
    await expect(loaded({ engines: { aws } })).rejects.toThrow(
      "engine sqlite cannot be used here; there is aws",
    );
  });

  test("brings its own defaults, which give way to what is said", async () => {
    const given = await loaded({ env: { LULL_ENGINE: "aws" }, json: { limits: { sweepSeconds: 30 } } });
    expect(settingsFrom(configOf(given), arranged(configOf(given)))).toMatchObject({
      sweepMs: 30_000,
      graceMs: 60_000,
      clockSkewMs: 2_000,
      batchMessagesMax: 30,
      batchBytesMax: 256_000,
      leaseMs: 60_000,
    });
    const shown = ["sweepSeconds", "graceSeconds", "batchBytesMax", "leaseSeconds"].map(
      (name) => given.resolved.get(`limits.${name}`)?.value,
    );
    expect(shown).toEqual([30, 60, 256_000, 60]);
  });
});

describe("the window", () => {
  test("takes fractions of seconds", async () => {
    expect(configOf(await loaded({ env: { LULL_WINDOW_SECONDS: "0.25" } })).window).toEqual({
      seconds: 0.25,
    });
  });

  test("is a quiet one when a quiet time is set, even beside a fixed one", async () => {
    const env = { LULL_WINDOW_SECONDS: "10", LULL_WINDOW_QUIET_SECONDS: "4", LULL_WINDOW_MAX_SECONDS: "9" };
    expect(configOf(await loaded({ env })).window).toEqual({ quietSeconds: 4, maxSeconds: 9 });
  });

  test("the newer layer says which kind it is", async () => {
    const json = { window: { quietSeconds: 4, maxSeconds: 5 } };
    expect(configOf(await loaded({ json, flags: { window: "3" } })).window).toEqual({ seconds: 3 });
    // The file's maximum belonged to the file's quiet time, and would be less than the new one.
    expect(configOf(await loaded({ json, env: { LULL_WINDOW_QUIET_SECONDS: "30" } })).window).toEqual({
      quietSeconds: 30,
    });
  });

  test("a maximum without a quiet time, or less than it, is an error", async () => {
    await expect(loaded({ env: { LULL_WINDOW_MAX_SECONDS: "9" } }).then(configOf)).rejects.toThrow(
      /LULL_WINDOW_MAX_SECONDS needs/,
    );
    const env = { LULL_WINDOW_QUIET_SECONDS: "9", LULL_WINDOW_MAX_SECONDS: "4" };
    await expect(loaded({ env }).then(configOf)).rejects.toThrow(
      /must not be less than LULL_WINDOW_QUIET_SECONDS/,
    );
  });

  test.each([
    [{ seconds: 5, quietSeconds: 4 }, /: windows\.web needs either seconds, or quietSeconds/],
    [{}, /: windows\.web needs either seconds, or quietSeconds/],
    [{ quietSeconds: 4, maxSeconds: 1 }, /: windows\.web\.maxSeconds must not be less than quietSeconds/],
    [{ quietSecond: 4 }, /: windows\.web\.quietSecond is not a known setting\. Did you mean quietSeconds\?/],
    [{ seconds: -1 }, /: windows\.web\.seconds must be a number from 0 to 604800, not -1/],
    [5, /: windows\.web must be an object with seconds, quietSeconds, maxSeconds/],
  ])("a channel's window %j in a file is refused, naming the file", async (window, words) => {
    await expect(loaded({ json: { windows: { web: window } } })).rejects.toThrow(words);
  });
});

describe("channels", () => {
  test("Twilio's variables turn channels on, with or without the prefix", async () => {
    const { channels } = await loaded({ env: { ...TWILIO, TWILIO_SMS_FROM: "+15550101" }, purpose: "start" });
    expect(channels.map(({ name, kind, addresses, origin }) => ({ name, kind, addresses, origin }))).toEqual([
      { name: "whatsapp", kind: "twilio whatsapp", addresses: ["+15550100"], origin: "TWILIO_WHATSAPP_FROM" },
      { name: "sms", kind: "twilio sms", addresses: ["+15550101"], origin: "TWILIO_SMS_FROM" },
    ]);
  });

  test("WATI's numbers are given as WATI writes them, and are its channel's own", async () => {
    const env = {
      WATI_API_URL: "https://wati.example/1",
      WATI_TOKEN: "t",
      WATI_WEBHOOK_SECRET: "s",
      WATI_NUMBERS: "+15550199, 15550198",
    };
    const { channels } = await loaded({ env: { ...env, ...TWILIO }, purpose: "start" });
    const wati = channels.find(({ name }) => name === "wati")!;
    expect(wati.addresses).toEqual(["15550199", "15550198"]);
    wati.channel.open?.({ name: "wati", secrets: { get: async () => "s" }, nowMs: () => 0 });
    expect(wati.channel.addresses).toEqual(["15550199", "15550198"]);
  });

  test("a channel that lacks its credentials is an error that names them", async () => {
    await expect(loaded({ env: { TWILIO_SMS_FROM: "+15550101" } })).rejects.toThrow(
      "TWILIO_SMS_FROM turns channel sms on, which also needs TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN",
    );
    await expect(loaded({ env: { WATI_API_URL: "https://wati.example/1" } })).rejects.toThrow(
      /WATI_TOKEN and WATI_WEBHOOK_SECRET/,
    );
  });

  test("start without any channel says what to set", async () => {
    await expect(loaded({ purpose: "start" })).rejects.toThrow(
      /TWILIO_WHATSAPP_FROM.*WATI_API_URL.*LULL_WEB=1/,
    );
  });

  test("the phone page is on in dev, in start when asked for, and nowhere when refused", async () => {
    const names = async (given: Given) => (await loaded(given)).channels.map(({ name }) => name);
    expect(await names({ purpose: "dev" })).toEqual(["web"]);
    expect(await names({ purpose: "start", env: { LULL_WEB: "1" } })).toEqual(["web"]);
    expect(await names({ purpose: "start", env: TWILIO })).toEqual(["whatsapp"]);
    expect(await names({ purpose: "dev", env: { ...TWILIO, LULL_WEB: "off" } })).toEqual(["whatsapp"]);
  });

  test("a JSON file describes channels, and the environment completes the one with its name", async () => {
    const json = {
      channels: { whatsapp: { twilio: "whatsapp", from: "+1" }, shop: { web: true, address: "shop" } },
    };
    const { channels } = await loaded({ json, env: TWILIO, purpose: "start" });
    expect(channels.map(({ name, kind, addresses, origin }) => ({ name, kind, addresses, origin }))).toEqual([
      { name: "whatsapp", kind: "twilio whatsapp", addresses: ["+15550100"], origin: "lull.config.json" },
      { name: "shop", kind: "web", addresses: ["shop"], origin: "lull.config.json" },
    ]);
  });

  test.each([
    [{ channels: { a: { twillio: "sms" } } }, /channels\.a must be a channel.*Did you mean twilio\?/],
    [{ channels: { a: { twilio: "fax" } } }, /channels\.a\.twilio must be "whatsapp" or "sms"/],
    [
      { channels: { a: { twilio: "sms", form: "+1" } } },
      /channels\.a\.form is not a known setting\. Did you mean from\?/,
    ],
    [{ channels: [] }, /channels must be an object/],
  ])("a description that makes no sense is an error: %j", async (json, message) => {
    await expect(loaded({ json })).rejects.toThrow(message);
  });
});

describe("the responder", () => {
  test("of a channel that is not there is refused", async () => {
    const json = { channels: { shop: { web: true } }, responders: { shpo: "echo" } };
    await expect(loaded({ json })).rejects.toThrow(/there is no channel shpo\. Did you mean shop\?/);
    await loaded({ json: { channels: { shop: { web: true } }, responders: { shop: "echo", web: "echo" } } });
  });

  test("is OpenAI with a key or a base URL, the echo without", async () => {
    expect((await loaded({ env: { OPENAI_API_KEY: "sk" } })).responder).toMatchObject({
      kind: "openai",
      origin: "OPENAI_API_KEY",
    });
    expect((await loaded({ env: { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" } })).responder.kind).toBe(
      "openai",
    );
  });

  test("is a queue where one is named, also for the conversations that a human has", async () => {
    const url = (name: string) => `https://sqs.eu-west-1.amazonaws.com/111122223333/${name}`;
    const env = { LULL_AI_QUEUE: url("ai"), LULL_HANDOFF_QUEUE: url("agents"), OPENAI_API_KEY: "sk" };
    const byName = await loaded({ env });
    expect(byName.responder).toMatchObject({ kind: "queue", origin: "LULL_AI_QUEUE" });
    const { respond, handOffTo } = configOf(byName);
    expect([respond?.handsTo, handOffTo?.handsTo]).toEqual([url("ai"), url("agents")]);
    const never = { ...env, LULL_AI_QUEUE_ANSWER_SECONDS: "0" };
    await expect(loaded({ env: never })).rejects.toThrow(
      /LULL_AI_QUEUE_ANSWER_SECONDS must be a number from 1/,
    );

    const json = { responder: { queue: { url: url("b") } }, handOffTo: { queue: { url: url("c") } } };
    const byFile = configOf(await loaded({ json, env }));
    expect([byFile.respond?.handsTo, byFile.handOffTo?.handsTo]).toEqual([url("b"), url("c")]);
  });

  test("of the file stays, whatever keys lie around in the environment", async () => {
    const { responder } = await loaded({ json: { responder: "echo" }, env: { OPENAI_API_KEY: "sk" } });
    expect(responder).toMatchObject({ kind: "echo", origin: "lull.config.json" });
  });

  test.each([
    [{ responder: { opnai: {} } }, /opnai is not a responder\. Did you mean openai\?/],
    [
      { responder: { openai: { modle: "x" } } },
      /responder\.openai\.modle is not a known setting\. Did you mean model\?/,
    ],
    [{ responder: 5 }, /responder must be a function/],
    [{ handOffTo: true }, /handOffTo must be a function/],
    [{ responder: { queue: { url: "https://sqs.example" } } }, /queue: url must be a queue's URL/],
    [{ responder: "echo", respond: "echo" }, /keep one/],
  ])("a description that makes no sense is an error: %j", async (json, message) => {
    await expect(loaded({ json })).rejects.toThrow(message);
  });
});

describe("the file", () => {
  test("may be a TypeScript module", async () => {
    const module = `
      const seconds: number = 3;
      export default { window: { seconds }, respond: async () => "from code", limits: { leaseSeconds: 9 } };
    `;
    const given = await loaded({ module });
    expect(given.responder).toMatchObject({ kind: "code", origin: "lull.config.ts" });
    expect(configOf(given)).toMatchObject({ window: { seconds: 3 }, limits: { leaseSeconds: 9 } });
  });

  test.each([
    [{ widnow: { seconds: 1 } }, "lull.config.json: widnow is not a known setting. Did you mean window?"],
    [
      { window: { second: 1 } },
      "lull.config.json: window.second is not a known setting. Did you mean seconds?",
    ],
    [{ limits: { leaseSecond: 1 } }, "Did you mean leaseSeconds?"],
    [{ port: "8080" }, 'lull.config.json: port must be a whole number from 0 to 65535, not "8080"'],
    [{ engine: "redis" }, 'engine must be one of sqlite, aws or an object with a function open, not "redis"'],
    [{ engine: {} }, "an object is code, and belongs in a lull.config.ts"],
    [
      { limits: [] },
      "lull.config.json: limits must be an object with concurrency, leaseSeconds, attemptsMax",
    ],
    [{ log: "loud" }, 'log must be a function, not "loud": it is code, and belongs in a lull.config.ts'],
    [{ whileBusy: "wait" }, 'whileBusy must be one of queue, restart, reject, not "wait"'],
    [[], "must hold one JSON object"],
  ])("says what is wrong with it: %j", async (json, message) => {
    await expect(loaded({ json })).rejects.toThrow(message);
  });

  test("that is named has to be there; that is broken is told in one line", async () => {
    const request = { env: {}, flags: {}, cwd: folder, purpose: "look" as const, engines: ENGINES };
    await expect(load({ ...request, file: "other.json" })).rejects.toThrow(
      "there is no configuration file other.json",
    );
    await writeFile(join(folder, "broken.json"), "{ window: 1 }");
    await expect(load({ ...request, file: "broken.json" })).rejects.toThrow(/broken\.json is not valid JSON/);
    await writeFile(join(folder, "throws.mjs"), "throw new Error('no such luck\\nat all')");
    await expect(load({ ...request, file: "throws.mjs" })).rejects.toThrow(
      "throws.mjs could not be loaded: no such luck",
    );
  });
});

test.each([
  ["PORT", "http", "PORT must be a whole number from 0 to 65535"],
  ["PORT", "70000", "PORT must be"],
  ["LULL_WORKERS", "0", "LULL_WORKERS must be a whole number from 1 to 256"],
  ["LULL_WINDOW_SECONDS", "ten", 'LULL_WINDOW_SECONDS must be a number from 0 to 604800, not "ten"'],
  ["LULL_LEASE_SECONDS", "-1", "LULL_LEASE_SECONDS must be"],
  ["LULL_WHILE_BUSY", "ignore", "LULL_WHILE_BUSY must be one of queue, restart, reject"],
  ["LULL_PUBLIC_URL", "example.com", "LULL_PUBLIC_URL must be a URL"],
  ["LULL_WEB", "maybe", "LULL_WEB must be yes or no"],
])("%s=%s is refused by name", async (name, value, message) => {
  await expect(loaded({ env: { [name]: value } })).rejects.toThrow(message);
});

test("the API token travels as a reference, never as a value", async () => {
  expect(configOf(await loaded({ env: { LULL_API_TOKEN: "secret" } })).apiToken).toEqual({
    env: "LULL_API_TOKEN",
  });
  expect(configOf(await loaded({ json: { apiToken: { file: "/run/token" } } })).apiToken).toEqual({
    file: "/run/token",
  });
});

describe("a secret that is given by its name", () => {
  const NAMED = { ...TWILIO, TWILIO_AUTH_TOKEN: "", TWILIO_AUTH_TOKEN_SECRET: "prod/twilio#authToken" };

  test("stands in the variable's place", async () => {
    const env = { ...NAMED, LULL_API_TOKEN_SECRET: "prod/lull", OPENAI_API_KEY_SECRET: "prod/openai" };
    const given = await loaded({ env, purpose: "start" });
    expect(given.resolved.get("twilio.authToken")).toMatchObject({
      value: { name: "prod/twilio#authToken" },
      origin: "TWILIO_AUTH_TOKEN_SECRET",
    });
    expect(configOf(given).apiToken).toEqual({ name: "prod/lull" });
    expect(given.channels.map(({ name }) => name)).toEqual(["whatsapp"]);
    expect(given.responder).toMatchObject({ kind: "openai", origin: "OPENAI_API_KEY_SECRET" });
  });

  test("is what a record may call a reference to the variable by", async () => {
    const env = { BETA_TWILIO_SECRET: "prod/beta", ACME_TWILIO: "token", ACME_TWILIO_SECRET: "prod/acme" };
    const namedSecrets = async () => ({ get: async () => "" });
    const request = { file: undefined, env, flags: {}, cwd: folder, engines: ENGINES, namedSecrets };
    const { secrets } = await load({ ...request, purpose: "look" });
    expect(secrets.nameOf?.({ env: "BETA_TWILIO" })).toBe("prod/beta");
    expect(secrets.nameOf?.({ env: "ACME_TWILIO" })).toBeUndefined();
  });

  test("is read from the store of named secrets, which is loaded only for that", async () => {
    let times = 0;
    const namedSecrets = async () => {
      times += 1;
      return { get: async (reference: SecretReference) => `value of ${JSON.stringify(reference)}` };
    };
    const env = { ...NAMED, OPENAI_API_KEY: "sk-here" };
    const request = { file: undefined, env, flags: {}, cwd: folder, engines: ENGINES, namedSecrets };
    const { secrets } = await load({ ...request, purpose: "start" });
    expect(await secrets.get({ env: "OPENAI_API_KEY" })).toBe("sk-here");
    expect(await secrets.get("itself")).toBe("itself");
    expect(times).toBe(0);
    await secrets.get({ name: "prod/twilio#authToken" });
    expect(await secrets.get({ name: "prod/openai" })).toBe('value of {"name":"prod/openai"}');
    expect(times).toBe(1);
  });

  test.each([
    [
      { TWILIO_AUTH_TOKEN: "token", TWILIO_AUTH_TOKEN_SECRET: "prod/twilio" },
      "TWILIO_AUTH_TOKEN and TWILIO_AUTH_TOKEN_SECRET are both set; keep one",
    ],
    [
      { TWILIO_ACCOUNT_SID_SECRET: "prod/twilio#sid" },
      "TWILIO_ACCOUNT_SID_SECRET: TWILIO_ACCOUNT_SID is no secret; set TWILIO_ACCOUNT_SID itself",
    ],
    [
      { LULL_API_TOKN_SECRET: "prod/lull" },
      "LULL_API_TOKN_SECRET is not a known setting. Did you mean LULL_API_TOKEN_SECRET?",
    ],
    [{ OPENAI_API_KEY_SECRET: "#key" }, "OPENAI_API_KEY_SECRET must be the name or ARN of a secret"],
    [{ OPENAI_API_KEY_SECRET: "prod#" }, "OPENAI_API_KEY_SECRET must be the name or ARN of a secret"],
  ])("%o is told in words", async (env, message) => {
    await expect(loaded({ env: { ...env } as Record<string, string> })).rejects.toThrow(message);
  });

  test("is not looked for in variables of other programs", async () => {
    const env = {
      TWILIO_API_KEY_SECRET: "x",
      CLIENT_SECRET: "y",
      WATI_WEBHOOK_SECRET: "z",
      LULL_API_TOKEN_SECRET: "",
    };
    const { resolved } = await loaded({ env });
    expect(resolved.get("wati.webhookSecret")).toMatchObject({ value: "z", origin: "WATI_WEBHOOK_SECRET" });
    expect(resolved.has("apiToken")).toBe(false);
  });
});
