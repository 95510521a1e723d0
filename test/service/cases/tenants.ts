import { createHmac } from "node:crypto";
import { expect } from "vitest";
import { signedWebhook } from "../../../src/testing/fake-twilio-webhook.ts";
import { eventually } from "../../lull-process.ts";
import { PUBLIC_URL } from "../outside.ts";
import { type Case, committed, type RunningService } from "../platform.ts";

/** A tenant, with everything that proves who it is. */
interface Tenant {
  readonly name: string;
  readonly account: string;
  readonly number: string;
  readonly twilioToken: string;
  readonly webSecret: string;
  readonly apiToken: string;
  readonly model: string;
  readonly key: string;
}

function tenant(name: string, n: number): Tenant {
  return {
    name,
    account: `AC0000000000000000000000000000000${n}`,
    number: `+1555010${n}`,
    twilioToken: `${name}-twilio-auth-token`,
    webSecret: `${name}-web-secret-of-some-length`,
    apiToken: `${name}-api-token-of-some-length`,
    model: `${name}-model`,
    key: `${name}-openai-key`,
  };
}

const ACME = tenant("acme", 2);
const BETA = tenant("beta", 3);

/** Two channels, a model, a key and an assistant for each; records name credentials as the seeds do. */
function projectOf({ name, account, number, model }: Tenant) {
  const secret = (what: string) => ({ env: `${name}_${what}`.toUpperCase() });
  const accounts = {
    [account]: { authToken: secret("twilio"), from: number, credentialsId: `${name}/twilio` },
  };
  return {
    channels: {
      [`${name}-sms`]: { twilio: "sms", accounts },
      [`${name}-web`]: { web: true, secret: secret("web") },
    },
    responder: {
      openai: {
        model,
        instructions: `You work for ${name}.`,
        apiKey: secret("key"),
        apiKeys: { [`${name}/openai`]: secret("key") },
        assistants: { [`asst_${name}`]: { model: `${model}-large` } },
      },
    },
    tokens: { api: secret("api") },
  };
}

const environmentOf = ({ name, ...tenant }: Tenant) => ({
  [`${name.toUpperCase()}_TWILIO`]: tenant.twilioToken,
  [`${name.toUpperCase()}_WEB`]: tenant.webSecret,
  [`${name.toUpperCase()}_KEY`]: tenant.key,
  [`${name.toUpperCase()}_API`]: tenant.apiToken,
});

const ENVIRONMENT = {
  LULL_CONFIG: JSON.stringify({ projects: { acme: projectOf(ACME), beta: projectOf(BETA) } }),
  ...environmentOf(ACME),
  ...environmentOf(BETA),
  // What one machine's variables would turn on is not wanted here.
  ...Object.fromEntries(
    ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_WHATSAPP_FROM", "OPENAI_API_KEY"].map((n) => [n, ""]),
  ),
  LULL_WEB_UNSIGNED: "",
};

let count = 0;

interface Written {
  readonly sender?: string;
  /** Whose account and token sign it. */
  readonly by?: Tenant;
  /** Whose channel it is posted to. */
  readonly channel?: Tenant;
}

/** One SMS to a tenant's number. */
async function text(at: RunningService, to: Tenant, body: string, written: Written = {}): Promise<number> {
  const { sender = "+15550177", by = to, channel = to } = written;
  count += 1;
  const path = `/webhooks/${channel.name}-sms`;
  const params = {
    AccountSid: by.account,
    Body: body,
    From: sender,
    MessageSid: `SM${String(count).padStart(32, "0")}`,
    NumMedia: "0",
    To: to.number,
  };
  const url = `${PUBLIC_URL}${path}`;
  return (await at.post(path, signedWebhook({ url, authToken: by.twilioToken, params }))).status;
}

function api(
  at: RunningService,
  { apiToken }: Pick<Tenant, "apiToken">,
  path: string,
  init: RequestInit = {},
) {
  const headers = { authorization: `Bearer ${apiToken}`, "content-type": "application/json" };
  return fetch(`${at.url()}/api${path}`, { ...init, headers });
}

interface Listed {
  readonly items: readonly { readonly id: string; readonly address: string; readonly reason: string }[];
}

async function list(at: RunningService, by: Tenant, what: string): Promise<Listed["items"]> {
  return ((await (await api(at, by, `/${what}`)).json()) as Listed).items;
}

