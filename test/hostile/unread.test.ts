import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LullProcess } from "../lull-process.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { type Attack, attack, growth } from "./attack.ts";

const GROWTH_BYTES_MAX = 50_000_000;
const SIGNED = 50;
const VISITOR = "the-visitor";

let at: Surroundings;
let service: LullProcess;
let port = 0;
let current: Attack | undefined;

beforeEach(async () => {
  at = await surroundings({ LULL_WEB: "1", LULL_WINDOW_SECONDS: "600" });
  service = await at.start();
  port = Number(new URL(await service.url()).port);
});
afterEach(async () => {
  current?.end();
  await at.end();
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const FEED = get(`/webhooks/web/feed?sender=${VISITOR}`);

async function fillFeed(): Promise<void> {
  for (let n = 0; n < 30; n += 1) {
    const message = { id: `m${n}`, sender: VISITOR, text: "x".repeat(4_000) };
    const answer = await at.post("/webhooks/web", {
      body: JSON.stringify(message),
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(200);
  }
}

/** What signed webhooks are told, as many as that. */
async function signed(): Promise<number[]> {
  const told = new Set<number>();
  for (let n = 0; n < SIGNED; n += 1) told.add((await at.write(n, "hi")).status);
  return [...told];
}

/** How much the service grew at most under the attack, and what its real callers were told. */
async function under(start: () => Attack): Promise<{ grew: number; told: number[] }> {
  await signed();
  const grown = growth(service.child.pid!);
  current = start();
  await current.underWay;
  const told = await signed();
  return { grew: grown(), told };
}

// Only there can the memory of a process be read.
describe.skipIf(!existsSync("/proc/self/status"))("requests one behind the other", () => {
  test.each<[string, () => Attack]>([
    [
      "for a feed, by a caller who reads nothing",
      () => attack(port, 5, () => FEED.repeat(400), { reads: false }),
    ],
    [
      "for a page, by a caller who reads nothing",
      () => attack(port, 50, () => get("/").repeat(2_000), { reads: false }),
    ],
    ["for anything, on hundreds of connections", () => attack(port, 400, () => get("/x").repeat(2_000))],
  ])("%s, cost little memory, and keep no signed webhook out", async (_, start) => {
    await fillFeed();
    const { grew, told } = await under(start);
    expect(told).toEqual([200]);
    expect(grew).toBeLessThan(GROWTH_BYTES_MAX);
  });

  test("are not carried out: the first is, and its answer is the last", async () => {
    current = attack(port, 50, () => get("/healthz").repeat(2_000));
    await current.over();
    for (const answer of current.answers()) expect(answer.match(/HTTP\/1\.1 200 /g)?.length).toBe(1);
  });
});

describe.skipIf(!existsSync("/proc/self/status"))("answers that are not read", () => {
  test("one on each of hundreds of connections, cost no more memory than making them takes", async () => {
    await fillFeed();
    const { grew, told } = await under(() => attack(port, 400, () => FEED, { reads: false }));
    expect(told).toEqual([200]);
    // Thirty feeds of 120 KB are made at once, each out of rows: that much is garbage for a moment, read or
    // unread.
    expect(grew).toBeLessThan(2 * GROWTH_BYTES_MAX);
  });
});
