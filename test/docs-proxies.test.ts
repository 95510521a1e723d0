import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { twilio } from "../src/channels/twilio/index.ts";
import { wati } from "../src/channels/wati/index.ts";
import { web } from "../src/channels/web/index.ts";
import { signedWebhook } from "../src/testing/fake-twilio-webhook.ts";
import { freePort } from "./free-port.ts";
import { eventually, LullProcess } from "./lull-process.ts";

const PAGE = readFileSync(fileURLToPath(new URL("../docs/behind-a-proxy.md", import.meta.url)), "utf8");
const SECRET = "visitors-prove-with-this";
const WATI = "the-secret-in-watis-url";
const TURN_TOKEN = "a-token-that-answers-turns";
const SENDER = "visitor-0001";
const SIGNED = { "x-lull-signature": createHmac("sha256", SECRET).update(SENDER).digest("hex") };
const ACCOUNT = "AC00000000000000000000000000000009";
const FAR_AWAY = "203.0.113.7";

/** The files of docs/behind-a-proxy.md: the whole one, and what a responder elsewhere needs beside it. */
function printed(language: string): readonly [file: string, turns: string] {
  const [file = "", turns = ""] = [
    ...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm")),
  ].map(([, code]) => code);
  return [file, turns];
}

interface Ports {
  readonly outside: number;
  readonly inside: number;
}

interface Proxy {
  readonly program: string;
  /** As printed, but for TLS, the ports, where its logs are, and who the responder is. */
  configure(folder: string, ports: Ports): string;
  args(file: string): string[];
  /** To an address that may not answer turns. */
  readonly refusesTurnsWith: number;
  logs(folder: string, output: string): Promise<string>;
}

let folder = "";
let responder = "127.0.0.1";

function put(text: string, from: string, to: string): string {
  expect(text).toContain(from);
  return text.replaceAll(from, to);
}

const NGINX: Proxy = {
  program: "nginx",
  configure(at, { outside, inside }) {
    const [file, turns] = printed("nginx");
    let site = put(file, "listen 443 ssl;", `listen 127.0.0.1:${outside};`);
    site = site.replaceAll(/^ *ssl_certificate.*\n/gm, "");
    site = put(site, "/var/log/nginx", at);
    site = put(site, "  location / {", `${put(turns, FAR_AWAY, responder)}\n  location / {`);
    site = put(site, "127.0.0.1:8080", `127.0.0.1:${inside}`);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const paths = temporary.map((name) => `${name}_temp_path ${at}/${name};`).join(" ");
    // Started by root, it runs as another user, who may not enter the folder of this test.
    const user = process.getuid?.() === 0 ? "user root;" : "";
    return `${user} daemon off; pid ${at}/pid; error_log stderr crit; events {} http { ${paths}\n${site}\n}`;
  },
  args: (file) => ["-c", file, "-e", "stderr"],
  refusesTurnsWith: 403,
  logs: async (at, output) =>
    output +
    (await readFile(join(at, "lull.log"), "utf8")) +
    (await readFile(join(at, "lull-error.log"), "utf8")),
};

const CADDY: Proxy = {
  program: "caddy",
  configure(_at, { outside, inside }) {
    const [file, turns] = printed("caddyfile");
    let site = put(file, "bot.example.com {", `http://127.0.0.1:${outside} {`);
    site = site.replace("{\n", "{\n\tadmin off\n");
    site = put(site, "\trespond 404\n", `${put(turns, FAR_AWAY, responder)}\trespond 404\n`);
    return put(site, "127.0.0.1:8080", `127.0.0.1:${inside}`);
  },
  args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  refusesTurnsWith: 404,
  logs: async (_at, output) => output,
};

const running: ChildProcess[] = [];
let lull: LullProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-proxy-"));
  responder = "127.0.0.1";
});

afterEach(async () => {
  lull?.kill("SIGKILL");
  await lull?.gone();
  for (const each of running.splice(0)) {
    const gone = once(each, "close");
    each.kill("SIGTERM");
    await gone;
  }
  await rm(folder, { recursive: true, force: true });
});

