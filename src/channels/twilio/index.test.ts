import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TEST_NOW_MS, testContext, testRequest } from "../../testing/channel-context.ts";
import { type FakeTwilio, fakeTwilio } from "../../testing/fake-twilio.ts";
import { signedWebhook } from "../../testing/fake-twilio-webhook.ts";
import { twilio } from "./index.ts";
import type { TwilioOptions } from "./options.ts";

const accountSid = "AC00000000000000000000000000000001";
const authToken = "test-auth-token";
const inTime = new AbortController().signal;

let fake: FakeTwilio;
beforeEach(async () => {
  fake = fakeTwilio({ accountSid, authToken, nowMs: () => TEST_NOW_MS });
  await fake.start();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await fake.stop();
});

function opened(options: TwilioOptions = {}, kind: "whatsapp" | "sms" = "whatsapp") {
  const channel = twilio[kind]({ accountSid, authToken, apiUrl: fake.url, ...options });
  channel.open?.(testContext());
  return channel;
}

test("the environment alone is enough", async () => {
  vi.stubEnv("TWILIO_ACCOUNT_SID", accountSid);
  vi.stubEnv("TWILIO_AUTH_TOKEN", authToken);
  vi.stubEnv("TWILIO_API_URL", fake.url);
  vi.stubEnv("TWILIO_SMS_FROM", "+15550102, +15550103");
  const channel = twilio.sms();
  channel.open?.(testContext());
  fake.configure({ numbers: [{ number: "+15550102" }, { number: "+15550103" }] });
  expect((await channel.check?.(inTime))?.map(({ verdict }) => verdict)).toEqual(["ok", "skip", "skip"]);
  const url = "https://bot.example.com/webhooks/sms";
  const { headers, body } = signedWebhook({ url, authToken, params: { AccountSid: accountSid } });
  expect(await channel.verify({ method: "POST", url, headers, body: Buffer.from(body) })).toEqual({
    kind: "authentic",
  });
});

test("a number that was pasted as people write it is the one that Twilio names", async () => {
  for (const from of ["+1 555 0100", "whatsapp:+1 (555) 01-00", "1555 0100"]) {
    const channel = opened({ from });
    expect(channel.addresses?.map((each) => each.replace("+", ""))).toEqual(["15550100"]);
  }
  await opened({ from: "+1 555 0100" }).send(
    {
      id: "o1",
      to: "+15550123",
      from: "+15550100",
      text: "hi",
      conversationId: "c",
      turnId: "t",
      attempt: 1,
    } as never,
    inTime,
  );
  expect(fake.sent).toMatchObject([{ from: "whatsapp:+15550100", to: "whatsapp:+15550123" }]);
});

test("a missing account is told when the channel opens", () => {
  vi.stubEnv("TWILIO_ACCOUNT_SID", "");
  expect(() => twilio.sms().open?.(testContext({ name: "texts" }))).toThrow(
    /channels\.texts.*TWILIO_ACCOUNT_SID/,
  );
  for (const apiUrl of [
    "nowhere",
    "https://user:pw@x.example",
    "https://x.example?pw",
    "https://x.example#pw",
  ])
    expect(() => twilio.sms({ accountSid, apiUrl }).open?.(testContext())).toThrow(
      /apiUrl \(TWILIO_API_URL\) must be a URL(?!.*pw)/,
    );
});

test("what became of a message says from which number it went, unless a Messaging Service chose that", () => {
  const body = new URLSearchParams({
    AccountSid: accountSid,
    MessageSid: `SM${"0".repeat(32)}`,
    MessageStatus: "sent",
    From: "whatsapp:+15550100",
  });
  const told = (options: TwilioOptions) => {
    const request = testRequest("https://bot.example.com/webhooks/whatsapp/status", body.toString(), {
      "content-type": "application/x-www-form-urlencoded",
    });
    const parsed = opened(options).parse(request);
    return parsed.kind === "updates" ? parsed.statuses.map(({ address }) => address) : parsed;
  };
  expect(told({})).toEqual(["+15550100"]);
  expect(told({ messagingServiceSid: "MG1" })).toEqual([undefined]);
});

test("a channel's own numbers are those of all its accounts, once it is open", () => {
  const accounts = { AC2: { authToken, from: "whatsapp:+15550102" } };
  const channel = twilio.whatsapp({ accountSid, authToken, from: "+15550100", accounts });
  expect(channel.addresses).toEqual([]);
  channel.open?.(testContext());
  expect(channel.addresses).toEqual(["+15550100", "+15550102"]);
});

