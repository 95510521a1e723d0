import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Feed } from "../../src/http/feed-shape.ts";
import { eventually, LullProcess } from "../lull-process.ts";

const SENDER = "visitor-0001";

let folder = "";
let vendor: Server;
let service: LullProcess;
let status = 401;

/** Refuses every key at first, as OpenAI does with a wrong one, and then the request as it is. */
beforeEach(async () => {
  status = 401;
  folder = await mkdtemp(join(tmpdir(), "lull-reasons-"));
  vendor = createServer((_request, response) => response.writeHead(status).end("{}"));
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  service.kill("SIGKILL");
  await service.gone();
  vendor.close();
  await rm(folder, { recursive: true, force: true });
});

interface Told {
  readonly feed: Feed;
  readonly text: string;
}

/** What a visitor of the service reads while their message fails, after it has failed for good, and where. */
async function failed(...command: string[]): Promise<{ failing: Told; dead: Told; page: string }> {
  const baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`;
  const env = { PORT: "0", LULL_WEB: "1", LULL_WINDOW_SECONDS: "0", OPENAI_BASE_URL: baseUrl };
  service = new LullProcess(command, { cwd: folder, env: { ...env, OPENAI_API_KEY: "sk-refused" } });
  const url = await service.url();
  const body = JSON.stringify({ id: "m-1", sender: SENDER, text: "are you open?" });
  const headers = { "content-type": "application/json" };
  await fetch(`${url}/webhooks/web`, { method: "POST", headers, body });
  const page = await (await fetch(url)).text();
  const read = (what: string, isTold: (feed: Feed) => boolean) =>
    eventually(
      what,
      async () => {
        const text = await (await fetch(`${url}/webhooks/web/feed?sender=${SENDER}`)).text();
        const feed = JSON.parse(text) as Feed;
        return isTold(feed) ? { feed, text } : undefined;
      },
      { paceMs: 250 },
    );
  const failing = await read("a message that fails", (feed) => feed.failing !== undefined);
  status = 400;
  const dead = await read("one that failed for good", ({ unanswered }) => unanswered.length > 0);
  return { failing, dead, page };
}

it.each([[["dev"]], [["dev", "--workers", "2"]]])(
  "`lull %j` tells its developer why, and the id that a command takes",
  async (command) => {
    const { failing, dead, page } = await failed(...command);
    expect(failing.feed.failing?.reason).toContain("OPENAI_UNAUTHORIZED");
    expect(dead.feed.unanswered).toMatchObject([{ id: expect.any(String), message_ids: ["m-1"] }]);
    expect(dead.feed.unanswered[0]?.reason).toMatch(/^OPENAI_/);
    expect(page).toContain('data-reasons="shown"');
  },
);

it("`lull start` tells its visitor that no answer came, and nothing of why", async () => {
  const { failing, dead, page } = await failed("start");
  expect(failing.feed.failing?.tries).toBeGreaterThan(0);
  const attempts = expect.any(Number);
  expect(dead.feed.unanswered).toEqual([{ at: expect.any(String), message_ids: ["m-1"], attempts }]);
  for (const { text } of [failing, dead]) expect(text).not.toMatch(/OPENAI|reason/i);
  expect(page).toContain('data-reasons="kept"');
});
