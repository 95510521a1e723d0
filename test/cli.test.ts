import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../src/runtime/system-clock.ts";
import { fakeTwilio } from "../src/testing/fake-twilio.ts";
import { signedWebhook } from "../src/testing/fake-twilio-webhook.ts";
import { eventually, LullProcess } from "./lull-process.ts";
import { typed } from "./typed-command.ts";

let cwd: string;
const started = new Set<LullProcess>();

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lull-cli-"));
});

afterEach(async () => {
  for (const each of started) each.kill("SIGKILL");
  await Promise.all([...started].map((each) => each.gone()));
  started.clear();
  await rm(cwd, { recursive: true, force: true });
});

function lull(args: readonly string[], env: Record<string, string> = {}): LullProcess {
  const process = new LullProcess(args, { cwd, env: { PORT: "0", LULL_WINDOW_SECONDS: "0", ...env } });
  started.add(process);
  return process;
}

/** A command that ends by itself, with what it printed as JSON. */
async function ask(args: readonly string[], env?: Record<string, string>) {
  const process = lull([...args, "--json"], env);
  const { code } = await process.gone();
  return {
    code,
    json: process.stdout === "" ? undefined : JSON.parse(process.stdout),
    stderr: process.stderr,
  };
}

/**
 * The same without a process of its own, where only the result matters: starting one takes longer than all
 * the rest.
 */
async function askHere(args: readonly string[]) {
  const { code, out } = await typed([...args, "--json"], { cwd });
  return { code, json: JSON.parse(out) };
}

function write(url: string, text: string, sender = "visitor-one") {
  const body = JSON.stringify({ id: text, sender, text });
  return fetch(`${url}/webhooks/web`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
}

function replies(url: string, sender = "visitor-one"): Promise<string[]> {
  return eventually("a reply", async () => {
    const response = await fetch(`${url}/webhooks/web/feed?sender=${sender}`);
    const feed = (await response.json()) as { messages: { role: string; text: string }[] };
    const said = feed.messages.filter(({ role }) => role === "assistant").map(({ text }) => text);
    return said.length > 0 ? said : undefined;
  });
}

/** Answers at the second attempt only: the worker that is asked first never comes back. */
const HANGS_ONCE = `
  export default {
    channels: { web: { web: true } },
    respond: (turn) => (turn.attempt > 1 ? "second attempt: " + turn.text : new Promise(() => {})),
  };
`;

describe("dev", () => {
  test("prints one line when it is ready, serves, answers and stops", async () => {
    const dev = lull(["dev"]);
    const url = await dev.url();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await (await fetch(url)).text()).toContain("<html");
    expect((await write(url, "hello")).status).toBe(200);
    expect(await replies(url)).toEqual(["You said: hello"]);
    dev.kill("SIGTERM");
    expect(await dev.gone()).toEqual({ code: 0, signal: null });
    expect(dev.stdout).toBe(`lull listening on ${url}\n`);
  });

  test("a port that is taken is told in one line", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    for (const workers of ["1", "2"]) {
      const process = lull([
        "dev",
        "--port",
        String(port),
        "--workers",
        workers,
        "--log-level",
        "error",
        "--json",
      ]);
      expect(await process.gone()).toEqual({ code: 2, signal: null });
      expect(process.stderr).toMatch(new RegExp(`^lull: port ${port} is in use; choose another one\n$`));
      expect(process.stdout).toBe("");
    }
    taken.close();
  });
});

// Many processes one after the other: on a busy machine each may take seconds.
describe("the doctor, about a service on its port", () => {
  const told = async (...args: string[]) => {
    const { json } = await ask(["doctor", "--offline", "--port", port, ...args]);
    return json.findings.filter(({ check }: { check: string }) => check === "service");
  };
  let port = "";

  test("says whether it may be the one of this database, and when it is not", async () => {
    const service = lull(["start"], { LULL_WEB: "1", LULL_WEB_UNSIGNED: "1" });
    port = new URL(await service.url()).port;
    expect(await told()).toEqual([
      { check: "service", verdict: "ok", detail: expect.stringMatching(/ready.*same database.*not asked/) },
    ]);
    await askHere([
      "conversations",
      "create",
      "--channel",
      "web",
      "--sender",
      "visitor-one",
      "--db",
      "other.db",
    ]);
    for (const db of ["other.db", "none.db"])
      expect(await told("--db", db)).toEqual([
        {
          check: "service",
          verdict: "warn",
          detail: expect.stringMatching(new RegExp(`no process has \\S*${db} open.*another installation`)),
        },
      ]);
  });
});

