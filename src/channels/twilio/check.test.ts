import { afterEach, beforeEach, expect, test } from "vitest";
import type { Finding } from "../../ports/check-result.ts";
import { testContext } from "../../testing/channel-context.ts";
import { type FakeTwilio, fakeTwilio } from "../../testing/fake-twilio.ts";
import type { FakeTwilioSettings } from "../../testing/fake-twilio-settings.ts";
import { type TwilioOptions, twilio } from "./index.ts";

const accountSid = "AC00000000000000000000000000000001";
const authToken = "a-token-of-the-account";
const SERVICE = `MG${"0".repeat(31)}1`;
const ours = "https://bot.example.com/webhooks/here";
const well = `${ours}#rc=3&rp=all`;
const number = "+15550100";

let fake: FakeTwilio;
beforeEach(async () => {
  fake = fakeTwilio({ accountSid, authToken });
  await fake.start();
});
afterEach(() => fake.stop());

async function checked(
  type: "sms" | "whatsapp",
  options: TwilioOptions = {},
  webhookUrls: readonly string[] | undefined = [ours],
): Promise<readonly Finding[]> {
  const channel = twilio[type]({ apiUrl: fake.url, accountSid, authToken, from: number, ...options });
  channel.open?.(testContext({ name: "here", ...(webhookUrls && { webhookUrls }) }));
  return (await channel.check?.(AbortSignal.timeout(5_000))) ?? [];
}

const words = (findings: readonly Finding[]) =>
  findings.map(({ verdict, detail }) => `${verdict}: ${detail}`);
const ACCEPTED = `ok: Twilio accepts the auth token of account ${accountSid}`;

