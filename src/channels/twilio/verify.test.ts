import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { WebhookRequest } from "../../ports/channel.ts";
import { testContext, testRequest } from "../../testing/channel-context.ts";
import { signedWebhook } from "../../testing/fake-twilio-webhook.ts";
import { readForm } from "./form.ts";
import { twilio } from "./index.ts";
import type { TwilioOptions } from "./options.ts";
import { signatureOf, signedForm } from "./verify.ts";

const accountSid = "AC00000000000000000000000000000001";
const authToken = "test-auth-token";
const url = "https://bot.example.com/webhooks/twilio/whatsapp";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

function verify(request: WebhookRequest, options: TwilioOptions = { accountSid, authToken }) {
  const channel = twilio.whatsapp(options);
  channel.open?.(testContext());
  return channel.verify(request);
}

/** Signed for one URL, received at another. */
function signedFor(
  signedUrl: string,
  params: Record<string, string>,
  token = authToken,
  received = signedUrl,
) {
  const { headers, body } = signedWebhook({ url: signedUrl, authToken: token, params });
  return testRequest(received, body, headers);
}

test("Twilio's published example has the published signature", () => {
  const params = {
    CallSid: "CA1234567890ABCDE",
    Caller: "+14158675310",
    Digits: "1234",
    From: "+14158675310",
    To: "+18005551212",
  };
  const form = readForm(testRequest("", new URLSearchParams(params).toString()));
  const signed = `https://example.com/myapp.php?foo=1&bar=2${signedForm(form)}`;
  expect(signatureOf("12345", signed)).toBe("L/OH5YylLD5NRKLltdqwSvS0BnU=");
});

test("the signature that Twilio's own library makes for a WhatsApp message is accepted", async () => {
  const body = readFileSync(new URL("payloads/text.txt", import.meta.url));
  const headers = { ...FORM, "x-twilio-signature": "QCMwZ4941TPfwyzJnWZpEDqgSXw=" };
  expect(await verify(testRequest(url, body, headers))).toEqual({ kind: "authentic" });
});

test("the retry suffix of the webhook URL is not signed", async () => {
  const request = signedFor(url, { AccountSid: accountSid }, authToken, `${url}#rc=3&rp=all`);
  expect(await verify(request)).toEqual({ kind: "authentic" });
});

test("blank values are signed", async () => {
  expect(await verify(signedFor(url, { AccountSid: accountSid, Body: "" }))).toEqual({ kind: "authentic" });
});

test("a repeated key is signed with each different value once, in order", () => {
  const form = readForm(testRequest(url, "b=2&a=z&a=&a=y&a=z"));
  expect(signedForm(form)).toBe("aayazb2");
});

test.each([
  ["https://bot.example.com/hook", "https://bot.example.com:443/hook"],
  ["https://bot.example.com:443/hook", "https://bot.example.com/hook"],
  ["https://bot.example.com:8443/hook", "https://bot.example.com/hook"],
  ["http://bot.example.com/hook?a=1", "http://bot.example.com:80/hook?a=1"],
  ["http://[::1]:8080/hook", "http://[::1]/hook"],
  ["https://bot.example.com/hook?name=O'Hara", "https://bot.example.com/hook?name=O%27Hara"],
])("a call to %s may be signed as %s", async (received, signedUrl) => {
  const request = signedFor(signedUrl, { AccountSid: accountSid }, authToken, received);
  expect(await verify(request)).toEqual({ kind: "authentic" });
});

test("a JSON webhook is signed by its URL, which holds the hash of the body", async () => {
  const body = JSON.stringify({ AccountSid: accountSid, MessageSid: "SM1" });
  const signedUrl = `${url}?bodySHA256=${createHash("sha256").update(body).digest("hex")}`;
  const headers = {
    "content-type": "application/json",
    "x-twilio-signature": signatureOf(authToken, signedUrl),
  };
  expect(await verify(testRequest(signedUrl, body, headers))).toEqual({ kind: "authentic" });
  const changed = await verify(testRequest(signedUrl, body.replace("SM1", "SM2"), headers));
  expect(changed).toEqual({ kind: "refused", why: "the body is not the one that was signed" });
});

