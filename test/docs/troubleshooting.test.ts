import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageNamed } from "../doc-pages.ts";
import { eventually, LullProcess } from "../lull-process.ts";
import { emptyProject } from "./empty-project.ts";

const { text } = pageNamed("docs/troubleshooting.md");
const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const cwd = emptyProject();
const CONFIG = `export default {
  web: true,
  window: { seconds: 0 },
  respond: (turn) => {
    const never = turn.text.includes("never");
    const code = never ? "OPENAI_UNAUTHORIZED" : "OPENAI_RATE_LIMITED";
    const words = never ? "OpenAI answered 403: the key may not use this model" : "OpenAI answered 429";
    throw Object.assign(new Error(words), { name: code, status: never ? 403 : 429 });
  },
};
`;
const ENV = {
  TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000009",
  TWILIO_AUTH_TOKEN: "a-token-of-twilio",
  TWILIO_SMS_FROM: "+15550100",
  TWILIO_API_URL: "http://127.0.0.1:9",
  LULL_PUBLIC_URL: "https://bot.example.com",
  LULL_WEB_UNSIGNED: "1",
  LULL_API_TOKEN: "a-token-for-operators",
  LULL_ATTEMPTS_MAX: "1",
};

const STATUS = [
  "service   runs, and is ready, with 1 worker",
  "waiting   1 message in 1 conversation",
  "failing   OPENAI_RATE_LIMITED: OpenAI answered 429",
  "dead      1 letter: lull dead",
  "OPENAI_UNAUTHORIZED: OpenAI answered 403: the key may not use this model",
  "webhooks  2 webhooks of sms were refused in the last hour, INVALID_SIGNATURE",
  "webhooks  1 webhook for no channel that is configured was refused in the last hour, ROUTE_NOT_FOUND",
];
const SHOWN = [
  "processing_error",
  "NO ANSWER",
  "why: OPENAI_UNAUTHORIZED: OpenAI answered 403: the key may not use this model (1 attempt)",
  "  wrote: never mind",
  "once that is put right: lull dead retry",
];

let service: LullProcess;
let url = "";

/** What a command prints here, however it ends. */
function said(...args: readonly string[]): Promise<string> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...ENV, PORT: new URL(url).port };
  return new Promise((resolve) =>
    execFile(process.execPath, [MAIN, ...args], { cwd, env }, (_, stdout) => resolve(stdout)),
  );
}

/** A line that the page shows, and that a command printed. */
function expectBoth(printed: string, line: string): void {
  expect(text, "the page").toContain(line);
  expect(printed, "the command").toContain(line);
}

describe("docs/troubleshooting.md shows what commands print:", () => {
  beforeAll(async () => {
    writeFileSync(join(cwd, "lull.config.ts"), CONFIG);
    service = new LullProcess(["start"], { cwd, env: { ...ENV, PORT: "0" } });
    url = await service.url();
  });
  afterAll(async () => {
    service.kill("SIGKILL");
    await service.gone();
  });

  test("a wrong key, an outage, refused webhooks, a pause, and no service", async () => {
    const headers = { "content-type": "application/json" };
    for (const [sender, words] of [
      ["visitor-0002", "never mind"],
      ["visitor-0003", "later please"],
    ]) {
      const body = JSON.stringify({ id: "1", sender, text: words });
      await fetch(`${url}/webhooks/web`, { method: "POST", headers, body });
    }
    const refused = [1, 2].map(() => fetch(`${url}/webhooks/sms`, { method: "POST" }));
    for (const answer of await Promise.all(refused))
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("<Response/>")]);
    expect((await fetch(`${url}/webhooks/elsewhere`, { method: "POST" })).status).toBe(404);
    const status = await eventually("both", async () => {
      const printed = await said("status");
      return /^dead/m.test(printed) && /^failing/m.test(printed) ? printed : undefined;
    });
    for (const line of STATUS) expectBoth(status, line);
    const [, id = ""] = /^(c_\S+) .*visitor-0002/m.exec(await said("conversations")) ?? [];
    const shown = await said("conversations", "show", id);
    for (const line of SHOWN) expectBoth(shown, line);
    await said("pause");
    expectBoth(await said("status"), "paused    nobody is answered: lull resume");
    service.kill("SIGTERM");
    await service.gone();
    expectBoth(await said("status"), "service   none answers on port");
  });
});
