import { createHmac } from "node:crypto";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { signedWebhook } from "../../../src/testing/fake-twilio-webhook.ts";
import { ACCOUNT, API_TOKEN, AUTH_TOKEN, type Environment, FROM, PUBLIC_URL } from "../outside.ts";
import { atRest, type Case, committed, type RunningService } from "../platform.ts";

const SECRET = "visitors-prove-with-this";
const TURN_TOKEN = "a-token-that-answers-turns";
/** Must not be found anywhere that an outsider, or a reader of logs, could look. */
const SECRETS = [SECRET, TURN_TOKEN, API_TOKEN, AUTH_TOKEN];
const JSON_TYPE = { "content-type": "application/json" };
const ENVIRONMENT: Environment = {
  LULL_WEB: "1",
  LULL_WEB_SECRET: SECRET,
  LULL_WEB_UNSIGNED: "",
  LULL_TURN_TOKEN: TURN_TOKEN,
};

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Sent as it is: `fetch` would tidy up the path beforehand. */
function ask(
  at: RunningService,
  method: string,
  path: string,
  headers: Environment = {},
  body = "",
): Promise<Answer> {
  const { hostname, port } = new URL(at.url());
  return new Promise((resolve, reject) => {
    const asking = request({ hostname, port, method, path, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response).catch(() => "") });
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

function bearing(token: string): Environment {
  return { authorization: `Bearer ${token}` };
}

function signatureOf(sender: string): string {
  return createHmac("sha256", SECRET).update(sender).digest("hex");
}

function said(sender: string, id = "m1", words = "hi"): string {
  return JSON.stringify({ id, sender, text: words });
}

function webMessage(
  at: RunningService,
  sender: string,
  headers: Environment,
  body = said(sender),
): Promise<Answer> {
  return ask(at, "POST", "/webhooks/web", { ...JSON_TYPE, ...headers }, body);
}

const WHATSAPP: Environment = {
  AccountSid: ACCOUNT,
  Body: "hi",
  From: "whatsapp:+50370000001",
  MessageSid: "SM00000000000000000000000000000099",
  NumMedia: "0",
  To: `whatsapp:${FROM}`,
};

interface Forgery {
  readonly params?: Environment;
  /** What was signed, where it is not what is sent. */
  readonly signed?: Environment;
  readonly url?: string;
  readonly token?: string;
  readonly headers?: Environment;
  readonly path?: string;
}

function forged(at: RunningService, forgery: Forgery): Promise<Answer> {
  const { params = WHATSAPP, signed = params, token = AUTH_TOKEN, path = "/webhooks/whatsapp" } = forgery;
  const { headers } = signedWebhook({
    url: forgery.url ?? `${PUBLIC_URL}${path}`,
    authToken: token,
    params: signed,
  });
  const body = new URLSearchParams(params).toString();
  return ask(at, "POST", path, { ...headers, ...forgery.headers }, body);
}

/** Everything that a caller sends who proves nothing. By name, so that a failure says which one got in. */
function callsWithoutProof(at: RunningService): Record<string, Promise<Answer>> {
  const api = (method: string, path: string, headers?: Environment) =>
    ask(at, method, `/api${path}`, headers);
  return {
    "lists conversations": api("GET", "/conversations"),
    "says that it comes from here": api("GET", "/conversations", { host: "127.0.0.1" }),
    "says that a proxy let it in": api("GET", "/conversations", { "x-forwarded-for": "127.0.0.1" }),
    pauses: api("POST", "/pause"),
    erases: api("DELETE", "/conversations/c_1"),
    "guesses a token": api("GET", "/conversations", bearing("a-token-that-is-wrong")),
    "sends an empty token": api("GET", "/conversations", bearing("")),
    "puts the token's beginning": api("GET", "/conversations", bearing(API_TOKEN.slice(0, -1))),
    "reads with the token for turns": api("GET", "/conversations", bearing(TURN_TOKEN)),
    "pauses with the token for turns": api("POST", "/pause", bearing(TURN_TOKEN)),
    "climbs out of the webhooks": ask(at, "GET", "/webhooks/../api/conversations"),
    "climbs out, escaped": ask(at, "GET", "/webhooks/%2e%2e/api/conversations"),
    "doubles the slash": ask(at, "GET", "//api/conversations"),
    "asks an object's prototype": ask(at, "POST", "/webhooks/__proto__", JSON_TYPE, "{}"),
    "asks for its constructor": ask(at, "POST", "/webhooks/constructor", JSON_TYPE, "{}"),
    "signs nothing": ask(
      at,
      "POST",
      "/webhooks/whatsapp",
      { "content-type": "application/x-www-form-urlencoded" },
      new URLSearchParams(WHATSAPP).toString(),
    ),
    "signs with a guess": forged(at, { token: "a-guess" }),
    "signs with nothing": forged(at, { token: "" }),
    "signs for the address it calls": forged(at, { url: `${at.url()}/webhooks/whatsapp` }),
    "brings its own host": forged(at, {
      url: "http://attacker.example/webhooks/whatsapp",
      headers: { host: "attacker.example", "x-forwarded-host": "attacker.example" },
    }),
    "changes a signed text": forged(at, { params: { ...WHATSAPP, Body: "other" }, signed: WHATSAPP }),
    "adds a sender to it": forged(at, {
      params: { ...WHATSAPP, From: "whatsapp:+50370000009" },
      signed: WHATSAPP,
    }),
    "uses a signature elsewhere": forged(at, { url: `${PUBLIC_URL}/webhooks/whatsapp/status` }),
    "names another account": forged(at, {
      params: { ...WHATSAPP, AccountSid: "AC00000000000000000000000000000002" },
    }),
    "tells of a delivery": forged(at, {
      token: "a-guess",
      path: "/webhooks/whatsapp/status?n=t_1.0",
      params: { AccountSid: ACCOUNT, MessageSid: "SM1", MessageStatus: "sent", From: `whatsapp:${FROM}` },
    }),
    "visits unsigned": webMessage(at, "visitor-0001", {}),
    "visits with a guess": webMessage(at, "visitor-0001", { "x-lull-signature": "0".repeat(64) }),
    "visits with another's signature": webMessage(at, "visitor-0001", {
      "x-lull-signature": signatureOf("visitor-0002"),
    }),
    "visits from another page": webMessage(at, "visitor-0002", {
      "x-lull-signature": signatureOf("visitor-0002"),
      origin: "https://attacker.example",
      "sec-fetch-site": "cross-site",
    }),
    "visits from an old browser's other page": webMessage(at, "visitor-0002", {
      "x-lull-signature": signatureOf("visitor-0002"),
      origin: "https://attacker.example",
    }),
    "posts as a form would": webMessage(at, "visitor-0002", {
      "x-lull-signature": signatureOf("visitor-0002"),
      "content-type": "text/plain",
    }),
    "reads another's feed": ask(at, "GET", "/webhooks/web/feed?sender=visitor-0002"),
    "reads it with its own signature": ask(at, "GET", "/webhooks/web/feed?sender=visitor-0002", {
      "x-lull-signature": signatureOf("visitor-0001"),
    }),
  };
}

/** What callers without a secret, or with a wrong one, get; on every platform. */
export const HOSTILE_CASES: readonly Case[] = [
  {
    title:
      "a caller who has proven nothing is refused, changes nothing, costs no answer and learns no secret",
    environment: ENVIRONMENT,
    async run(at) {
      const before = await at.counts();
      const answers: Record<string, Answer> = {};
      for (const [what, answer] of Object.entries(callsWithoutProof(at))) answers[what] = await answer;
      const admitted = Object.entries(answers).filter(([, { status }]) => status < 400 || status >= 500);
      expect(admitted).toEqual([]);
      expect(await at.counts()).toEqual(before);
      expect([at.openai.asked, at.twilio.sent]).toEqual([[], []]);
      const told = [...Object.values(answers).map(({ body }) => body), JSON.stringify(at.events)].join("\n");
      expect(SECRETS.filter((secret) => told.includes(secret))).toEqual([]);
    },
  },
  {
    title: "a signed visitor reads what it wrote; another one, signed as well, does not",
    environment: ENVIRONMENT,
    async run(at) {
      const own = { "x-lull-signature": signatureOf("visitor-0001") };
      const other = { "x-lull-signature": signatureOf("visitor-0002") };
      const { status, body } = await webMessage(
        at,
        "visitor-0001",
        own,
        said("visitor-0001", "m1", "my words"),
      );
      expect(status).toBe(200);
      const { conversation_id: id } = JSON.parse(body) as { conversation_id: string };
      await committed(at, 1);
      const feed = (query: string, headers: Environment) =>
        ask(at, "GET", `/webhooks/web/feed?${query}`, headers);
      expect((await feed("sender=visitor-0001", own)).body).toContain("my words");
      for (const answer of [
        await feed("sender=visitor-0001", other),
        await feed(`sender=visitor-0002&conversation=${id}`, other),
        await feed(`sender=visitor-0001&conversation=${id}`, {}),
      ]) {
        expect([401, 404]).toContain(answer.status);
        expect(answer.body).not.toContain("my words");
      }
    },
  },
  {
    title: "a signed request that is sent again, before and after its turn, is answered once",
    environment: ENVIRONMENT,
    async run(at) {
      expect((await forged(at, {})).status).toBe(200);
      expect((await forged(at, {})).status).toBe(200);
      await committed(at, 1);
      expect((await forged(at, {})).status).toBe(200);
      expect(await atRest(at)).toMatchObject({ turns: 1 });
      expect(at.twilio.sent).toHaveLength(1);
    },
  },
];