describe("the doctor beside a file with the service's environment", () => {
  const told = async (env: Record<string, string>) =>
    (await ask(["doctor", "--offline"], env)).json.findings.filter(
      ({ check }: { check: string }) => check === "environment",
    );

  test("warns that it looks at another configuration, while it has not got what is in it", async () => {
    await writeFile(join(cwd, "lull.env"), "# ours\nLULL_WEB=1\nLULL_WEB_SECRET=visitors-prove-with-this\n");
    expect(await told({ LULL_WEB: "1" })).toEqual([
      { check: "environment", verdict: "warn", detail: expect.stringMatching(/lull\.env.*LULL_WEB_SECRET/) },
    ]);
    const whole = { LULL_WEB: "1", LULL_WEB_SECRET: "visitors-prove-with-this" };
    expect(await told(whole)).toEqual([]);
  });
});

describe("the data commands", { timeout: 90_000 }, () => {
  test("stop a project and set it going again, in words and as JSON", async () => {
    const channels = (name: string) => ({
      [`${name}-web`]: { web: true, secret: `a-long-secret-of-${name}` },
    });
    const projects = {
      acme: { channels: channels("acme") },
      beta: { channels: channels("beta"), status: "trial" },
    };
    await writeFile(join(cwd, "lull.config.json"), JSON.stringify({ projects }));
    expect(
      (await ask(["conversations", "create", "--sender", "visitor-0001", "--channel", "acme-web"])).code,
    ).toBe(0);
    expect(
      (await askHere(["projects", "set", "acme", "--status", "stopped", "--allow", "web,sms"])).json,
    ).toMatchObject({
      name: "acme",
      status: "stopped",
      allowed_channels: ["web", "sms"],
    });
    const { json } = await askHere(["projects"]);
    expect(json.items.map(({ name, status }: Record<string, string>) => [name, status])).toEqual([
      ["acme", "stopped"],
      ["beta", "trial"],
    ]);
    const told = lull(["projects"]);
    await told.gone();
    expect(told.stdout).toMatch(/^acme +stopped +web, sms +while it ran +acme-web$/m);
    expect((await askHere(["projects", "reset", "acme"])).json).toMatchObject({
      name: "acme",
      status: "active",
    });
    const unknown = await ask(["projects", "set", "gamma", "--status", "x"]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("there is no project gamma")]);
    const nothing = await ask(["projects", "set", "acme"]);
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      expect.stringContaining("give --status or --allow; to pause: lull projects pause acme"),
    ]);
    const paused = await ask(["projects", "set", "acme", "--status", "Paused"]);
    expect([paused.code, paused.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining("to keep them: lull projects pause acme"),
    ]);
    const said = async (...args: string[]) => {
      const process = lull(["projects", ...args]);
      await process.gone();
      return process.stdout;
    };
    expect(await said("set", "acme", "--allowed-channels", "sms")).toContain(
      "What comes over acme-web is refused.",
    );
    await said("pause", "acme");
    expect(await said()).toMatch(/^acme +paused \(messages kept\) +sms +while it ran +acme-web$/m);
    expect(await said("resume", "acme")).toContain("What waited is due at once.");
  });

  test("pause a project, which the doctor and a running service tell, and set it going again", async () => {
    const web = { web: true, secret: "a-long-secret-of-acme" };
    const file = (more: object) =>
      writeFile(
        join(cwd, "lull.config.json"),
        JSON.stringify({ projects: { acme: { channels: { web }, ...more } }, limits: { sweepSeconds: 1 } }),
      );
    await file({});
    const service = lull(["start", "--workers", "1"]);
    await service.url();
    expect((await askHere(["projects", "pause", "acme"])).json).toMatchObject({
      name: "acme",
      status: "active",
      paused: true,
    });
    const changed = () =>
      service.events
        .filter(({ event }) => event === "project.changed")
        .map(({ project, keys }) => [project, keys]);
    const told = (many: number) =>
      eventually("it in the log", async () => (changed().length === many ? changed() : undefined));
    expect(await told(1)).toEqual([["acme", "paused"]]);
    expect((await askHere(["projects", "set", "acme", "--status", "stopped", "--allow", "sms"])).code).toBe(
      0,
    );
    expect((await told(2)).at(-1)).toEqual(["acme", "status, allowedChannels"]);

    const doctor = async () =>
      ((await askHere(["doctor", "--offline"])).json.findings as { check: string; detail: string }[]).filter(
        ({ check }) => check === "project acme",
      );
    expect((await doctor()).map(({ detail }) => detail)).toEqual([
      "is stopped: messages are refused, and not kept; lull projects reset acme",
      "is paused: messages are kept, and not answered; lull projects resume acme",
      "allows sms: what comes over web is refused; lull projects reset acme",
    ]);
    expect((await askHere(["projects", "reset", "acme"])).json.paused).toBe(true);
    expect((await told(3)).at(-1)).toEqual(["acme", "status, allowedChannels"]);
    expect((await askHere(["projects", "resume", "acme"])).json.paused).toBeUndefined();
    expect((await told(4)).at(-1)).toEqual(["acme", "paused"]);
    expect(await doctor()).toEqual([]);
    expect((await ask(["projects", "set", "acme", "--allow", "webb"])).stderr).toContain(
      "webb is no type of channel; there are web, whatsapp, sms. Did you mean web?",
    );
    await file({ allowedChannels: ["whatsap"] });
    expect((await ask(["projects"])).stderr).toContain("projects.acme.allowedChannels: whatsap is no type");
  });

  test("list what was refused, by channel and project", async () => {
    const web = (name: string) => ({ [`${name}-web`]: { web: true, unsigned: true } });
    const projects = {
      acme: { channels: web("acme"), status: "stopped" },
      beta: { channels: web("beta"), status: "stopped" },
    };
    await writeFile(join(cwd, "lull.config.json"), JSON.stringify({ projects }));
    const url = await lull(["start"]).url();
    for (const name of ["acme", "beta", "beta"])
      await fetch(`${url}/webhooks/${name}-web`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ id: "1", sender: "visitor-0001", text: "hi" }),
      });
    const listed = async (...args: string[]) =>
      (await askHere(["refusals", ...args])).json.items.map(
        ({ channel, code }: Record<string, string>) => `${channel} ${code}`,
      );
    expect((await listed()).length).toBe(3);
    expect(await listed("--project", "acme")).toEqual(["acme-web PROJECT_INACTIVE"]);
    expect(await listed("--channel", "acme-web")).toEqual(["acme-web PROJECT_INACTIVE"]);
    expect(await listed("--project", "acme", "--channel", "beta-web")).toEqual([]);
    const shown = lull(["refusals", "--project", "beta"]);
    await shown.gone();
    expect(shown.stdout).toMatch(/PROJECT_INACTIVE +beta-web/);
    const unknown = await ask(["refusals", "--project", "gamma"]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("there are acme, beta")]);
  });

  test("create, list, show, pause, resume and close conversations while no service runs", async () => {
    const created = await ask(["conversations", "create", "--channel", "web", "--sender", "visitor-one"]);
    expect(created).toMatchObject({
      code: 0,
      json: { created: true, conversation: { sender: "visitor-one", channel_type: "web" } },
    });
    const { id } = created.json.conversation;
    const again = await ask(["conversations", "create", "--channel", "web", "--sender", "visitor-one"]);
    expect(again.json).toMatchObject({ created: false, conversation: { id } });

    expect((await ask(["conversations", "list"])).json.items.map((each: { id: string }) => each.id)).toEqual([
      id,
    ]);
    expect((await ask(["conversations", "show", id])).json).toMatchObject({
      conversation: { id, paused: false },
      messages: [],
    });
    expect((await ask(["conversations", "pause", id])).json).toMatchObject({ id, paused: true });
    expect((await ask(["conversations", "resume", id])).json).toMatchObject({ id, paused: false });
    expect((await askHere(["conversations", "hand-off", id, "--reason", "angry"])).json).toMatchObject({
      handed_off: true,
    });
    expect((await askHere(["conversations", "hand-back", id])).json).toMatchObject({ handed_off: false });
    expect((await askHere(["conversations", "close", id])).json).toMatchObject({ task_complete: true });
    expect((await askHere(["conversations", "list", "--active"])).json.items).toEqual([]);
    expect((await askHere(["conversations", "erase", id, "--yes"])).json).toEqual({ id, result: "erased" });
    const missing = await ask(["conversations", "show", id]);
    expect(missing).toEqual({ code: 1, json: undefined, stderr: `lull: there is no conversation ${id}\n` });
  });

  test("create and say hold to what the API holds to", async () => {
    const create = (...more: string[]) =>
      ask(["conversations", "create", "--channel", "web", "--sender", ...more]);
    const tooMuch = JSON.stringify({ note: "x".repeat(64_000) });
    expect(await create("visitor-one", "--attributes", tooMuch)).toMatchObject({
      code: 2,
      stderr: "lull: attributes must have 64000 bytes at most\n",
    });
    expect(await create("x".repeat(1_001))).toMatchObject({
      code: 2,
      stderr: "lull: sender must have 1000 characters at most\n",
    });
    const { id } = (await create("visitor-one")).json.conversation;
    expect(await ask(["conversations", "say", id, "hi", "--channel", "constructor"])).toMatchObject({
      code: 2,
      stderr: "lull: there is no channel of this name; there are web\n",
    });
  });

  test("tell of a customer at two of our addresses: whose a row is, what an erase leaves", async () => {
    const channels = { support: { web: true }, sales: { web: true } };
    await writeFile(join(cwd, "lull.config.json"), JSON.stringify({ channels }));
    const made = async (channel: string, sender: string): Promise<string> => {
      const args = ["conversations", "create", "--channel", channel, "--sender", sender];
      return (await askHere(args)).json.conversation.id;
    };
    const alone = await made("support", "visitor-one");
    const shown = async (...args: string[]) => {
      const process = lull(["conversations", ...args]);
      expect((await process.gone()).code).toBe(0);
      return process.stdout;
    };
    expect(await shown("list")).not.toMatch(/ADDRESS|support/);
    const other = await made("sales", "visitor-one");
    await made("sales", "visitor-one-and-more");
    const listed = await shown("list");
    expect(listed).toMatch(/^ID +CHANNEL +ADDRESS +CUSTOMER/);
    expect(listed).toMatch(new RegExp(`^${alone} +web +support +visitor-one `, "m"));
    const erased = await shown("erase", alone, "--yes");
    expect(erased).toContain(`${alone} is erased`);
    expect(erased).toMatch(new RegExp(`also wrote to.*\n.*${other} \\(web, sales\\)`));
    expect(erased).toMatch(/Backups that were made before hold the person/);
    expect(erased).toContain("docs/moving-in.md#who-was-erased-meanwhile");
    const last = await askHere(["conversations", "erase", other, "--yes"]);
    expect(last.json).toEqual({ id: other, result: "erased" });
  });

  test("work beside a running service: pause, what waits, resume, say, backup, doctor", async () => {
    const service = lull(["start"], { LULL_WEB: "1" });
    const url = await service.url();
    expect((await askHere(["pause"])).json).toEqual({ paused: true });
    await write(url, "anybody there?");
    const { items } = (await askHere(["locks"])).json;
    expect(items).toMatchObject([{ staged: 1 }]);
    expect((await askHere(["resume"])).json).toEqual({ paused: false });
    expect(await replies(url)).toEqual(["You said: anybody there?"]);

    const { conversation_id: id } = items[0];
    expect((await askHere(["conversations", "say", id, "One more thing."])).json).toMatchObject({
      result: "staged",
    });
    await eventually("the outbound", async () =>
      (await replies(url)).includes("One more thing.") ? true : undefined,
    );

    const made = await ask(["backup", "copies/one.db"]);
    expect(made).toMatchObject({ code: 0, json: { staged: 0, drafts: 0 } });
    await access(join(cwd, "copies/one.db"));
    expect((await ask(["backup", "copies/one.db"])).stderr).toContain("is there already");
    const copy = await askHere(["conversations", "list", "--db", "copies/one.db"]);
    expect(copy.json.items).toMatchObject([{ id }]);

    const doctor = await ask(["doctor", "--offline"]);
    expect(doctor).toMatchObject({ code: 0, json: { ok: true } });
    expect((await askHere(["dead"])).json).toEqual({ items: [] });
    expect((await askHere(["unknown"])).json).toEqual({ items: [] });
  });

  test("simulate tells how bursts went", async () => {
    const url = await lull(["dev"], { LULL_WINDOW_SECONDS: "0.3" }).url();
    const { code, json } = await ask([
      "load-test",
      "--url",
      url,
      "--customers",
      "5",
      "--messages",
      "3",
      "--gap-ms",
      "10",
    ]);
    expect(code).toBe(0);
    expect(json).toMatchObject({
      customers: 5,
      messages_sent: 15,
      messages_acknowledged: 15,
      customers_answered: 5,
    });
    expect(json.replies).toBe(json.turns);
  });
});

