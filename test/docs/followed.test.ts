import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { fakeOpenai } from "../../src/testing/fake-openai.ts";
import { fakeTwilio } from "../../src/testing/fake-twilio.ts";
import { type Block, fileNameOf, pageNamed } from "../doc-pages.ts";
import { freePort } from "../free-port.ts";
import { freshClone } from "../fresh-clone.ts";
import { eventually } from "../lull-process.ts";
import { linkPackages } from "../packed-project.ts";
import { answersTo, chat, textTo, write } from "../visitors.ts";
import { Terminal } from "./terminal.ts";

/** What a reader has of their own where the pages show dots. */
const OWN = { accountSid: "AC00000000000000000000000000000001", authToken: "a-token-of-twilio" };
const KEY = "sk-a-key-of-openai";
const BURST = ["hi", "a table for two", "tomorrow at eight"];
const ECHOED = `3 messages, one answer:\n${BURST.join("\n")}`;

const TOLD_IN_MS = 240_000;

const [twilio, openai] = [fakeTwilio(OWN), fakeOpenai()];
let folder: string;
let port: number;
let at: string;
let terminal: Terminal;
let beside: Terminal;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-followed-"));
  await freshClone(join(folder, "lull"));
  await Promise.all([twilio.start(), openai.start(), mkdir(join(folder, "home"))]);
  port = await freePort();
  at = `http://127.0.0.1:${port}`;
}, 60_000);

beforeEach(() => {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: join(folder, "home"),
    // No registry is asked; the file that is installed needs none.
    npm_config_offline: "true",
    npm_config_audit: "false",
    npm_config_update_notifier: "false",
    // In place of the real one, and of a port that may be taken here.
    TWILIO_API_URL: twilio.url,
    PORT: String(port),
  };
  terminal = new Terminal(join(folder, "lull"), env);
  beside = new Terminal(join(folder, "lull"), env);
});

afterEach(() => Promise.all([terminal.close(), beside.close()]));

