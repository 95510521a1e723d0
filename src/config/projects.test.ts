import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { createService } from "../runtime/create-service.ts";
import { load } from "./load.ts";

const TWILIO = { accountSid: "AC00000000000000000000000000000002", authToken: { env: "ACME_TWILIO" } };
const OF_ALL = {
  TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000001",
  TWILIO_AUTH_TOKEN: "the token for all",
  TWILIO_SMS_FROM: "+15550999",
  LULL_WEB_SECRET: "the-web-secret-for-all",
  OPENAI_API_KEY: "the key for all",
};

function loaded(acme: object, env: Record<string, string> = {}) {
  return load({
    file: undefined,
    env: { LULL_CONFIG: JSON.stringify({ projects: { acme } }), ...env },
    flags: {},
    cwd: "/",
    purpose: "start",
    engines: { sqlite: () => memory() },
  });
}

describe("a project's channels", () => {
  it("are its own, also where they bear the names of the environment's", async () => {
    const sms = { twilio: "sms", ...TWILIO, from: "+15550100" };
    const { channels } = await loaded({ channels: { sms } }, OF_ALL);
    expect(channels.find(({ name }) => name === "sms")).toMatchObject({
      addresses: ["+15550100"],
      project: "acme",
    });
  });

  it("have no number of the environment where they list their accounts", async () => {
    const { accountSid, authToken } = TWILIO;
    const accounts = { [accountSid]: { authToken, from: "+15550100" } };
    const { channels, secrets } = await loaded(
      { channels: { "acme-sms": { twilio: "sms", accounts } } },
      OF_ALL,
    );
    const channel = channels.find(({ name }) => name === "acme-sms")!.channel;
    const before = process.env.TWILIO_SMS_FROM;
    process.env.TWILIO_SMS_FROM = OF_ALL.TWILIO_SMS_FROM;
    try {
      channel.open?.({ name: "acme-sms", secrets, nowMs: () => 0 });
    } finally {
      if (before === undefined) delete process.env.TWILIO_SMS_FROM;
      else process.env.TWILIO_SMS_FROM = before;
    }
    expect(channel.addresses).toEqual(["+15550100"]);
  });

  it("prove their visitors with their own secret", async () => {
    const web = { web: true, secret: { env: "ACME_WEB" } };
    const env = { ...OF_ALL, ACME_WEB: "acme-secret-of-some-length" };
    const { channels, secrets } = await loaded({ channels: { web } }, env);
    const { channel } = channels.find(({ name }) => name === "web")!;
    channel.open?.({ name: "web", secrets, nowMs: () => 0, publicUrl: "https://bot.example.com" });
    const sender = "visitor-0001";
    const body = Buffer.from(JSON.stringify({ id: "1", sender, text: "hi" }));
    const by = async (secret: string) => {
      const headers = { "x-lull-signature": createHmac("sha256", secret).update(sender).digest("hex") };
      const url = "https://bot.example.com/webhooks/web";
      return (await channel.verify({ method: "POST", url, headers, body })).kind;
    };
    expect([await by(env.ACME_WEB), await by(env.LULL_WEB_SECRET)]).toEqual(["authentic", "refused"]);
  });
});

it.each([
  [{ channels: { a: { web: true } }, statu: "x" }, /projects\.acme\.statu is not a known/],
  [{ channels: { a: { twilio: "fax" } } }, /projects\.acme\.channels\.a\.twilio must be/],
  [
    { channels: { a: { web: true } }, responder: { opnai: {} } },
    /projects\.acme\.responder: opnai is not a responder/,
  ],
  [
    { channels: { a: { web: true } }, responders: { b: "echo" } },
    /projects\.acme\.responders\.b: there is no channel b/,
  ],
  [
    { channels: { a: { web: true } }, responder: { openai: { body: { stream: true } } } },
    /projects\.acme\.responder: openai: body\.stream cannot be set/,
  ],
  [
    { channels: { a: { web: true } }, handOffTo: { queue: { url: "https://example.test/q" } } },
    /projects\.acme\.handOffTo: queue: url must be/,
  ],
])("what is misspelt in a project is told with its place: %j", async (acme, words) => {
  await expect(loaded(acme)).rejects.toThrow(words);
});

it.each([
  [{ channels: { a: { web: true } }, status: "Active" }, /projects\.acme\.status is written active/],
  [{ channels: { a: { web: true } }, status: "" }, /projects\.acme\.status must not be empty/],
  [JSON.parse('{ "channels": { "__proto__": { "web": true } } }'), /projects\.acme.*__proto__/],
])("what would silently mute a project does not start: %j", async (acme, words) => {
  const { config } = await loaded(acme, { LULL_WEB_UNSIGNED: "1" });
  expect(() => createService(config(() => {}))).toThrow(words);
});

it.each([
  [{ twilio: "sms", from: "+15550100" }, /^projects\.acme\.channels\.a: Twilio's account is missing/],
  [{ wati: true }, /^projects\.acme\.channels\.a: give apiUrl and token and webhookSecret/],
])("what a project's channel lacks is told with its place: %j", async (a, words) => {
  const { config } = await loaded({ channels: { a } });
  expect(() => createService(config(() => {}))).toThrow(words);
});

it("all channel types are all, in a file as in a command", async () => {
  const { config } = await loaded({
    channels: { a: { web: true, secret: "of-some-length-and-more" } },
    allowedChannels: ["all"],
  });
  expect(createService(config(() => {})).settings.projects.acme).toEqual({ status: "active" });
});