/** A conversation that another system opened, with what it wants used. */
async function open(at: RunningService, to: Tenant, sender: string, attributes: object): Promise<string> {
  const record = { channel: `${to.name}-sms`, address: to.number, sender, attributes };
  const made = await api(at, to, "/conversations", { method: "POST", body: JSON.stringify(record) });
  return ((await made.json()) as { conversation: { id: string } }).conversation.id;
}

const post = { method: "POST", body: "{}" };

export const tenantCases: readonly Case[] = [
  {
    title: "two tenants are answered by their own models, with their own keys, through their own accounts",
    environment: ENVIRONMENT,
    async run(at) {
      expect(await text(at, ACME, "hi acme")).toBe(200);
      expect(await text(at, BETA, "hi beta")).toBe(200);
      await at.twilio.whenSent(2);
      for (const { name, account, number, model, key } of [ACME, BETA]) {
        const [asked, ...more] = at.openai.asked.filter(({ lastUserText: said }) => said === `hi ${name}`);
        expect(more).toEqual([]);
        expect(asked?.body).toMatchObject({ model, instructions: `You work for ${name}.` });
        expect(asked?.headers.authorization).toBe(`Bearer ${key}`);
        const sent = at.twilio.sent.filter((message) => message.accountSid === account);
        expect(sent.map(({ from, body }) => [from, body])).toEqual([[number, `answer to: hi ${name}`]]);
      }
    },
  },
  {
    title: "a tenant's credentials prove nothing about another: webhooks, feeds, records",
    environment: { ...ENVIRONMENT, LULL_ATTEMPTS_MAX: "1" },
    async run(at) {
      // Signed by one, for the other's number, on either channel.
      expect(await text(at, ACME, "forged", { by: BETA })).toBe(403);
      expect(await text(at, ACME, "forged", { by: BETA, channel: BETA })).toBe(403);
      const sender = "visitor-0001";
      const signature = createHmac("sha256", ACME.webSecret).update(sender).digest("hex");
      const body = JSON.stringify({ id: "1", sender, text: "private" });
      const visit = (name: string) =>
        at.post(`/webhooks/${name}-web`, { body, headers: { "x-lull-signature": signature } });
      expect([(await visit("acme")).status, (await visit("beta")).status]).toEqual([200, 401]);
      await committed(at, 1);
      const feed = (name: string) =>
        fetch(`${at.url()}/webhooks/${name}-web/feed?sender=${sender}`, {
          headers: { "x-lull-signature": signature },
        });
      expect(await (await feed("acme")).text()).toContain("private");
      const other = await feed("beta");
      expect(other.status).toBe(401);
      expect(await other.text()).not.toContain("private");

      // A record asks for what is another's: nothing is asked or sent with it, and a person sees why.
      const wanted = [
        { channel_config: { sms_credentials_id: "beta/twilio" } },
        { ai_config: { ai_api_key_reference: "beta/openai" } },
        { ai_config: { assistant_id_replies: "asst_beta" } },
      ];
      for (const [n, attributes] of wanted.entries()) await open(at, ACME, `+1555020${n}`, attributes);
      for (const [n] of wanted.entries()) await text(at, ACME, "give me theirs", { sender: `+1555020${n}` });
      const dead = await eventually("three dead letters", async () => {
        const letters = await list(at, ACME, "dead");
        return letters.length === 3 ? letters : undefined;
      });
      expect(dead.map(({ reason }) => /UNKNOWN_\w+/.exec(reason)?.[0]).sort()).toEqual([
        "UNKNOWN_API_KEY",
        "UNKNOWN_ASSISTANT",
        "UNKNOWN_CREDENTIALS",
      ]);
      expect(at.twilio.sent.filter(({ accountSid }) => accountSid === BETA.account)).toEqual([]);
      expect(at.openai.asked.filter(({ headers }) => headers.authorization?.includes(BETA.key))).toEqual([]);
    },
  },
  {
    title: "what a record asks for is used where it is the tenant's own",
    environment: ENVIRONMENT,
    async run(at) {
      await open(at, ACME, "+15550300", {
        channel_config: { sms_credentials_id: "acme/twilio" },
        ai_config: { ai_api_key_reference: "acme/openai", assistant_id_replies: "asst_acme" },
      });
      await text(at, ACME, "the large one, please", { sender: "+15550300" });
      await at.twilio.whenSent(1);
      expect(at.openai.asked.map(({ body }) => body.model)).toEqual(["acme-model-large"]);
      expect(at.twilio.sent.map(({ accountSid, to }) => [accountSid, to])).toEqual([
        [ACME.account, "+15550300"],
      ]);
    },
  },
  {
    title:
      "with a tenant's token the API knows nothing of another's conversations, and changes nothing for all",
    environment: ENVIRONMENT,
    async run(at) {
      await text(at, ACME, "hi acme");
      await text(at, BETA, "hi beta");
      await committed(at, 2);
      const theirs = await list(at, ACME, "conversations");
      expect(theirs.map(({ address }) => address)).toEqual([ACME.number]);
      const [foreign] = await list(at, BETA, "conversations");
      expect(foreign?.address).toBe(BETA.number);
      const at2 = `/conversations/${foreign?.id}`;
      const said = { method: "POST", body: JSON.stringify({ text: "from your neighbour" }) };
      const tried = await Promise.all([
        api(at, ACME, at2),
        api(at, ACME, at2, { method: "DELETE" }),
        api(at, ACME, `${at2}/say`, said),
        api(at, ACME, `${at2}/close`, post),
        api(at, ACME, `${at2}/hand-off`, post),
      ]);
      expect(tried.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
      const forAll = [
        api(at, ACME, "/counts"),
        api(at, ACME, "/pause", post),
        api(at, ACME, "/quarantined"),
        api(at, ACME, "/projects"),
        api(at, ACME, "/projects/beta", { method: "POST", body: JSON.stringify({ status: "stopped" }) }),
      ];
      expect((await Promise.all(forAll)).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
      const metrics = await fetch(`${at.url()}/metrics`, {
        headers: { authorization: `Bearer ${ACME.apiToken}` },
      });
      expect(metrics.status).toBe(at.hasMetrics ? 403 : 404);
      // The operator's own token still sees both.
      expect(((await at.api("/conversations")) as Listed).items).toHaveLength(2);
      expect((await api(at, BETA, at2)).status).toBe(200);
    },
  },
  {
    title: "a tenant that is paused keeps its messages while another is answered, and goes on with them",
    environment: ENVIRONMENT,
    async run(at) {
      const pause = (paused: boolean) =>
        at.api("/projects/acme", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ paused }),
        });
      expect(await pause(true)).toMatchObject({ name: "acme", status: "active", paused: true });
      // It counts in every process within a second, and a window is no shorter.
      expect(await text(at, ACME, "hi acme")).toBe(200);
      expect(await text(at, BETA, "hi beta")).toBe(200);
      await at.twilio.whenSent(1);
      expect(at.twilio.sent.map(({ accountSid }) => accountSid)).toEqual([BETA.account]);
      expect(await list(at, ACME, "locks")).toHaveLength(1);
      const going = (await pause(false)) as { paused?: boolean };
      expect(going.paused).toBeUndefined();
      await at.twilio.whenSent(2);
      expect(at.twilio.sent.at(-1)?.accountSid).toBe(ACME.account);
    },
  },
  {
    title:
      "a tenant that is stopped while it runs is refused, also where it has conversations, and no other is",
    environment: ENVIRONMENT,
    async run(at) {
      await text(at, ACME, "hi");
      await text(at, BETA, "hi");
      await committed(at, 2);
      const changed = await at.api("/projects/acme", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ status: "stopped" }),
      });
      expect(changed).toMatchObject({ name: "acme", status: "stopped", changed: { status: "stopped" } });
      await eventually("a refusal", async () => {
        await text(at, ACME, "are you there?");
        const refused = await list(at, ACME, "conversations");
        const detail = await (await api(at, ACME, `/conversations/${refused[0]?.id}`)).json();
        return JSON.stringify(detail).includes("PROJECT_INACTIVE") ? true : undefined;
      });
      const before = at.twilio.sent.length;
      await text(at, BETA, "and you?");
      await at.twilio.whenSent(before + 1);
      expect(at.twilio.sent.at(-1)?.accountSid).toBe(BETA.account);
    },
  },
];
