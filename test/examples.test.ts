import { once } from "node:events";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeOpenai } from "../src/testing/fake-openai.ts";
import { fakeTwilio } from "../src/testing/fake-twilio.ts";
import { LullProcess } from "./lull-process.ts";
import { ROOT, stagePackage } from "./staged-package.ts";
import { chat, textTo } from "./visitors.ts";

const JSON_TYPE = { "content-type": "application/json" };

let folder: string;
const started: LullProcess[] = [];

// As a user has them: beside the package that they import by its name.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-examples-"));
  await stagePackage(folder);
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
}, 60_000);

afterAll(async () => {
  for (const process of started) process.kill("SIGKILL");
  await Promise.all(started.map((process) => process.gone()));
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program in an empty folder of its own and waits for the line that says where it listens. */
async function listening(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const cwd = await mkdtemp(join(folder, "run-"));
  const process = new LullProcess(args, { cwd, env: { PORT: "0", ...env }, main: join(folder, program) });
  started.push(process);
  return process.until("where it listens", () => /listening on (\S+)$/m.exec(process.stdout)?.[1]);
}

function lull(command: string, config: string, env?: Record<string, string>): Promise<string> {
  return listening("bin/lull.js", [command, "--config", join(folder, config)], env);
}

async function server(listener: RequestListener) {
  const running = createServer(listener).listen(0, "127.0.0.1");
  await once(running, "listening");
  const { port } = running.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => running.close() };
}

describe.concurrent("examples that run:", () => {
  test("minimal.ts", async () => {
    const url = await listening("examples/minimal.ts", []);
    expect(await (await fetch(url)).text()).toContain("<html");
    expect(await chat(url, ["hi", "are you open?"])).toEqual(["2 messages, one answer: hi\nare you open?"]);
  });

  test("lull.config.ts", async () => {
    const url = await lull("start", "examples/lull.config.ts");
    expect(await chat(url, ["hi", "are you open?"], { channel: "shop" })).toEqual([
      "Welcome! You wrote 2 messages: hi\nare you open?",
    ]);
  });

  test("mount-in-your-server.ts", async () => {
    const url = await listening("examples/mount-in-your-server.ts", []);
    expect(await (await fetch(`${url}/hello`)).text()).toBe("a page of your own\n");
    expect(await chat(url, ["hi", "are you open?"])).toEqual(["heard 2"]);
    const { items } = (await (await fetch(`${url}/api/conversations`)).json()) as { items: unknown[] };
    expect(items).toHaveLength(1);
  });

  test("http-responder.ts answers at once, or later", async () => {
    let url = "";
    // Each of the two has to know where the other is, so this port is opened before either.
    const door = await server(async (request, response) => {
      const body = await text(request);
      const answer = await fetch(`${url}${request.url}`, { method: "POST", headers: JSON_TYPE, body });
      response.writeHead(answer.status).end();
    });
    try {
      const service = await listening("examples/http-responder.ts", [], { LULL_URL: door.url });
      const example = await readFile(join(folder, "examples/http-responder.config.json"), "utf8");
      await writeFile(join(folder, "later.json"), example.replace("http://127.0.0.1:9000", service));
      url = await lull("dev", "later.json");
      const [later, now] = await Promise.all([
        chat(url, ["where is", "my invoice?"]),
        chat(url, ["hi", "there"], { sender: "visitor-two" }),
      ]);
      expect(later).toEqual(["Your invoice is on its way."]);
      expect(now).toEqual(["2 messages, one answer: hi\nthere"]);
    } finally {
      door.close();
    }
  });

  test("twilio-openai.ts", async () => {
    const [accountSid, authToken] = ["AC00000000000000000000000000000001", "test-auth-token"];
    const [twilio, openai] = [fakeTwilio({ accountSid, authToken }), fakeOpenai()];
    await Promise.all([twilio.start(), openai.start()]);
    try {
      const url = await listening("examples/twilio-openai.ts", [], {
        TWILIO_ACCOUNT_SID: accountSid,
        TWILIO_AUTH_TOKEN: authToken,
        TWILIO_API_URL: twilio.url,
        TWILIO_WHATSAPP_FROM: "+15550100",
        OPENAI_API_KEY: "test-key",
        OPENAI_BASE_URL: openai.url,
        LULL_PUBLIC_URL: "https://bot.example.com",
      });
      const customer = { url, publicUrl: "https://bot.example.com", accountSid, authToken };
      await textTo("+15550100", ["a table", "for two"], customer);
      await twilio.whenSent(1);
      expect(twilio.sent).toMatchObject([{ to: "whatsapp:+15550123", body: "answer to: a table\nfor two" }]);
      expect(openai.asked[0]?.body.tools).toMatchObject([{ name: "tables_left" }]);
    } finally {
      await Promise.all([twilio.stop(), openai.stop()]);
    }
  });

  test.each(["express.ts", "fastify.ts", "hono.ts"])("%s", async (example) => {
    const twilio = fakeTwilio();
    await twilio.start();
    try {
      const url = await listening(`examples/${example}`, [], {
        ...twilio.environment(),
        TWILIO_WHATSAPP_FROM: "+15550100",
        PUBLIC_URL: "https://bot.example.com",
      });
      const path = "/lull/webhooks/whatsapp";
      const [from, to] = ["whatsapp:+15550123", "whatsapp:+15550100"];
      for (const text of ["a table", "for two"]) {
        const webhook = twilio.webhook({ url: `https://bot.example.com${path}`, from, to, text });
        expect((await fetch(url + path, webhook)).status).toBe(200);
      }
      const forged = twilio.webhook({ url: `https://bot.example.com/other`, from, to, text: "three" });
      expect((await fetch(url + path, forged)).status).toBe(403);
      await twilio.whenSent(1);
      expect(twilio.sent).toMatchObject([{ to: from, body: "heard 2: a table\nfor two" }]);
      expect(await (await fetch(`${url}/hello`)).text()).toBe("a page of your own\n");
      expect((await fetch(`${url}/lull/healthz`)).status).toBe(200);
      const service = started.find(({ stdout }) => stdout.includes(url));
      service?.kill("SIGTERM");
      expect(await service?.gone()).toMatchObject({ code: 0 });
    } finally {
      await twilio.stop();
    }
  });

  test("custom-channel.ts", async () => {
    const sent = Promise.withResolvers<unknown>();
    const telegram = await server(async (request, response) => {
      sent.resolve({ path: request.url, body: await json(request) });
      response.end(JSON.stringify({ ok: true, result: { message_id: 1 } }));
    });
    try {
      const url = await lull("start", "examples/custom-channel.ts", {
        TELEGRAM_TOKEN: "1:token",
        TELEGRAM_SECRET: "a-word-of-your-own",
        TELEGRAM_API_URL: telegram.url,
      });
      const post = (secret: string, id: number, text: string) =>
        fetch(`${url}/webhooks/telegram`, {
          method: "POST",
          headers: { ...JSON_TYPE, "x-telegram-bot-api-secret-token": secret },
          body: JSON.stringify({ update_id: id, message: { date: 1_794_718_800, text, chat: { id: 7001 } } }),
        });
      expect((await post("a guess", 1, "hi")).status).toBe(401);
      expect((await post("a-word-of-your-own", 1, "hi")).status).toBe(200);
      expect((await post("a-word-of-your-own", 2, "are you open?")).status).toBe(200);
      expect(await sent.promise).toEqual({
        path: "/bot1:token/sendMessage",
        body: { chat_id: "7001", text: "2 messages, one answer:\nhi\nare you open?" },
      });
    } finally {
      telegram.close();
    }
  });
});