afterAll(async () => {
  await Promise.all([twilio.stop(), openai.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** The blocks of a page one after the other, as it shows them: none may be left out. */
function reading(name: string) {
  const blocks = [...pageNamed(name).blocks];
  return {
    next(language: string, inIt: string): string {
      const block = blocks.shift();
      expect(block, `${name} has a block of ${language} with "${inIt}" here`).toMatchObject({ language });
      expect(block?.code).toContain(inIt);
      return block?.code ?? "";
    },
    left: () => blocks,
  };
}

/** What a registry would bring is linked here already. */
function installed(code: string, command = "npm install"): string {
  expect(code).toContain(`${command} && `);
  return code.replace(`${command} && `, "");
}

function filledIn(code: string): string {
  const filled = code
    .replaceAll("sk-...", KEY)
    .replaceAll("ACCOUNT_SID=AC...", `ACCOUNT_SID=${OWN.accountSid}`)
    .replaceAll("AUTH_TOKEN=...", `AUTH_TOKEN=${OWN.authToken}`);
  expect(filled).not.toBe(code);
  expect(filled).not.toContain("...");
  return filled;
}

/** A file whose name the block has in its first line, into the folder where the reader is. */
async function saved(code: string): Promise<void> {
  const name = fileNameOf({ code } as Block) ?? /^# (\S+)\n/.exec(code)?.[1];
  await writeFile(join((await terminal.run("pwd")).trim(), name ?? expect.fail("has no name")), code);
}

const listening = () =>
  terminal.until("where it listens", (printed) => /listening on (http\S+)/.exec(printed)?.[1]);

type Reading = ReturnType<typeof reading>;

test(
  "the README, followed to the letter in an empty folder, ends in replies",
  async () => {
    const page = reading("README.md");
    page.next("text", "a bot that answers each line");
    await tryIt(page);
    // This is it: it is run by what stands there.
    expect(installed(page.next("sh", "npm test"))).toBe("npm test\n");
    expect(manifest.scripts.test).toContain("vitest run");
    await answerFromYourOwnCode(page);
    await saved(page.next("ts", "burst.test.ts"));
    const vitest = installed(page.next("sh", "npx vitest run"), "npm install --save-dev vitest");
    await linkPackages(join(folder, "my-bot"), ["vitest"]);
    expect(await terminal.run(vitest)).toMatch(/1 passed/);
    expect(page.left()).toEqual([]);
  },
  TOLD_IN_MS,
);

/** One answer, also where Ctrl-C comes in the middle of a burst. */
async function tryIt(page: Reading): Promise<void> {
  const start = installed(page.next("sh", "npm install && npm start"));
  terminal.begin(start);
  const shown = page.next("text", "lull listening on").replace("http://127.0.0.1:8080", await listening());
  for (const line of shown.trim().split("\n")) expect(terminal.printed).toContain(`${line}\n`);
  await write(at, BURST);
  await terminal.interrupt();
  terminal.begin(start);
  await listening();
  const said = await eventually("an answer", async () => {
    const answers = await answersTo(at);
    return answers.length > 0 ? answers : undefined;
  });
  expect(said).toEqual([ECHOED]);
  const example = page.next("text", "$ npx lull conversations show");
  const [id = ""] = /c_\S+/.exec(await beside.run("npx lull conversations")) ?? [];
  const conversation = await beside.run(`npx lull conversations show ${id}`);
  for (const [heading] of example.matchAll(/^[A-Z]+$/gm)) expect(conversation).toContain(heading);
  expect(conversation).toMatch(/ ago +customer .* ago +assistant .* ago +replied +3 messages +1 attempt /s);
  await terminal.interrupt();
}

async function answerFromYourOwnCode(page: Reading): Promise<void> {
  await terminal.run(page.next("sh", "npm pack"));
  await saved(page.next("ts", "server.ts").replace("port: 8080", `port: ${port}`));
  terminal.begin(filledIn(page.next("sh", "node server.ts")));
  expect(await listening()).toContain(String(port));
  await textTo("+15550100", BURST, { ...OWN, url: at, publicUrl: "https://bot.example.com" });
  await twilio.whenSent(1);
  expect(twilio.sent).toMatchObject([
    { to: "whatsapp:+15550123", body: `3 messages, one answer: ${BURST.join("\n")}` },
  ]);
  await terminal.interrupt();
}

test(
  "the quick start, followed to the letter in an empty folder, ends in a reply on WhatsApp",
  async () => {
    const page = reading("docs/quick-start.md");
    terminal.begin(installed(page.next("sh", "npm start")));
    await listening();
    expect(await chat(at, BURST, { sender: "visitor-two" })).toEqual([ECHOED]);
    await terminal.interrupt();
    await terminal.run(`export OPENAI_BASE_URL=${openai.url}`);
    await letAModelAnswer(filledIn(page.next("sh", "LULL_INSTRUCTIONS")), "visitor-three");
    await terminal.run(page.next("sh", "npm pack"));
    await saved(page.next("ts", "lull.config.ts"));
    await letAModelAnswer(filledIn(page.next("sh", "npx lull dev")), "visitor-four");
    await connectANumber(page);
    await lookAtIt(page);
    await terminal.interrupt();
    expect(page.left()).toEqual([]);
  },
  TOLD_IN_MS,
);

async function letAModelAnswer(dev: string, sender: string): Promise<void> {
  terminal.begin(dev);
  await listening();
  expect(await chat(at, BURST, { sender })).toEqual([`answer to: ${BURST.join("\n")}`]);
  expect(openai.asked.at(-1)).toMatchObject({
    headers: { authorization: `Bearer ${KEY}` },
    body: { instructions: "You take bookings for the Blue Door. Be brief." },
  });
  await terminal.interrupt();
}

async function connectANumber(page: Reading): Promise<void> {
  // The tunnel, and Twilio behind it, are this test: it posts what Twilio would, signed for the public URL.
  page.next("sh", "cloudflared tunnel");
  await saved(filledIn(page.next("sh", "TWILIO_WHATSAPP_FROM")));
  // It finds fault: nobody has this address, which is a name for examples.
  const { printed } = await terminal.tried(page.next("sh", "npx lull doctor"));
  const [, webhook = ""] = /^ {4}(https:\S+)$/m.exec(pageNamed("docs/quick-start.md").text) ?? [];
  expect(printed).toContain(webhook);
  terminal.begin(page.next("sh", "npx lull start"));
  await listening();
  const before = twilio.sent.length;
  await textTo("+15550100", BURST, { ...OWN, url: at, publicUrl: new URL(webhook).origin });
  await twilio.whenSent(before + 1);
  expect(twilio.sent.at(-1)).toMatchObject({
    to: "whatsapp:+15550123",
    body: `answer to: ${BURST.join("\n")}`,
  });
}

async function lookAtIt(page: Reading): Promise<void> {
  const log = page.next("text", "turn.committed");
  for (const [event] of log.matchAll(/(lease|turn)\.\w+/g))
    await terminal.until(event, (told) => told.includes(event) || undefined);
  await beside.run(`cd ${join(folder, "blue-door")}`);
  const [list = "", show = ""] = page.next("sh", "npx lull conversations").trim().split("\n");
  const [id = ""] = /c_\S+/.exec(await beside.run(list)) ?? [];
  expect(await beside.run(show.replace("c_...", id))).toContain(`answer to: ${BURST[0]}`);
}
