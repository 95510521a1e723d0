import { afterEach, beforeEach, expect, test } from "vitest";
import type { Outgoing } from "../../ports/channel.ts";
import type { SecretReference, Secrets } from "../../ports/secrets.ts";
import { TEST_NOW_MS, testContext } from "../../testing/channel-context.ts";
import { type FakeTwilio, fakeTwilio } from "../../testing/fake-twilio.ts";
import { twilio } from "./index.ts";
import type { TwilioOptions } from "./options.ts";
import { outcomeOf } from "./outcome.ts";

const accountSid = "AC00000000000000000000000000000001";
const authToken = "test-auth-token";
const outgoing: Outgoing = {
  to: "whatsapp:+50370000001",
  from: "+14155238886",
  text: "We have a table.",
  reference: { turnId: "turn 1.a", chunk: 2 },
  conversationId: "c_1",
};

let fake: FakeTwilio;
beforeEach(async () => {
  fake = fakeTwilio();
  await fake.start();
});
afterEach(() => fake.stop());

function send(
  change: Partial<Outgoing> = {},
  options: TwilioOptions = {},
  kind: "whatsapp" | "sms" = "whatsapp",
) {
  const channel = twilio[kind]({ accountSid, authToken, apiUrl: fake.url, ...options });
  channel.open?.(testContext({ statusUrl: "https://bot.example.com/status" }));
  return channel.send({ ...outgoing, ...change }, new AbortController().signal);
}

function posted(): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(fake.requests.at(-1)?.body));
}

function credentials(): string {
  const header = String(fake.requests.at(-1)?.headers.authorization);
  return Buffer.from(header.replace("Basic ", ""), "base64").toString();
}

test("a chunk goes out from the number that was written to, with a callback that names it", async () => {
  expect(await send()).toEqual({ kind: "sent", providerId: fake.sent[0]?.sid });
  expect(fake.requests[0]?.path).toBe(`/2010-04-01/Accounts/${accountSid}/Messages.json`);
  expect(credentials()).toBe(`${accountSid}:${authToken}`);
  expect(posted()).toEqual({
    To: "whatsapp:+50370000001",
    From: "whatsapp:+14155238886",
    Body: "We have a table.",
    StatusCallback: "https://bot.example.com/status?n=turn%201.a.2",
  });
});

test("SMS addresses have no prefix", async () => {
  await send({ to: "+15550101", from: "+15550102" }, {}, "sms");
  expect(posted()).toMatchObject({ To: "+15550101", From: "+15550102" });
});

test("an address without prefix gets the channel's", async () => {
  await send({ to: "SV.100000000001", from: "" }, { from: "whatsapp:+14155238886" });
  expect(posted()).toMatchObject({ To: "whatsapp:SV.100000000001", From: "whatsapp:+14155238886" });
});

test("media goes along, and text may be missing then", async () => {
  const media = ["a", "b"].map((name) => ({
    url: `https://files.example.com/${name}`,
    contentType: "image/png",
  }));
  expect((await send({ text: "", media })).kind).toBe("sent");
  expect(fake.sent[0]?.mediaUrls).toEqual(media.map(({ url }) => url));
  expect(posted()).not.toHaveProperty("Body");
});

test("a Messaging Service chooses the number", async () => {
  await send({}, { messagingServiceSid: "MG1" });
  expect(posted()).toMatchObject({ MessagingServiceSid: "MG1" });
  expect(posted()).not.toHaveProperty("From");
});

test("an API key sends in place of the auth token", async () => {
  await send({}, { apiKey: { sid: "SK1", secret: "key-secret" } });
  expect(credentials()).toBe("SK1:key-secret");
  expect(fake.sent[0]?.accountSid).toBe(accountSid);
});

test("with several accounts, the one that owns the number sends", async () => {
  const accounts = {
    AC1: { authToken: "one", from: "+15550101" },
    AC2: { authToken: "two", from: ["whatsapp:+15550102"] },
  };
  const several = { accountSid: undefined, authToken: undefined, accounts };
  await send({ from: "+15550102" }, several);
  expect(credentials()).toBe("AC2:two");
  expect(await send({ from: "+15550103" }, several)).toMatchObject({ kind: "not-sent", retry: "never" });
});