describe("with Twilio", () => {
  const SID = "AC00000000000000000000000000000001";
  const twilio = fakeTwilio({ accountSid: SID, authToken: "token" });
  beforeAll(() => twilio.start());
  afterAll(() => twilio.stop());
  const env = () => ({
    TWILIO_API_URL: twilio.url,
    TWILIO_ACCOUNT_SID: SID,
    TWILIO_AUTH_TOKEN: "token",
    TWILIO_WHATSAPP_FROM: "whatsapp:+15550100",
    // No server answers on that port.
    LULL_PUBLIC_URL: "https://127.0.0.1:9",
  });

  test("catch-up stages what was missed, once, and the service answers it", async () => {
    const [from, to] = ["whatsapp:+15550123", "whatsapp:+15550100"];
    twilio.add({ direction: "inbound", from, to, body: "are you open?", sentAtMs: systemClock.nowMs() });
    const counts = { channel: "whatsapp", listed: 1, refused: 0, unattributed: [], moved: [] };
    const first = await ask(["catch-up", "--since", "2h"], env());
    expect(first.json).toEqual({
      channels: [{ ...counts, new: 1, duplicates: 0 }],
    });
    const second = await ask(["catch-up", "--since", "2h"], env());
    expect(second.json).toEqual({
      channels: [{ ...counts, new: 0, duplicates: 1 }],
    });
    await lull(["start"], env()).url();
    await twilio.whenSent(1);
    expect(twilio.sent).toMatchObject([{ to: from, from: to, body: "You said: are you open?" }]);
  });

  test("catch-up leaves what a number wrote that has come with a user id, and shows it", async () => {
    const [from, to] = ["whatsapp:+15550124", "whatsapp:+15550100"];
    const url = await lull(["start"], env()).url();
    const known = {
      From: from,
      To: to,
      AccountSid: SID,
      NumMedia: "0",
      ExternalUserId: "whatsapp:SV.aaaaaaaa",
    };
    const { headers, body } = signedWebhook({
      url: "https://127.0.0.1:9/webhooks/whatsapp",
      authToken: "token",
      params: { ...known, MessageSid: `SM${"1".repeat(32)}`, Body: "I am Ana" },
    });
    expect((await fetch(`${url}/webhooks/whatsapp`, { method: "POST", headers, body })).status).toBe(200);
    const { sid } = twilio.add({
      direction: "inbound",
      from,
      to,
      body: "who am I?",
      sentAtMs: systemClock.nowMs(),
    });
    const catchUp = lull(["catch-up", "--since", "1m"], env());
    expect(await catchUp.gone()).toMatchObject({ code: 0 });
    expect(catchUp.stdout).toContain(
      "whatsapp: 1 need a person: their number has come with a user id, which the list does not tell",
    );
    expect(catchUp.stdout).toMatch(/^CHANNEL +LISTED +NEW +DUPLICATES +REFUSED +UNATTRIBUTED +MOVED\n/);
    expect(catchUp.stdout).toMatch(new RegExp(`\\+15550124 +${sid}`));
    const { json } = await ask(["catch-up", "--since", "1m", "--by-number"], env());
    expect(json.channels).toMatchObject([{ new: 1, unattributed: [] }]);
  });

  test("catch-up does not fetch what may have been forgotten, unless it is told to", async () => {
    const refused = await ask(["catch-up", "--since", "8d"], env());
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/remembered since .*dedupeHours: 168.*answered again.*--beyond-memory/),
    });
    expect((await ask(["catch-up", "--since", "8d", "--beyond-memory"], env())).code).toBe(0);
    for (const all of ["1w", "7d", "168h"])
      expect(await ask(["catch-up", "--since", all], env())).toMatchObject({ code: 0 });
  });

  test("doctor checks the credentials, and what Twilio calls, or tells what to enter there", async () => {
    const ours = "https://127.0.0.1:9/webhooks/whatsapp#rc=3&rp=all";
    twilio.configure({ senders: [{ number: "+15550100", callbackUrl: ours }] });
    const well = await ask(["doctor"], env());
    expect(well.code).toBe(0);
    expect(well.json.findings).toContainEqual({
      check: "webhook whatsapp",
      verdict: "ok",
      detail: `Twilio calls ${ours} for messages to +15550100`,
    });
    const moved = await ask(["doctor", "--offline"], { ...env(), LULL_ALIASES: "/webhook=whatsapp" });
    expect(moved.json.findings).toContainEqual({
      check: "webhook whatsapp",
      verdict: "skip",
      detail: `enter at Twilio: ${ours}; also at https://127.0.0.1:9/webhook; not compared: --offline`,
    });
    const shown = await ask(["config"], { ...env(), LULL_ALIASES: "/webhook=whatsapp" });
    expect(shown.json.values.aliases).toEqual({ value: "/webhook=whatsapp", from: "LULL_ALIASES" });
    const wrong = await ask(["doctor"], { ...env(), TWILIO_AUTH_TOKEN: "wrong" });
    expect(wrong).toMatchObject({ code: 1, json: { ok: false } });
    const detail = `Twilio does not accept the auth token of account ${SID}`;
    expect(wrong.json.findings).toContainEqual({ check: "channel whatsapp", verdict: "fail", detail });
  });

  test.each([
    [["start"], {}],
    [["doctor"], {}],
    [["start", "--public-url", "https://127.0.0.1:9/webhooks/whatsapp"], { LULL_PUBLIC_URL: "" }],
  ])("%j refuses a public URL that is a webhook's already", async (args, env2) => {
    const process = lull(args, {
      ...env(),
      LULL_PUBLIC_URL: "https://127.0.0.1:9/webhooks/whatsapp",
      ...env2,
    });
    expect((await process.gone()).code).not.toBe(0);
    expect(process.stdout + process.stderr).toMatch(
      /(LULL_PUBLIC_URL|--public-url) must be .*without \/webhooks\//,
    );
  });

  test.each(["start", "doctor"])(
    "%s refuses to do without the address that Twilio calls",
    async (command) => {
      const { LULL_PUBLIC_URL: _, ...unknown } = env();
      const process = lull([command], unknown);
      expect((await process.gone()).code).not.toBe(0);
      expect(process.stdout + process.stderr).toContain("LULL_PUBLIC_URL");
    },
  );
});

