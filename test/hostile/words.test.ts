import { describe, expect, it } from "vitest";
import { eventually, type LullProcess } from "../lull-process.ts";
import { processFolder } from "../process-folder.ts";

/** Sets a terminal's title, hides what follows, turns the direction of writing; and a page's script. */
const TEXT = "\u001b]0;owned\u0007\u001b[8m hi \u009b31m\u202e</script><script>alert(1)</script>";
const SENDER = "visitor-\u001b[2J-<img src=x onerror=alert(1)>";
const TOKEN = "a-token-of-the-operator";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

const folder = processFolder();

function lull(...args: string[]): LullProcess {
  const env = {
    PORT: "0",
    LULL_WEB: "1",
    LULL_API_TOKEN: TOKEN,
    LULL_WINDOW_SECONDS: "0",
    LULL_LOG_LEVEL: "debug",
  };
  return folder.start(args, { env });
}

async function printed(...args: string[]): Promise<string> {
  const process = lull(...args);
  expect((await process.gone()).code).toBe(0);
  return process.stdout + process.stderr;
}

const get = (url: string) => fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });

describe("what any sender writes", () => {
  it("is obeyed by no terminal and run by no page", async () => {
    const service = lull("dev");
    const url = await service.url();
    const body = JSON.stringify({ id: "m1", sender: SENDER, text: TEXT });
    const headers = { "content-type": "application/json" };
    expect((await fetch(`${url}/webhooks/web`, { method: "POST", headers, body })).status).toBe(200);
    const { id } = await eventually("its turn", async () => {
      const { items } = (await (await get(`${url}/api/conversations`)).json()) as { items: { id: string }[] };
      const [found] = items;
      const detail = found && (await (await get(`${url}/api/conversations/${found.id}`)).text());
      return detail?.includes('"assistant"') ? found : undefined;
    });
    const shown = [
      await printed("conversations"),
      await printed("conversations", "--json"),
      await printed("conversations", "show", id),
      await printed("conversations", "show", id, "--json"),
      service.stderr,
    ];
    expect(shown[2]).toContain("visitor-\\u001b[2J");
    for (const text of shown) expect(text).not.toMatch(OBEYED);

    // What a browser reads is never markup; the one page there is runs only the script that it came with.
    const feed = await fetch(`${url}/webhooks/web/feed?sender=${encodeURIComponent(SENDER)}`);
    expect(await feed.text()).toContain("<script>");
    for (const answer of [feed, await get(`${url}/api/conversations/${id}`)]) {
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
    const page = await fetch(`${url}/?sender=${encodeURIComponent(SENDER)}`);
    expect(await page.text()).not.toContain("onerror");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(/script-src ([^;]*)/.exec(policy)?.[1]).toMatch(/^'sha256-[^']+'$/);
  });
});

describe("guessing the API's token", () => {
  it("opens nothing, is slowed and logged, and keeps no caller out who has it", async () => {
    const service = lull("start");
    const url = await service.url();
    const guess = async (n: number) =>
      (await fetch(`${url}/api/counts`, { headers: { authorization: `Bearer guess-number-${n}` } })).status;
    const guesses = Promise.all(Array.from({ length: 120 }, (_, n) => guess(n)));
    const told = await service.event("the first guess", ({ event }) => event === "api.refused");
    expect((await get(`${url}/api/counts`)).status).toBe(200);
    const statuses = new Set(await guesses);
    statuses.delete(429);
    expect([...statuses]).toEqual([401]);
    expect(told).toMatchObject({ level: "warn", reason: "a wrong token" });
    expect(service.stderr).not.toMatch(/guess-number|a-token/);
  });
});