/** The account that sends from this number where the record names these credentials, or why none does. */
async function sender(
  from: string,
  credentialsId: string,
  references: readonly SecretReference[],
): Promise<string> {
  const secrets: Secrets = {
    get: async () => "token",
    nameOf: (reference) => (JSON.stringify(reference) === '{"env":"BETA_TWILIO"}' ? "prod/beta" : undefined),
  };
  const accounts = Object.fromEntries(
    references.map((reference, at) => [`AC${at}`, { authToken: reference, from: `+1555010${at}` }]),
  );
  const channel = twilio.sms({ accounts, apiUrl: fake.url });
  channel.open?.(testContext({ secrets }));
  const outcome = await channel.send({ ...outgoing, from, credentialsId }, new AbortController().signal);
  return outcome.kind === "sent" ? (credentials().split(":")[0] ?? "") : outcome.kind;
}

const arn = (name: string) => `arn:aws:secretsmanager:eu-west-1:111122223333:secret:${name}`;

test.each<[string, string, SecretReference[], string, string]>([
  ["two tokens in one secret", "+15550101", [{ name: "p#acme" }, { name: "p#beta" }], "p#beta", "AC1"],
  ["two, named by their secret alone", "+15550101", [{ name: "p#a" }, { name: "p#b" }], "p", "AC1"],
  [
    "an ARN that is not whole",
    "+15550101",
    [{ name: "acme" }, { name: "acme-berlin" }],
    arn("acme-berlin"),
    "AC1",
  ],
  [
    "ARNs that end alike",
    "+15550101",
    [{ name: arn("s-berlin") }, { name: arn("s-munich") }],
    arn("s-munich"),
    "AC1",
  ],
  [
    "a variable that stands for it",
    "+15550101",
    [{ env: "ACME" }, { env: "BETA_TWILIO" }],
    "prod/beta",
    "AC1",
  ],
  ["another's number", "+15550100", [{ name: "p#acme" }, { name: "p#beta" }], "p#beta", "not-sent"],
])("of several accounts the one sends that the record names: %s", async (_how, from, offered, id, sent) => {
  expect(await sender(from, id, offered)).toBe(sent);
});

test("a secret that cannot be read is certainly not a message that went out", async () => {
  expect(await send({}, { authToken: { name: "missing" } })).toMatchObject({
    kind: "not-sent",
    retry: "later",
    credentials: true,
  });
  expect(fake.requests).toEqual([]);
});

test.each<[number, object | string, string]>([
  [201, { sid: "SM1" }, "sent"],
  [200, { sid: "SM1" }, "sent"],
  [201, {}, "unknown"],
  [201, "<html>", "unknown"],
  [302, "", "unknown"],
  [400, { code: 21211 }, "never"],
  [401, { code: 20003 }, "later"],
  [403, "<html>blocked by a proxy</html>", "unknown"],
  [408, "", "unknown"],
  [429, { code: 20429 }, "later"],
  [429, { code: 14107 }, "unknown"],
  [429, "", "unknown"],
  [500, { code: 20500 }, "unknown"],
  [503, { code: 20503 }, "unknown"],
  [200, "null", "unknown"],
])("an answer %i %o means %s", (status, body, meaning) => {
  const outcome = outcomeOf(status, null, typeof body === "string" ? body : JSON.stringify(body), 0);
  expect(outcome.kind === "not-sent" ? outcome.retry : outcome.kind).toBe(meaning);
});

test.each([
  ["3", 3_000],
  [new Date(TEST_NOW_MS + 4_750).toUTCString(), 4_750],
  ["soon", undefined],
])("Retry-After %s is understood", (header, waitMs) => {
  const outcome = outcomeOf(429, header, '{"code":20429}', TEST_NOW_MS);
  expect(outcome.kind === "not-sent" && outcome.retryAfterMs).toBe(waitMs);
});
