import { tmpdir } from "node:os";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { createService } from "../runtime/create-service.ts";
import { load } from "./load.ts";

const SID = "AC00000000000000000000000000000001";
/** All that an operator may have set for channels of their own. */
const OPERATORS = {
  TWILIO_ACCOUNT_SID: SID,
  TWILIO_AUTH_TOKEN: "operators-twilio-token",
  TWILIO_SMS_FROM: "+15550900",
  TWILIO_WHATSAPP_FROM: "+15550901",
  WATI_API_URL: "https://wati.example/operator",
  WATI_TOKEN: "operators-wati-token",
  WATI_WEBHOOK_SECRET: "operators-webhook-secret",
  WATI_NUMBERS: "15550902",
};

/** The channel of a project `acme`, opened where the environment is the operator's. */
async function opened(channel: object, { projects = true } = {}) {
  const channels = { "acme-wa": channel };
  const content = projects ? { projects: { acme: { channels } } } : { channels };
  const env = { LULL_CONFIG: JSON.stringify(content) };
  const engines = { sqlite: () => memory(), aws: () => memory() } as never;
  const loaded = await load({ file: undefined, env, flags: {}, cwd: tmpdir(), purpose: "look", engines });
  return createService({ ...loaded.config(() => {}), engine: memory() }).channels["acme-wa"]!;
}

// Channels read the environment of their process.
beforeEach(() => {
  for (const [name, value] of Object.entries(OPERATORS)) vi.stubEnv(name, value);
});
afterEach(() => vi.unstubAllEnvs());

const WATI = {
  wati: true,
  apiUrl: "https://wati.example/acme",
  token: "own",
  webhookSecret: "own-secret-of-16",
};

describe("a channel of a project takes nothing from the operator's environment", () => {
  test.each<[string, object, RegExp]>([
    [
      "Twilio without an account",
      { twilio: "sms", from: "+1" },
      /give accounts, or accountSid and authToken/,
    ],
    [
      "Twilio without a token",
      { twilio: "sms", from: "+1", accountSid: SID },
      /auth token of AC0.* give authToken/,
    ],
    [
      "WATI with nothing but a number",
      { wati: true, numbers: "1" },
      /give apiUrl and token and webhookSecret/,
    ],
    ["WATI without a token", { ...WATI, token: undefined }, /give token, /],
    ["WATI without a secret", { ...WATI, webhookSecret: undefined }, /give webhookSecret, /],
    ["WATI without an endpoint", { ...WATI, apiUrl: undefined }, /give apiUrl, /],
  ])("%s does not start", async (_what, channel, why) => {
    const error = (await opened(channel).catch((thrown: Error) => thrown)) as Error;
    expect(error.message).toMatch(why);
    expect(error.message).toMatch(
      /^projects\.acme\.channels\.acme-wa: .*takes nothing from the environment$/,
    );
  });

  test.each<[string, object]>([
    ["Twilio", { twilio: "sms", accounts: { [SID]: "own" } }],
    ["WATI", WATI],
  ])("%s without numbers has none of the operator's", async (_what, channel) => {
    expect((await opened(channel)).addresses).toEqual([]);
  });

  test("one that is under no project goes on taking it", async () => {
    const { addresses } = await opened({ wati: true }, { projects: false });
    expect(addresses).toEqual(["15550902"]);
  });
});