describe("stopping", () => {
  test("a second signal stops at once, and the turn that ran is done after the next start", async () => {
    await writeFile(join(cwd, "lull.config.mjs"), HANGS_ONCE);
    const service = lull(["start"]);
    await write(await service.url(), "hello");
    await service.event("the turn", ({ event }) => event === "lease.taken");
    service.kill("SIGTERM");
    await service.event("the stop", ({ event }) => event === "service.stopping");
    // A signal right behind the first may be the same one passed on twice, so it is repeated until it counts.
    const insisting = setInterval(() => service.kill("SIGTERM"), 50);
    const end = await service.gone();
    clearInterval(insisting);
    expect(end).toEqual({ code: 143, signal: null });

    const next = lull(["start"]);
    expect(await replies(await next.url())).toEqual(["second attempt: hello"]);
  });

  test("the first signal waits for the grace time, then the turn gives its conversation back", async () => {
    await writeFile(join(cwd, "lull.config.mjs"), HANGS_ONCE);
    const service = lull(["start", "--grace", "0.2"]);
    await write(await service.url(), "hello");
    await service.event("the turn", ({ event }) => event === "lease.taken");
    service.kill("SIGINT");
    expect(await service.gone()).toEqual({ code: 0, signal: null });
    const { items } = (await askHere(["locks"])).json;
    expect(items).toMatchObject([{ staged: 1 }]);
    expect(items[0].lease).toBeUndefined();
  });
});