function isInstalled({ program }: Proxy): boolean {
  try {
    execFileSync(program, [program === "nginx" ? "-v" : "version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function service(): Promise<number> {
  lull = new LullProcess(["start"], {
    cwd: folder,
    env: {
      PORT: "0",
      LULL_PUBLIC_URL: "https://bot.example.com",
      LULL_WEB: "1",
      LULL_WEB_SECRET: SECRET,
      LULL_TURN_TOKEN: TURN_TOKEN,
      TWILIO_API_URL: "http://127.0.0.1:9",
      TWILIO_ACCOUNT_SID: ACCOUNT,
      TWILIO_AUTH_TOKEN: "a-token-of-twilio",
      TWILIO_SMS_FROM: "+15550100",
      WATI_API_URL: "http://127.0.0.1:9/1",
      WATI_TOKEN: "t",
      WATI_WEBHOOK_SECRET: WATI,
      LULL_WINDOW_SECONDS: "600",
    },
  });
  return Number(new URL(await lull.url()).port);
}

/** Its URL, and what it has logged until now. */
async function behind(proxy: Proxy, inside: number): Promise<{ url: string; logs(): Promise<string> }> {
  const outside = await freePort();
  const file = join(folder, "proxy.conf");
  await mkdir(join(folder, "home"));
  await writeFile(file, proxy.configure(folder, { outside, inside }));
  const env = {
    PATH: process.env.PATH,
    HOME: join(folder, "home"),
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  const child = spawn(proxy.program, proxy.args(file), { env });
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  const url = `http://127.0.0.1:${outside}`;
  await eventually(`${proxy.program}: ${output}`, () => fetch(url).then(({ status }) => status));
  return { url, logs: () => proxy.logs(folder, output) };
}

function written(bytes: number): RequestInit {
  const message = { id: "m1", sender: SENDER, text: "", media: [] as object[] };
  const link = { url: `https://files.example.com/${"x".repeat(1_900)}`, content_type: "image/png" };
  message.media = Array.from({ length: 10 }, () => link);
  const body = JSON.stringify({ ...message, text: "TEXT" });
  // Each of the 8,000 characters may take six bytes.
  const text = "\\u4e00".repeat(Math.min(8_000, Math.floor((bytes - body.length) / 6)));
  const padded = body.replace("TEXT", text);
  const headers = { "content-type": "application/json", ...SIGNED };
  return { method: "POST", headers, body: padded.padEnd(bytes) };
}

function ofWati(bytes: number): RequestInit {
  const body = JSON.stringify({ id: "w1", eventType: "message", waId: "15550177", text: "hi" }).padEnd(bytes);
  return { method: "POST", headers: { "content-type": "application/json" }, body };
}

/** As Twilio posts it to that address. */
function ofTwilio(url: string, sid: string): RequestInit {
  const text = "Ärger & 100 %\nzwei";
  const from = { AccountSid: ACCOUNT, MessageSid: sid, SmsSid: sid, From: "+15550123", To: "+15550100" };
  const params = { ...from, Body: text, NumMedia: "0" };
  const { headers, body } = signedWebhook({ url, authToken: "a-token-of-twilio", params });
  // What a caller says of itself is believed neither by the proxy nor by Lull.
  const lies = { "x-forwarded-host": "elsewhere.example.com", "x-forwarded-proto": "http" };
  return { method: "POST", headers: { ...headers, ...lies }, body };
}

describe.each([
  ["nginx", NGINX],
  ["Caddy", CADDY],
])("the file for %s, as it is printed", (_, proxy) => {
  const statusOf = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;

  it.skipIf(!isInstalled(proxy))("lets in what Lull takes, and refuses what it would", async () => {
    const { url } = await behind(proxy, await service());
    expect(await statusOf(url)).toBe(200);
    const web = `${url}/webhooks/web`;
    expect(await statusOf(web, written(67_014))).toBe(200);
    expect(await statusOf(web, written(96_000))).toBe(200);
    expect(await statusOf(web, written(96_001))).toBe(413);
    expect(await statusOf(web, written(500_000))).toBe(413);
    expect(await statusOf(`${web}/feed?sender=${SENDER}`, { headers: SIGNED })).toBe(200);
    const wati = `${url}/webhooks/wati?secret=${WATI}`;
    expect(await statusOf(wati, ofWati(65_536))).toBe(200);
    expect(await statusOf(wati, ofWati(65_537))).toBe(413);
    for (const path of ["/readyz", "/healthz", "/api/counts", "/api", "/api/openapi.json", "/elsewhere"])
      expect([path, await statusOf(url + path)]).toEqual([path, 404]);
  });

  it.skipIf(!isInstalled(proxy))("leaves what Twilio signed as it was", async () => {
    const { url } = await behind(proxy, await service());
    const [path, sid] = ["/webhooks/sms", `SM${"0".repeat(31)}1`];
    const asPublic = ofTwilio(`https://bot.example.com${path}`, sid);
    expect(await statusOf(url + path, asPublic)).toBe(200);
    expect(await statusOf(`${url}${path}?more=1`, asPublic)).toBe(403);
    expect(await statusOf(url + path, ofTwilio(`https://elsewhere.example.com${path}`, sid))).toBe(403);
    expect(await statusOf(url + path, { method: "POST" })).toBe(403);
  });

  it.skipIf(!isInstalled(proxy))(
    "lets a responder on another machine answer turns, and no other",
    async () => {
      const inside = await service();
      const { url } = await behind(proxy, inside);
      const headers = { authorization: `Bearer ${TURN_TOKEN}` };
      const reply = { method: "POST", headers, body: "{}".padEnd(100_000) };
      expect(await statusOf(`${url}/api/turns/t_1/reply`, reply)).toBe(409);
      expect(await statusOf(`${url}/api/turns/t_1/reply`, { method: "POST" })).toBe(403);
      responder = FAR_AWAY;
      await rm(join(folder, "home"), { recursive: true });
      const other = await behind(proxy, inside);
      expect(await statusOf(`${other.url}/api/turns/t_1/reply`, reply)).toBe(proxy.refusesTurnsWith);
    },
  );

  it.skipIf(!isInstalled(proxy))(
    "logs no secret and no visitor, also of what could not be passed on",
    async () => {
      const { url, logs } = await behind(proxy, await freePort());
      const headers = { "x-lull-signature": "a-signature-of-a-visitor" };
      expect(await statusOf(`${url}/webhooks/web/feed?sender=${SENDER}&after=1`, { headers })).toBe(502);
      expect(await statusOf(`${url}/webhooks/wati?secret=${WATI}`, ofWati(100))).toBe(502);
      expect(await statusOf(`${url}/webhooks/wati?token=${WATI}`, ofWati(100))).toBe(502);
      await eventually("its log", async () => ((await logs()).includes("/webhooks/wati") ? true : undefined));
      const told = await logs();
      for (const secret of [SENDER, WATI, headers["x-lull-signature"]]) expect(told).not.toContain(secret);
    },
  );
});

describe("also where neither is installed", () => {
  test.each(["nginx", "caddyfile"])("the limits of the file for %s are those of the channels", (language) => {
    const [file, turns] = printed(language);
    const numbers = (text: string) =>
      [...new Set(text.match(/\b(?:\d{5}|\d+(?:KB|KiB|MB|m))\b/g))].toSorted();
    const [provider, visitor] = [twilio.sms(), web()].map(({ bodyBytesMax }) => String(bodyBytesMax));
    expect(wati({}).bodyBytesMax).toBe(Number(provider));
    const same =
      language === "nginx" ? [] : [`${Number(visitor) / 1_000}KB`, `${Number(provider) / 1_024}KiB`];
    expect(numbers(file).filter((each) => each !== "10m")).toEqual([provider, visitor, ...same].toSorted());
    expect(numbers(turns)).toEqual([language === "nginx" ? "1m" : "1MB"]);
    for (const text of [file, turns])
      expect(text.split("{").length, "as many brackets open as close").toBe(text.split("}").length);
  });

  test("the tunnel lets webhooks and the phone page through, and nothing else", () => {
    const [config] = printed("yaml");
    const pattern = new RegExp(/path: (.+)/.exec(config)?.[1] ?? "$.");
    const passes = ["/", "/webhooks/whatsapp", "/webhooks/web/feed"].map((path) => pattern.test(path));
    expect(passes).toEqual([true, true, true]);
    const kept = ["/api/conversations", "/metrics", "/readyz", "/elsewhere", "/x/webhooks/sms"];
    expect(kept.filter((path) => pattern.test(path))).toEqual([]);
  });
});
