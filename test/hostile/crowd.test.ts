import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually, LullProcess } from "../lull-process.ts";
import { growth } from "./attack.ts";

const STAGED_MAX = 2_000;
const TEXT = "x".repeat(3_900);
const VISITOR = "the-visitor";
/** For a pile of 8 MB, on its way through two threads and out again in a hundred turns. */
const GROWTH_BYTES_MAX = 200_000_000;

let folder = "";
let service: LullProcess;
let url = "";
let count = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-crowd-"));
});

afterEach(async () => {
  service.kill("SIGKILL");
  await service.gone();
  await rm(folder, { recursive: true, force: true });
});

async function serve(config: string): Promise<void> {
  await writeFile(join(folder, "lull.config.mjs"), `export default { web: true, ${config} };`);
  service = new LullProcess(["start"], { cwd: folder, env: { PORT: "0" } });
  url = await service.url();
}

async function write(sender: string, text: string) {
  count += 1;
  const answer = await fetch(`${url}/webhooks/web`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: `m${count}`, sender, text }),
  });
  return {
    status: answer.status,
    body: (await answer.json()) as { code?: string; conversation_id?: string },
  };
}

interface Feed {
  readonly state: string;
  readonly staged: number;
  readonly waiting: readonly unknown[];
  readonly messages: readonly { readonly role: string; readonly text: string }[];
}

async function feedOf(sender: string): Promise<{ bytes: number; feed: Feed }> {
  const text = await (await fetch(`${url}/webhooks/web/feed?sender=${sender}`)).text();
  return { bytes: text.length, feed: JSON.parse(text) as Feed };
}

/** A few at a time, as browsers do. */
async function writeMany(sender: string, messages: number, text: string): Promise<number[]> {
  const statuses: number[] = [];
  let left = messages;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      statuses.push((await write(sender, text)).status);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  return statuses;
}

describe("one visitor who writes as much as may wait", () => {
  it("is told when it is enough, sees a feed of a reasonable size, and all others are answered", async () => {
    await serve(
      "window: { seconds: 0.2 }, limits: { visitorPerMinuteMax: 0, batchMessagesMax: 20 }, " +
        "respond: (turn) => turn.messages.length + ' heard'",
    );
    // Nothing of it leaves while everything is paused: so many wait at once.
    await fetch(`${url}/api/pause`, { method: "POST" });
    // What is allocated once, for the first requests, does not count.
    await writeMany("an-early-neighbour", 100, "hi");
    const grown = growth(service.child.pid!);
    const statuses = await writeMany(VISITOR, STAGED_MAX, TEXT);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(await write(VISITOR, "one more")).toMatchObject({ status: 429, body: { code: "RATE_LIMITED" } });
    const { bytes, feed } = await feedOf(VISITOR);
    expect(feed.staged).toBeGreaterThanOrEqual(STAGED_MAX);
    expect(feed.waiting.length).toBeLessThan(200);
    expect(bytes).toBeLessThan(500_000);

    await fetch(`${url}/api/resume`, { method: "POST" });
    const others = Array.from({ length: 40 }, (_, n) => `neighbour-${n}`);
    const answers = await Promise.all(others.map((sender) => write(sender, "are you open?")));
    expect(answers.map(({ status }) => status)).toEqual(others.map(() => 200));
    for (const sender of others) {
      const said = await eventually(`the answer to ${sender}`, async () => {
        const { messages } = (await feedOf(sender)).feed;
        return messages.find(({ role }) => role === "assistant");
      });
      expect(said.text).toBe("1 heard");
    }
    const drained = await eventually("the end of the pile", async () => {
      const found = await feedOf(VISITOR);
      return found.feed.state === "idle" ? found : undefined;
    });
    expect(drained.bytes).toBeLessThan(500_000);
    expect(grown()).toBeLessThan(GROWTH_BYTES_MAX);
    const { turns } = (await (await fetch(`${url}/api/counts`)).json()) as { turns: number };
    // Full batches, and one turn that tells the customer that the conversation was full.
    expect(turns).toBe(100 / 20 + STAGED_MAX / 20 + 1 + others.length);
    expect(service.events.map(({ event }) => event)).not.toContain("store.thread-died");
  });
});

describe("without any setting, a visitor who proves nothing", () => {
  it("may write so much in a minute, and so much at once", async () => {
    await serve("respond: () => 'hello'");
    expect(await write(VISITOR, "x".repeat(8_001))).toMatchObject({
      status: 413,
      body: { code: "MESSAGE_TOO_LARGE" },
    });
    const statuses = await writeMany(VISITOR, 400, "hi");
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(400);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await write("a-neighbour", "hi")).status).toBe(200);
  });
});
