import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ENGINES } from "../../src/cli/engines.ts";
import { KNOBS } from "../../src/config/knobs.ts";
import { type Loaded, load, type Purpose } from "../../src/config/load.ts";
import { memory } from "../../src/engines/memory/index.ts";
import { ConfigError } from "../../src/errors.ts";
import { createLull } from "../../src/index.ts";
import { ALIASES, type Aliases, aliasesAsText } from "../../src/schema/aliases.ts";
import type { Schema } from "../../src/schema/schema.ts";
import { hold } from "./hold.ts";
import { legible } from "./mutated.ts";
import { nastyJson, nastyText } from "./nasty-json.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-bad-config-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SECRET = "sk-do-not-print-me";

/** Values that a kind calls good. */
function good(kind: Schema): fc.Arbitrary<string | number | boolean | object> {
  switch (kind.type) {
    case "integer":
      return fc.integer({ min: kind.minimum ?? 0, max: 20 });
    case "number":
      return fc.double({ min: kind.minimum ?? 0, max: 90, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "secret":
      return fc.constantFrom(SECRET, { env: "SOME_TOKEN" });
    case "url":
      return fc.constant("http://127.0.0.1:9/v1");
    case "string":
      return fc.constantFrom(...(kind.enum ?? ["+15550100", "data/x.db", "127.0.0.1", "hello"]));
    case "object":
      return fc.constantFrom(...(kind === ALIASES ? [{}, { "/webhook": "web" }] : []));
    default:
      throw new Error(`there is no setting of type ${kind.type}`);
  }
}

function goodUnder(prefix: string): Record<string, fc.Arbitrary<unknown>> {
  const under = KNOBS.filter(({ key, notInFile }) => !notInFile && key.startsWith(prefix));
  const own = under.map(({ key, kind }) => [key.slice(prefix.length), good(kind)] as const);
  return Object.fromEntries(own.filter(([key]) => !key.includes(".")));
}

const some = (fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc.record(fields, { requiredKeys }) as fc.Arbitrary<Record<string, unknown>>;
const secret = good({ type: "secret" });
const text = fc.constant("x");
const url = good({ type: "url" });

const TWILIO = {
  twilio: fc.constantFrom("whatsapp", "sms"),
  from: fc.constantFrom("+15550100", ["+1", "+2"]),
  accountSid: text,
  authToken: secret,
  accounts: fc.constant({ AC2: { authToken: "t", from: "+15550101" }, AC3: "token" }),
  apiKey: fc.constant({ sid: "SK1", secret: "s" }),
  messagingServiceSid: text,
  apiUrl: url,
  textMax: fc.integer({ min: 1, max: 2_000 }),
};
const WATI = { wati: fc.constant(true), apiUrl: url, token: secret, webhookSecret: secret, account: text };
const channel = fc.oneof(
  some(TWILIO, ["twilio", "accountSid"]),
  some(WATI, ["wati", "apiUrl"]),
  some({ web: fc.constant(true), secret, address: text }, ["web"]),
);
const OPENAI = {
  model: text,
  instructions: text,
  apiKey: secret,
  baseUrl: url,
  historyMessagesMax: fc.nat(9),
  maxOutputTokens: fc.nat(9),
  reasoning: fc.constant({ effort: "low" }),
  toolRoundsMax: fc.nat(9),
  media: fc.constantFrom("mention", "link"),
  body: fc.constant({ service_tier: "flex" }),
};
const HTTP = {
  url,
  secret,
  headers: fc.constant({ a: { env: "SOME_TOKEN" } }),
  historyMessagesMax: fc.nat(9),
};
const responder = fc.oneof(
  fc.constant("echo"),
  some(OPENAI).map((openai) => ({ openai })),
  some(HTTP, ["url"]).map((http) => ({ http })),
);
const name = fc.constantFrom("web", "whatsapp", "sms", "wati", "shop");

const goodFile = some({
  ...goodUnder(""),
  window: some({ seconds: fc.nat(9) }),
  limits: some(goodUnder("limits.")),
  channels: fc.dictionary(name, channel, { maxKeys: 2 }),
  windows: fc.constant({}),
  responder,
  responders: fc.dictionary(name, responder, { maxKeys: 1 }),
  project: fc.constant({ status: "active", allowedChannels: ["web"] }),
});

/** What belongs in a module, and means nothing in JSON. */
const CODE = ["engine", "secrets", "log", "clock", "random", "handOffTo", "respond", "windows", "project"];

/** A good file with one or two bad places: an entirely bad one gets no further than its first line. */
const file = fc
  .tuple(
    goodFile,
    fc.array(fc.tuple(fc.nat(10_000), nastyJson), { maxLength: 2 }),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...CODE, "__proto__", "toString"), nastyJson) },
    ),
  )
  .map(([whole, damages, code]) => {
    // A copy: generated values may share parts.
    const content = structuredClone(whole);
    const places = placesIn(content);
    for (const [at, [place]] of damages.entries()) places[place % places.length]?.(mark(at));
    if (code)
      Object.defineProperty(content, code[0], { value: mark(9), enumerable: true, configurable: true });
    const marked = JSON.stringify(content);
    const values = [
      ...damages.map(([, json], at) => [mark(at), json]),
      ...(code ? [[mark(9), code[1]]] : []),
    ];
    const damaged = values.reduce(
      (all, [from, to]) => all.replaceAll(JSON.stringify(from), () => to!),
      marked,
    );
    return legible(Buffer.from(damaged));
  });