test("each account has its own token", async () => {
  const accounts = {
    AC1: { authToken: "token-one", from: "+15550101" },
    AC2: { authToken: "token-two", from: "+15550102" },
  };
  const ask = (sid: string, token: string) =>
    verify(signedFor(url, { AccountSid: sid, To: sid === "AC2" ? "+15550102" : "+15550101" }, token), {
      accounts,
    });
  expect(await ask("AC1", "token-one")).toEqual({ kind: "authentic" });
  expect(await ask("AC2", "token-two")).toEqual({ kind: "authentic" });
  expect((await ask("AC1", "token-two")).kind).toBe("refused");
  expect((await ask("AC3", "token-one")).kind).toBe("refused");
});

test("a body with very many parameters is refused in reasonable time", async () => {
  const body = `AccountSid=${accountSid}&${Array.from({ length: 100_000 }, (_, n) => `k${n}=1`).join("&")}`;
  const verdict = await verify(testRequest(url, body, { ...FORM, "x-twilio-signature": "no" }));
  expect(verdict.kind).toBe("refused");
});

test("a token that cannot be read is an error, not a refusal", async () => {
  const options = { accountSid, authToken: { name: "missing" } };
  await expect(verify(signedFor(url, { AccountSid: accountSid }), options)).rejects.toThrow(/missing/);
});

describe("an account's token", () => {
  const other = "AC00000000000000000000000000000002";
  const accounts = {
    [accountSid]: { authToken, from: ["+15550100"] },
    [other]: { authToken: "other-token", from: ["whatsapp:+15550199"] },
  };
  const signedBy = (sid: string, token: string, params: Record<string, string>) =>
    verify(signedFor(url, { AccountSid: sid, ...params }, token), { accounts });

  test("vouches for messages to its own numbers, and for what became of those from them", async () => {
    const ours = "whatsapp:+15550100";
    expect(await signedBy(accountSid, authToken, { To: ours })).toEqual({ kind: "authentic" });
    const status = { MessageStatus: "delivered", From: ours, To: "whatsapp:+15550177" };
    expect(await signedBy(accountSid, authToken, status)).toEqual({ kind: "authentic" });
  });

  test.each([
    { To: "whatsapp:+15550199" },
    { To: "+15550142" },
    {},
    { MessageStatus: "delivered", From: "whatsapp:+15550199", To: "whatsapp:+15550100" },
  ])("does not for %j", async (params: Record<string, string>) => {
    expect((await signedBy(accountSid, authToken, params)).kind).toBe("refused");
  });

  test("vouches for the channel's numbers, too, where it is that of its primary account", async () => {
    const options = {
      accountSid,
      authToken,
      from: "whatsapp:+15550142,+15550199",
      accounts: { [other]: accounts[other]! },
    };
    const asked = (sid: string, token: string, To: string) =>
      verify(signedFor(url, { AccountSid: sid, To }, token), options);
    expect((await asked(accountSid, authToken, "whatsapp:+15550142")).kind).toBe("authentic");
    expect((await asked(accountSid, authToken, "whatsapp:+15550199")).kind).toBe("refused");
    expect((await asked(accountSid, authToken, "whatsapp:+15550100")).kind).toBe("refused");
    expect((await asked(other, "other-token", "whatsapp:+15550199")).kind).toBe("authentic");
    expect((await asked(other, "other-token", "whatsapp:+15550142")).kind).toBe("refused");
  });

  test.each([
    [
      { accountSid, authToken, from: "+15550100", accounts: { [other]: "other-token" } },
      `account ${other} has no numbers`,
    ],
    [
      { accounts: { [accountSid]: authToken, [other]: accounts[other]! } },
      `account ${accountSid} has no numbers`,
    ],
    [
      { accounts: { ...accounts, [other]: { authToken: "other-token", from: "+15550100" } } },
      `accounts ${accountSid} and ${other} have the same number`,
    ],
  ])("does not stand beside another's unless each has numbers of its own: %#", (options, words) => {
    expect(() => verify(signedFor(url, { AccountSid: accountSid }), options)).toThrow(words);
  });
});

