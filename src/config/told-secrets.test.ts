import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { createService } from "../runtime/create-service.ts";
import { KNOBS } from "./knobs.ts";
import { load } from "./load.ts";

const SECRETS = [
  "sk-proj-Zx81Qm44LplantedT3BlbkFJ",
  "https://Zx81Qm44Lplanted@example.test/?Zx81Qm44Lplanted",
];
const TOLD = /Zx81Qm44L|planted/;
const SID = "AC00000000000000000000000000000001";

const RESPONDERS = {
  openai: {
    ...{ model: "m", instructions: "i", apiKey: { env: "KEY" }, baseUrl: "https://example.test/v1" },
    ...{
      historyMessagesMax: 1,
      pastAtOpenAi: "first-turn",
      maxOutputTokens: 1,
      reasoning: { effort: "low" },
    },
    ...{ toolRoundsMax: 1, media: "link", body: { store: "x" }, apiKeys: ["acme"] },
    assistants: { a: { model: "m", instructions: "i", maxOutputTokens: 1, media: "mention" } },
  },
  http: {
    ...{ url: "https://example.test/", secret: { file: "x" }, headers: { a: { env: "B" } } },
    historyMessagesMax: 1,
  },
  queue: {
    url: "https://sqs.eu-west-1.amazonaws.com/111122223333/ai",
    ...{
      answerWithinSeconds: 1,
      historyMessagesMax: 1,
      region: "eu-west-1",
      endpoint: "https://example.test",
    },
  },
};

/** Every option that a file may hold, each with a value that is right. */
const WHOLE = {
  ...Object.fromEntries(
    KNOBS.flatMap((knob) =>
      knob.notInFile || knob.key.includes(".") ? [] : [[knob.key, rightFor(knob.key)]],
    ),
  ),
  window: { quietSeconds: 1, maxSeconds: 2 },
  limits: Object.fromEntries(
    KNOBS.flatMap(({ key, default: value }) =>
      key.startsWith("limits.") ? [[key.slice(7), value ?? 1]] : [],
    ),
  ),
  windows: { a: { seconds: 1 } },
  project: { status: "active", allowedChannels: ["web"] },
  channels: {
    a: {
      ...{ twilio: "sms", from: ["+15550100"], accountSid: SID, authToken: { env: "T" }, textMax: 9 },
      ...{ apiKey: { sid: "SK1", secret: { env: "S" } }, messagingServiceSid: "MG1", bodyBytesMax: 9 },
      apiUrl: "https://example.test",
    },
    b: { twilio: "whatsapp", accounts: { [SID]: { authToken: "x", from: "+15550101", credentialsId: "c" } } },
    c: {
      wati: true,
      apiUrl: "https://example.test/1",
      token: "t",
      webhookSecret: "w",
      account: "a",
      numbers: "+1",
    },
    d: { web: true, secret: { env: "W" }, address: "d", unsigned: false, textLengthMax: 9 },
  },
  responder: { openai: RESPONDERS.openai },
  responders: { a: { http: RESPONDERS.http }, b: { queue: RESPONDERS.queue }, c: "echo" },
  handOffTo: { http: RESPONDERS.http },
  projects: {
    acme: {
      ...{
        status: "active",
        allowedChannels: ["web"],
        admission: "open",
        whileBusy: "queue",
        onUnknown: "hold",
      },
      ...{ busyText: "b", window: { seconds: 1 }, windows: { e: { quietSeconds: 1, maxSeconds: 2 } } },
      channels: { e: { web: true, secret: { env: "E" }, address: "e" } },
      responder: { openai: RESPONDERS.openai },
      responders: { e: { http: RESPONDERS.http } },
      handOffTo: { queue: RESPONDERS.queue },
      limits: { answerTimeoutSeconds: 1, stagedMessagesMax: 1 },
      tokens: { api: { env: "API" }, turn: { name: "turn" } },
    },
  },
};

function rightFor(key: string): unknown {
  const { kind, default: value } = KNOBS.find((knob) => knob.key === key)!;
  if (key === "aliases") return { "/webhook": "a" };
  if (kind.type === "url") return "https://example.test";
  if (value !== undefined) return value;
  if (kind.type === "string" && kind.enum) return kind.enum[0];
  if (kind.type === "secret") return { env: "TOKEN" };
  return kind.type === "boolean" ? false : kind.type === "string" ? "x" : 1;
}

type Json = { readonly [key: string]: unknown } | readonly unknown[];

/** The same with `planted` in place of each value in turn, those that hold others included. */
function* plantedIn(value: unknown, planted: string, path = ""): Generator<[path: string, changed: unknown]> {
  if (path !== "") yield [path, planted];
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value as Json))
    for (const [at, changed] of plantedIn(each, planted, `${path}/${key}`))
      yield [at, Array.isArray(value) ? [changed] : { ...value, [key]: changed }];
}

/** All that a start with this configuration says, with the reasons behind it. */
async function said(env: Record<string, string>): Promise<string> {
  try {
    const engines = { sqlite: () => memory(), aws: () => memory() };
    const loaded = await load({ file: undefined, env, flags: {}, cwd: "/", purpose: "start", engines });
    createService(loaded.config(() => {}));
    return "";
  } catch (error) {
    const words: string[] = [];
    for (let at: unknown = error; at instanceof Error; at = at.cause) words.push(at.message);
    return words.join("\n");
  }
}

describe("a secret that went into the wrong place is not repeated", () => {
  it("the configuration that it is planted in is right without it", async () => {
    expect(await said({ LULL_CONFIG: JSON.stringify(WHOLE) })).toBe("");
  });

  it.each(SECRETS)("in place of any value of a file: %#", async (secret) => {
    const all = [...plantedIn(WHOLE, secret)];
    const answers = await Promise.all(
      all.map(
        async ([path, changed]) => [path, await said({ LULL_CONFIG: JSON.stringify(changed) })] as const,
      ),
    );
    expect(answers.filter(([, words]) => TOLD.test(words))).toEqual([]);
    // Most of them are found: a value that is a text may be any.
    expect(answers.filter(([, words]) => words !== "").length).toBeGreaterThan(100);
  });

  it.each(SECRETS)("in any variable: %#", async (secret) => {
    const names = KNOBS.flatMap(({ env }) => (env === undefined ? [] : [env, `${env}_SECRET`]));
    const answers = await Promise.all(
      [...names, "LULL_CONFIG"].map(
        async (name) => [name, await said({ LULL_WEB: "1", [name]: secret })] as const,
      ),
    );
    expect(answers.filter(([, words]) => TOLD.test(words))).toEqual([]);
    expect(answers.filter(([, words]) => words !== "").length).toBeGreaterThan(20);
  });
});