test("a busy text is said in the answer, escaped", () => {
  const { headers, body } = opened().answer({
    code: "CONVERSATION_LOCKED",
    busyText: "<one> & \u0001'moment'",
  });
  expect(headers["content-type"]).toContain("text/xml");
  expect(body).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>' +
      "<Response><Message>&lt;one&gt; &amp; &apos;moment&apos;</Message></Response>",
  );
  expect(opened().answer({}).body).toBe('<?xml version="1.0" encoding="UTF-8"?><Response/>');
});

test("typing is shown for WhatsApp, and a failure to show it fails nothing", async () => {
  await opened().typing?.("whatsapp:+50370000001", "SM1", inTime);
  expect(fake.typed).toEqual(["SM1"]);
  expect(opened({}, "sms")).not.toHaveProperty("typing");
  await fake.stop();
  await opened().typing?.("whatsapp:+50370000001", "SM1", inTime);
});

test("media is fetched with credentials from Twilio and from nowhere else", async () => {
  const path = `/2010-04-01/Accounts/${accountSid}.json`;
  const response = await opened().fetchMedia?.({ url: fake.url + path, contentType: "image/png" }, inTime);
  expect(response?.status).toBe(200);

  const stranger = fakeTwilio();
  await stranger.start();
  const elsewhere = [stranger.url, "http://api.twilio.com/x", "https://twilio.com.example.com/x", "nonsense"];
  for (const url of elsewhere) {
    await expect(opened().fetchMedia?.({ url, contentType: "image/png" }, inTime)).rejects.toThrow(
      /not at Twilio/,
    );
  }
  expect(stranger.requests).toEqual([]);
  await stranger.stop();
});

test("what was received is listed oldest first, with its media and the webhook's dedupe key", async () => {
  const received = {
    direction: "inbound",
    from: "whatsapp:+50370000001",
    to: "whatsapp:+14155238886",
  } as const;
  const add = (body: string, atMs: number, change = {}) =>
    fake.add({ ...received, body, createdAtMs: atMs, sentAtMs: atMs, ...change });
  add("too old", TEST_NOW_MS - 60_000);
  const first = add("first", TEST_NOW_MS);
  const second = add("second of the same second", TEST_NOW_MS, { mediaUrls: ["https://example.com/a"] });
  add("an SMS", TEST_NOW_MS, { to: "+14155238886", from: "+15550101" });
  fake.add({ body: "our own", sentAtMs: TEST_NOW_MS });

  const found = [];
  for await (const message of opened().listReceived?.(TEST_NOW_MS - 1_000, inTime) ?? [])
    if (message !== "asking") found.push(message);
  expect(found.map(({ providerId }) => providerId)).toEqual([first.sid, second.sid]);
  expect(found[1]).toEqual({
    providerId: second.sid,
    account: accountSid,
    address: "+14155238886",
    sender: "+50370000001",
    replyTo: "whatsapp:+50370000001",
    text: "second of the same second",
    media: [
      {
        url: `${fake.url}/2010-04-01/Accounts/${accountSid}/Messages/${second.sid}/Media/ME0`,
        contentType: "image/jpeg",
      },
    ],
    sentAtMs: TEST_NOW_MS - 250,
  });
});

test("each of several numbers is listed", async () => {
  for (const to of ["+15550101", "+15550102", "+15550103"]) {
    fake.add({
      direction: "inbound",
      from: "+15550199",
      to,
      body: to,
      createdAtMs: TEST_NOW_MS,
      sentAtMs: TEST_NOW_MS,
    });
  }
  const found = [];
  const channel = opened({ from: ["+15550101", "+15550103"] }, "sms");
  for await (const message of channel.listReceived?.(TEST_NOW_MS, inTime) ?? [])
    if (message !== "asking") found.push(message.text);
  expect(found.toSorted()).toEqual(["+15550101", "+15550103"]);
});

test("a body may have 64 KB, or what the configuration says", () => {
  const [usual, own] = [twilio.sms(), twilio.whatsapp({ bodyBytesMax: 5 })];
  expect([usual.bodyBytesMax, own.bodyBytesMax]).toEqual([65_536, 5]);
});