describe("before its body is read", () => {
  const glance = (headers: Record<string, string>, at = url) =>
    twilio.sms().glance?.({ method: "POST", url: at, headers });
  const signature = { "x-twilio-signature": "AAAAAAAAAAAAAAAAAAAAAAAAAAA=" };

  test("a request without a signature is refused", () => {
    const why = "there is no X-Twilio-Signature header";
    expect(glance(FORM)).toEqual({ code: "INVALID_SIGNATURE", why });
    expect(glance({ ...FORM, "x-twilio-signature": "" })).toEqual({ code: "INVALID_SIGNATURE", why });
  });

  test.each([
    ["application/x-www-form-urlencoded; charset=utf-8", undefined],
    ["application/json", "INVALID_PAYLOAD"],
    ["text/plain", "INVALID_PAYLOAD"],
    ["multipart/form-data; boundary=x", "INVALID_PAYLOAD"],
    ["", "INVALID_PAYLOAD"],
  ])("one of the type %j may be: %s", (type, code) => {
    expect(glance({ ...signature, "content-type": type })?.code).toBe(code);
  });

  test("JSON may be where its hash is signed with the URL", () => {
    const headers = { ...signature, "content-type": "Application/JSON; charset=utf-8" };
    expect(glance(headers, `${url}?bodySHA256=${"0f".repeat(32)}`)).toBeUndefined();
    expect(glance(headers, `${url}?bodySHA256=${"0f".repeat(32)}&more=1`)?.code).toBe("INVALID_PAYLOAD");
  });

  test("one that names no type is left to its signature", () => {
    expect(glance(signature)).toBeUndefined();
  });
});

test.each([
  "application/x-www-form-urlencoded; json",
  "application/x-www-form-urlencoded;charset=application/json",
])("what is a form before its body is read is one afterwards: %s", async (type) => {
  const params = { AccountSid: accountSid, From: "+15550100", To: "+15550101" };
  const request = signedFor(url, params);
  const headers = { ...request.headers, "content-type": type };
  expect(await verify({ ...request, headers })).toEqual({ kind: "authentic" });
});

describe("parameters", () => {
  const params = (count: number) =>
    Object.fromEntries([
      ["AccountSid", accountSid],
      ...Array.from({ length: count - 1 }, (_, n) => [`p${n}`, "x"]),
    ]);

  test("may be 256", async () => {
    expect(await verify(signedFor(url, params(256)))).toEqual({ kind: "authentic" });
  });

  test("are not read when there are more, even if they are signed", async () => {
    const request = signedFor(url, params(257));
    expect(await verify(request)).toEqual({ kind: "refused", why: "there are more than 256 parameters" });
    expect(readForm(request).size).toBe(0);
  });

  test.each([
    "application/x-www-form-urlencoded; json",
    "application/x-www-form-urlencoded;application/json",
  ])("are those of a form where the type %j passes for one", async (type) => {
    const request = signedFor(url, params(257));
    const headers = { ...request.headers, "content-type": type };
    const why = "there are more than 256 parameters";
    expect(await verify({ ...request, headers })).toEqual({ kind: "refused", why });
  });

  test("are as many in JSON", async () => {
    const headers = { "content-type": "application/json", "x-twilio-signature": "no" };
    const ask = (count: number) => verify(testRequest(url, JSON.stringify(params(count)), headers));
    expect(await ask(257)).toEqual({ kind: "refused", why: "there are more than 256 parameters" });
    expect(await ask(256)).toMatchObject({ why: expect.stringContaining("signature does not match") });
  });
});
