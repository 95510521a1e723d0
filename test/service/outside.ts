import { fakeOpenai } from "../../src/testing/fake-openai.ts";
import { fakeTwilio } from "../../src/testing/fake-twilio.ts";
import { signedWebhook } from "../../src/testing/fake-twilio-webhook.ts";
import { type FakeWati, fakeWati } from "../../src/testing/fake-wati.ts";

export const ACCOUNT = "AC00000000000000000000000000000001";
export const AUTH_TOKEN = "test-auth-token";
/** Tenants have accounts of their own. */
const OTHER_ACCOUNTS = {
  AC00000000000000000000000000000002: "acme-twilio-auth-token",
  AC00000000000000000000000000000003: "beta-twilio-auth-token",
};
export const FROM = "+14155238886";
export const WATI_TOKEN = "test-wati-token";
export const WATI_NUMBER = "50320000000";
/** For a service whose API any caller could reach. */
export const API_TOKEN = "an-api-token-for-tests";
/** Signed as providers would sign it, whatever port this run was given. */
export const PUBLIC_URL = "https://bot.example.com";

const JSON_TYPE = { "content-type": "application/json" };

export type Environment = Record<string, string>;
/** What a service is told on top; it may depend on who is outside. */
export type Environments = Environment | ((people: { readonly wati: FakeWati }) => Environment);
export type Counts = Readonly<Record<string, number>>;

/**
 * All parties outside: providers that are fakes, customers who write through them, an operator with the API's
 * token. They call the service where it is now, or where they are told.
 */
export async function outside(url: () => string) {
  const twilio = fakeTwilio({ accountSid: ACCOUNT, authToken: AUTH_TOKEN, others: OTHER_ACCOUNTS });
  const openai = fakeOpenai();
  const wati = fakeWati({ token: WATI_TOKEN });
  await Promise.all([twilio.start(), openai.start(), wati.start()]);
  let count = 0;

  const post = (path: string, init: RequestInit, to = url()) =>
    fetch(`${to}${path}`, { method: "POST", ...init, headers: { ...JSON_TYPE, ...init.headers } });
  const postSigned = (path: string, params: Environment, to?: string, more: Environment = {}) => {
    const { headers, ...init } = signedWebhook({
      url: `${PUBLIC_URL}${path}`,
      authToken: AUTH_TOKEN,
      params,
    });
    return post(path, { ...init, headers: { ...headers, ...more } }, to);
  };
  const api = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${API_TOKEN}`, ...init.headers };
    return (await (await fetch(`${url()}/api${path}`, { ...init, headers })).json()) as unknown;
  };

  return {
    twilio,
    wati,
    openai,
    /** What tells the service about them. */
    env: {
      TWILIO_ACCOUNT_SID: ACCOUNT,
      TWILIO_AUTH_TOKEN: AUTH_TOKEN,
      TWILIO_API_URL: twilio.url,
      TWILIO_WHATSAPP_FROM: FROM,
      OPENAI_API_KEY: "test-key",
      OPENAI_BASE_URL: openai.url,
      LULL_PUBLIC_URL: PUBLIC_URL,
      LULL_API_TOKEN: API_TOKEN,
      LULL_WEB_UNSIGNED: "1",
    } as Environment,
    /** Where the service is now. */
    url,
    post,
    /** As Twilio would post to `path` there: signed for the public address. */
    postSigned,
    api,
    counts: async () => (await api("/counts")) as Counts,
    /** One signed WhatsApp message. Returns the status that Twilio would see. */
    async write(
      customer: number,
      text: string,
      options: { sid?: string; params?: Environment; to?: string; headers?: Environment } = {},
    ) {
      count += 1;
      const sid = options.sid ?? `SM${String(count).padStart(32, "0")}`;
      const phone = `+503700${String(customer).padStart(5, "0")}`;
      const params = {
        AccountSid: ACCOUNT,
        Body: text,
        From: `whatsapp:${phone}`,
        MessageSid: sid,
        NumMedia: "0",
        ProfileName: "Ana",
        To: `whatsapp:${FROM}`,
        WaId: phone.slice(1),
        ...options.params,
      };
      const response = await postSigned("/webhooks/whatsapp", params, options.to, options.headers);
      return { status: response.status, body: await response.text(), sid };
    },
    /** Twilio tells what became of a message, at the address that it was given with it. */
    callBack({ sid, to, statusCallback = "" }: { sid: string; to: string; statusCallback?: string }) {
      const path = statusCallback.replace(PUBLIC_URL, "");
      const ids = { AccountSid: ACCOUNT, MessageSid: sid, MessageStatus: "sent" };
      return postSigned(path, { ...ids, From: `whatsapp:${FROM}`, To: to });
    },
    leave: () => Promise.all([twilio.stop(), openai.stop(), wati.stop()]),
  };
}

/** What is said of the environment, by those who are there. */
export function environmentAmong(people: { readonly wati: FakeWati }, given: Environments): Environment {
  return typeof given === "function" ? given(people) : given;
}

export type Outside = Awaited<ReturnType<typeof outside>>;
