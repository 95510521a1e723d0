import { createHmac } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { LullProcess } from "../lull-process.ts";
import { processFolder } from "../process-folder.ts";

const TOKEN = "a-token-for-operators";
const SECRET = "visitors-prove-with-this";
const WATI = "the-secret-in-watis-url";
const SENDER = "visitor-0001";

const folder = processFolder();

beforeEach(async () => {
  await writeFile(
    join(folder.path, "lull.config.json"),
    JSON.stringify({
      publicUrl: "https://bot.example.test",
      apiToken: { file: join(folder.path, "api-token") },
      channels: {
        web: { web: true, secret: { file: join(folder.path, "web-secret") } },
        wati: {
          wati: "whatsapp",
          apiUrl: "http://127.0.0.1:9/1",
          token: "t",
          webhookSecret: { file: join(folder.path, "wati-secret") },
        },
      },
    }),
  );
  await put("api-token", TOKEN);
  await put("web-secret", SECRET);
  await put("wati-secret", WATI);
});

function lull(command: string): LullProcess {
  return folder.start([command], { env: { PORT: "0", LULL_LOG_LEVEL: "info" } });
}

/** A rotation that went wrong or right: the file holds this, or is gone. */
function put(name: string, secret: string | undefined): Promise<void> {
  const path = join(folder.path, name);
  return secret === undefined ? rm(path) : writeFile(path, secret);
}

const BROKEN = [
  ["too short", "short", "is shorter than 16 characters"],
  ["empty", "", "is empty"],
  ["gone", undefined, "cannot be read (ENOENT)"],
] as const;

interface RequestLimits {
  readonly file: string;
  readonly right: string;
  readonly event: string;
  readonly about: string;
  readonly knock: (url: string) => Promise<Response>;
}

const signature = createHmac("sha256", SECRET).update(SENDER).digest("hex");
const post = (body: object, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

const DOORS: Readonly<Record<string, RequestLimits>> = {
  "an operator at the API": {
    file: "api-token",
    right: TOKEN,
    event: "config.failed",
    about: "LULL_API_TOKEN",
    knock: (url) => fetch(`${url}/api/counts`, { headers: { authorization: `Bearer ${TOKEN}` } }),
  },
  "a visitor who writes": {
    file: "web-secret",
    right: SECRET,
    event: "webhook.failed",
    about: "web",
    knock: (url) =>
      fetch(
        `${url}/webhooks/web`,
        post({ id: "m1", sender: SENDER, text: "hi" }, { "x-lull-signature": signature }),
      ),
  },
  "a visitor who reads": {
    file: "web-secret",
    right: SECRET,
    event: "config.failed",
    about: "secret",
    knock: (url) =>
      fetch(`${url}/webhooks/web/feed?sender=${SENDER}`, { headers: { "x-lull-signature": signature } }),
  },
  "a webhook of WATI's": {
    file: "wati-secret",
    right: WATI,
    event: "webhook.failed",
    about: "wati",
    knock: (url) =>
      fetch(
        `${url}/webhooks/wati?secret=${WATI}`,
        post({ id: "w1", eventType: "message", waId: "15550177", text: "hi" }),
      ),
  },
};

describe.each(Object.entries(DOORS))(
  "%s, while the secret's file",
  (_, { file, right, event, about, knock }) => {
    it.each(BROKEN)(
      "is %s, is asked to come back and told nothing of it; the log says whose it is, and what is wrong",
      async (_how, broken, why) => {
        const service = lull("start");
        const url = await service.url();
        await put(file, broken);
        const answer = await knock(url);
        const body = await answer.text();
        expect([answer.status, answer.headers.has("retry-after")]).toEqual([503, true]);
        expect(body).not.toMatch(/configuration|shorter|characters|file|ENOENT|empty/);
        const told = await service.event(event, (each) => each.event === event);
        expect(told).toMatchObject({ level: "error", reason: expect.stringContaining(why) });
        expect(JSON.stringify(told)).toContain(about);
        expect(service.events.map((each) => each.event)).not.toContain("http.error");
        await put(file, right);
        expect((await knock(url)).status).toBeOneOf([200, 404]);
      },
    );
  },
);

it.each(["start", "doctor"])("`lull %s` says whose secret cannot be read", async (command) => {
  await put("api-token", undefined);
  const process = lull(command);
  expect((await process.gone()).code).toBe(command === "start" ? 2 : 1);
  expect(process.stdout + process.stderr).toMatch(/LULL_API_TOKEN cannot be read: .*api-token.*ENOENT/);
});