describe("one worker", () => {
  test("has a parent, which replaces it when it dies", async () => {
    const service = lull(["start"], { LULL_WEB: "1" });
    const url = await service.url();
    const { pid } = await service.event("a worker", ({ event }) => event === "worker.ready");
    process.kill(pid as number, "SIGKILL");
    await service.event("its replacement", (each) => each.event === "worker.ready" && each.pid !== pid);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test("has none with an engine that lives in its process", async () => {
    const source = pathToFileURL(join(import.meta.dirname, "../src/engines/memory/index.ts"));
    await writeFile(
      join(cwd, "lull.config.mjs"),
      `import { memory } from "${source}";
       export default { engine: memory(), channels: { web: { web: true } },
         respond: (turn) => "heard: " + turn.text };`,
    );
    const service = lull(["start"]);
    const url = await service.url();
    await write(url, "hello");
    expect(await replies(url)).toEqual(["heard: hello"]);
    expect(service.events.filter(({ event }) => event.startsWith("worker."))).toEqual([]);
  });
});

describe("workers", () => {
  const pidsOf = (service: LullProcess) => {
    const ready = service.events.filter(({ event }) => event === "worker.ready");
    return new Map(ready.map(({ worker, pid }) => [worker as number, pid as number]));
  };

  test("all listen on one port, one line tells it, and a signal stops them all", async () => {
    const service = lull(["start", "--workers", "3"], { LULL_WEB: "1" });
    const url = await service.url();
    expect(pidsOf(service).size).toBe(3);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    service.kill("SIGTERM");
    expect(await service.gone()).toEqual({ code: 0, signal: null });
    expect(service.stdout).toBe(`lull listening on ${url}\n`);
  });

  test("a killed worker's turn goes on because the parent, and nothing else, frees its leases", async () => {
    // No sweep looks for dead holders in time, not even at the start of a replacement, which never gets that
    // far.
    await writeFile(
      join(cwd, "lull.config.mjs"),
      `import { existsSync, writeFileSync } from "node:fs";
       const number = process.env.LULL_WORKER_NUMBER;
       if (number !== undefined) {
         if (existsSync("started-" + number)) await new Promise((resolve) => setTimeout(resolve, 3_600_000));
         writeFileSync("started-" + number, "");
       }
       export default {
         channels: { web: { web: true } },
         limits: { sweepSeconds: 3600, leaseSeconds: 3600 },
         respond: (turn) => (turn.attempt > 1 ? "second attempt: " + turn.text : new Promise(() => {})),
       };`,
    );
    const service = lull(["start", "--workers", "2"], { LULL_LOG_LEVEL: "debug" });
    const url = await service.url();
    // A worker may sweep late at its start: that sweep would free them as well.
    for (const number of [1, 2]) {
      await service.event("its sweep", ({ event, worker }) => event === "sweep.done" && worker === number);
    }
    await write(url, "hello");
    const { worker } = await service.event("the turn", ({ event }) => event === "lease.taken");
    process.kill(pidsOf(service).get(worker as number) as number, "SIGKILL");
    await service.event(
      "the second attempt",
      ({ event, attempt }) => event === "lease.taken" && attempt === 2,
    );
    expect(await replies(url)).toEqual(["second attempt: hello"]);
  });

  test("a killed worker is replaced, and its turn goes on before the lease lapses", async () => {
    await writeFile(join(cwd, "lull.config.mjs"), HANGS_ONCE);
    const service = lull(["start", "--workers", "2"], { LULL_LEASE_SECONDS: "3600" });
    const url = await service.url();
    await write(url, "hello");
    const { worker } = await service.event("the turn", ({ event }) => event === "lease.taken");
    const pid = pidsOf(service).get(worker as number) as number;
    process.kill(pid, "SIGKILL");
    expect(await replies(url)).toEqual(["second attempt: hello"]);
    await service.event(
      "a new worker",
      (each) => each.event === "worker.ready" && each.worker === worker && each.pid !== pid,
    );
    expect(service.stdout).toBe(`lull listening on ${url}\n`);
  });

  test("the port stays the same when all workers are killed at once", async () => {
    const service = lull(["start", "--workers", "2"], { LULL_WEB: "1" });
    const url = await service.url();
    const killed = [...pidsOf(service).values()];
    for (const pid of killed) process.kill(pid, "SIGKILL");
    await service.until("new workers", () =>
      [...pidsOf(service).values()].some((pid) => killed.includes(pid)) ? undefined : true,
    );
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test("they exit when the parent is gone", async () => {
    const service = lull(["start", "--workers", "2"], { LULL_WEB: "1" });
    const url = await service.url();
    service.kill("SIGKILL");
    // Workers share the parent's stderr, so it is closed only when they are gone too.
    expect(await service.gone()).toEqual({ code: null, signal: "SIGKILL" });
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  test("a configuration that cannot work is told once, however many workers there are", async () => {
    await writeFile(
      join(cwd, "lull.config.json"),
      '{ "channels": { "web": { "web": true } }, "windows": { "wbe": { "seconds": 1 } } }',
    );
    const service = lull(["start", "--workers", "3", "--log-level", "error"]);
    expect(await service.gone()).toEqual({ code: 2, signal: null });
    expect(service.stderr.match(/windows\.wbe/g)).toHaveLength(1);
  });
});