const mark = (at: number) => `@@${at}@@`;

/** One setter for each value in a tree, branches included. */
function placesIn(tree: Record<string, unknown>): ((value: unknown) => void)[] {
  return Object.entries(tree).flatMap(([key, value]) => [
    (other: unknown) => {
      tree[key] = other;
    },
    ...(typeof value === "object" && value !== null ? placesIn(value as Record<string, unknown>) : []),
  ]);
}

const variables = KNOBS.flatMap(({ env, kind }) =>
  env === undefined
    ? []
    : [
        [
          env,
          fc.oneof({ weight: 3, arbitrary: good(kind).map(asText) }, { weight: 1, arbitrary: nastyText }),
        ] as const,
      ],
);
const environment = fc.record(Object.fromEntries(variables), { requiredKeys: [] });

function asText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return "env" in value ? SECRET : aliasesAsText(value as Aliases);
}

async function tryToLoad(
  content: Buffer | undefined,
  env: Record<string, string>,
  purpose: Purpose,
): Promise<Loaded | ConfigError> {
  const path = content && join(folder, "given.json");
  if (path) await writeFile(path, content);
  return load({ file: path, env, flags: {}, cwd: folder, purpose, engines: ENGINES }).catch(asConfigError);
}

/** The only error that a person's mistake may lead to: it says in one line what and where. */
function asConfigError(error: unknown): ConfigError {
  expect(error).toBeInstanceOf(ConfigError);
  const { message } = error as ConfigError;
  expect(message).not.toBe("");
  expect(message).not.toMatch(/undefined|\[object|is not a function|Cannot read/);
  expect(message).not.toContain(SECRET);
  return error as ConfigError;
}

/** What was accepted has to work: every channel gets a strange webhook, and no setting makes it fail. */
async function expectUsable(loaded: Loaded): Promise<void> {
  const stumbles: unknown[] = [];
  const log = (level: string, _event: string, fields: unknown = {}) => {
    if (level === "error") stumbles.push((fields as { reason?: unknown }).reason);
  };
  let lull: ReturnType<typeof createLull>;
  try {
    lull = createLull({ ...loaded.config(log), engine: memory() });
  } catch (error) {
    asConfigError(error);
    return;
  }
  for (const [key, value] of Object.entries(lull.settings)) {
    if (typeof value === "number") expect(value, key).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
    if (/Ms(Max)?$/.test(key)) expect(new Date(value as number).getTime(), key).not.toBeNaN();
  }
  const { leaseMs, renewMs, sweepMs, pollMs, restartPollMs, sendTimeoutMs } = lull.settings;
  expect(Math.min(leaseMs, renewMs, sweepMs, pollMs, restartPollMs, sendTimeoutMs)).toBeGreaterThanOrEqual(
    10,
  );
  for (const { name: each } of loaded.channels) {
    const body = JSON.stringify({ id: "1", sender: "visitor-0001", text: "hi", AccountSid: "x" });
    const headers = { "x-lull-signature": "x", "x-wati-secret": "x", "x-twilio-signature": "x" };
    const request = new Request(`http://localhost/webhooks/${each}`, { method: "POST", body, headers });
    await lull.fetch(request);
  }
  // A secret that is missing is an operator's mistake that only the first message shows.
  for (const reason of stumbles) expect(reason).toMatch(/environment variable|secret file|secret named/);
  await lull.stop(0);
}

test("a file and an environment either work or are refused in words", () =>
  hold(
    fc.asyncProperty(
      fc.option(file, { nil: undefined }),
      fc.oneof({ weight: 1, arbitrary: environment }, { weight: 4, arbitrary: fc.constant({}) }),
      fc.constantFrom<Purpose>("dev", "start", "look"),
      async (content, env, purpose) => {
        const loaded = await tryToLoad(content, env as Record<string, string>, purpose);
        if (!(loaded instanceof ConfigError)) await expectUsable(loaded);
        const again = await tryToLoad(content, env as Record<string, string>, purpose);
        expect(again instanceof ConfigError && again.message).toBe(
          loaded instanceof ConfigError && loaded.message,
        );
      },
    ),
    { share: 3 },
  ));

test("a file of any bytes is refused in words", () =>
  hold(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 100 }).map((bytes) => legible(Buffer.from(bytes))),
        nastyJson.map((json) => legible(Buffer.from(json))),
      ),
      async (content) => {
        const loaded = await tryToLoad(content, {}, "look");
        if (!(loaded instanceof ConfigError)) expect(JSON.parse(content.toString())).toEqual({});
      },
    ),
  ));