test("credentials are tried, and where they fail nothing else is said to be right", async () => {
  const detail = `Twilio does not accept the auth token of account ${accountSid}`;
  const notAsked = { verdict: "skip", about: "webhook", detail: "Twilio could not be asked what it calls" };
  expect(await checked("sms", { authToken: "wrong" })).toEqual([{ verdict: "fail", detail }, notAsked]);
  fake.behave(() => ({ kind: "status", status: 200, body: "<html>" }));
  expect(words(await checked("sms"))[0]).toMatch(/^fail: .*not Twilio's API/);
  await fake.stop();
  expect(words(await checked("sms"))[0]).toMatch(
    /^fail: Twilio gave no answer: 127\.0\.0\.1:\d+ (refuses connections|hung up)/,
  );
});

test("an API key is tried beside the token, and a number that is none is told", async () => {
  const found = words(await checked("sms", { apiKey: { sid: "SK1", secret: "wrong" }, from: "15550100 x" }));
  expect(found).toEqual([
    expect.stringMatching(/^fail: from "15550100 x" does not look like a number/),
    ACCEPTED,
    "fail: Twilio does not let API key SK1 read messages (401)",
    expect.stringMatching(/^skip: no number is configured/),
  ]);
});

const enter = `enter ${ours}#rc=3&rp=all`;

test.each<[string, FakeTwilioSettings, string]>([
  ["ours", { numbers: [{ number, smsUrl: well }] }, `ok: Twilio calls ${well} for messages to ${number}`],
  [
    "nothing",
    { numbers: [{ number }] },
    `warn: Twilio calls nothing for messages to ${number}: ${enter} as its messaging webhook`,
  ],
  [
    "another's",
    { numbers: [{ number, smsUrl: "https://old.example/sms?key=CANARY" }] },
    `warn: for messages to ${number} Twilio calls https://old.example/sms?********, ` +
      `and not ${ours}: ${enter} as its messaging webhook`,
  ],
  [
    "ours without retries",
    { numbers: [{ number, smsUrl: ours }] },
    `warn: Twilio calls ${ours} for ${number}, but tries again only where it cannot connect: ` +
      `${enter} as its messaging webhook`,
  ],
  [
    "ours by GET",
    { numbers: [{ number, smsUrl: well, smsMethod: "GET" }] },
    `warn: Twilio calls ${well} for ${number} by GET: choose POST as its messaging webhook`,
  ],
  [
    "an application, which stands before the number's URL",
    {
      numbers: [{ number, smsUrl: well, smsApplicationSid: "AP1" }],
      applications: [{ sid: "AP1", smsUrl: "https://old.example/app" }],
    },
    `warn: for messages to ${number} Twilio calls https://old.example/app, ` +
      `and not ${ours}: ${enter} in TwiML App AP1`,
  ],
  [
    "a service, which receives for the number",
    {
      numbers: [{ number, smsUrl: well }],
      services: [{ sid: SERVICE, inboundRequestUrl: "https://old.example/mg", has: [number] }],
    },
    `warn: for messages to ${number} Twilio calls https://old.example/mg, ` +
      `and not ${ours}: ${enter} in Messaging Service ${SERVICE}`,
  ],
  [
    "the number's, where its service leaves it to the number",
    {
      numbers: [{ number, smsUrl: well }],
      services: [{ sid: SERVICE, useInboundWebhookOnNumber: true, has: [number] }],
    },
    `ok: Twilio calls ${well} for messages to ${number}`,
  ],
])("what Twilio calls for an SMS number is compared: %s", async (_, settings, line) => {
  fake.configure(settings);
  expect(words(await checked("sms"))).toEqual([ACCEPTED, line]);
});

test("a number that only looks alike is not ours, and is said to be missing", async () => {
  fake.configure({ numbers: [{ number: "+155501001", smsUrl: well }] });
  expect(words(await checked("sms"))).toEqual([
    ACCEPTED,
    `fail: Twilio's account ${accountSid} has no number ${number}`,
    `skip: for ${number}: Twilio does not have it`,
  ]);
});

test("a short code has a list of its own, and a number without SMS is told", async () => {
  fake.configure({
    shortCodes: [{ number: "55501", smsUrl: well }],
    numbers: [{ number, smsUrl: well, hasSms: false }],
  });
  expect(words(await checked("sms", { from: ["55501", number] }))).toEqual([
    ACCEPTED,
    `ok: Twilio calls ${well} for messages to 55501`,
    `warn: Twilio says that ${number} has no SMS`,
    `ok: Twilio calls ${well} for messages to ${number}`,
  ]);
});

test("a WhatsApp sender is asked for itself; an alias is as right as the channel's own path", async () => {
  const alias = "https://bot.example.com/webhook";
  fake.configure({ senders: [{ number, callbackUrl: `${alias}#rc=3&rp=all`, status: "OFFLINE" }] });
  expect(words(await checked("whatsapp", {}, [ours, alias]))).toEqual([
    ACCEPTED,
    `warn: Twilio says that WhatsApp sender ${number} is OFFLINE`,
    `ok: Twilio calls ${alias}#rc=3&rp=all for messages to ${number}`,
  ]);
  fake.configure({ senders: [{ number, callbackUrl: "https://old.example/wa" }] });
  expect(words(await checked("whatsapp"))[1]).toMatch(
    /^warn: .*old\.example\/wa, and not .*in the sender's settings$/,
  );
  fake.configure({});
  expect(words(await checked("whatsapp")).slice(1)).toEqual([
    expect.stringMatching(/^warn: Twilio lists no WhatsApp sender \+15550100/),
    `skip: for ${number}: Twilio does not have it`,
  ]);
});

test("a sender within a service is called by the service", async () => {
  fake.configure({
    senders: [{ number, callbackUrl: "https://old.example" }],
    services: [{ sid: SERVICE, inboundRequestUrl: well, has: [number] }],
  });
  expect(words(await checked("whatsapp"))[1]).toBe(`ok: Twilio calls ${well} for messages to ${number}`);
});

test("a Messaging Service is asked in place of numbers", async () => {
  const options = { messagingServiceSid: SERVICE };
  fake.configure({ services: [{ sid: SERVICE, inboundRequestUrl: well }] });
  expect(words(await checked("sms", options))[1]).toBe(`ok: Twilio calls ${well} for messages to ${SERVICE}`);
  fake.configure({});
  expect(words(await checked("sms", options))[1]).toBe(
    `fail: Twilio's account ${accountSid} has no Messaging Service ${SERVICE}`,
  );
});

test("what nothing could be asked about is skipped, with the reason", async () => {
  const sandbox = await checked("whatsapp", { from: "+14155238886" });
  expect(words(sandbox)[1]).toMatch(/^skip: \+14155238886 is Twilio's sandbox/);
  fake.configure({ numbers: [{ number, smsUrl: well }] });
  const channel = twilio.sms({ apiUrl: fake.url, accountSid, authToken, from: number });
  channel.open?.(testContext());
  expect(words((await channel.check?.(AbortSignal.timeout(5_000))) ?? [])[1]).toMatch(
    /^skip: .*no public URL/,
  );
  fake.behave(({ path }) =>
    path.includes("PhoneNumbers") ? { kind: "error", status: 500 } : { kind: "ok" },
  );
  expect(words(await checked("sms"))).toEqual([ACCEPTED, `skip: for ${number}: Twilio answered 500`]);
});
