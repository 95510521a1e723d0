import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { UNSIGNED_REFUSALS_PER_MINUTE_MAX } from "../../src/core/defaults.ts";
import { eventually, type LullProcess } from "../lull-process.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { type Attack, attack, head } from "./attack.ts";

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const SIGNATURE = { "x-twilio-signature": "AAAAAAAAAAAAAAAAAAAAAAAAAAA=" };

let at: Surroundings;
let service: LullProcess;
let port = 0;
let current: Attack | undefined;

afterEach(() => current?.end());

async function start(config: object = {}): Promise<void> {
  at = await surroundings({ LULL_WEB: "1", LULL_WINDOW_SECONDS: "600" });
  await writeFile(join(at.folder, "lull.config.json"), JSON.stringify(config));
  service = await at.start();
  port = Number(new URL(await service.url()).port);
}

/** As many signed webhooks, one after the other. */
async function signed(count: number): Promise<number[]> {
  const told = new Set<number>();
  for (let n = 0; n < count; n += 1) told.add((await at.write(n, "hi")).status);
  return [...told];
}

function statuses(of: Attack): string[] {
  return [...new Set(of.answers().map((answer) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? ""))];
}

describe("a service with few slots and little room", () => {
  beforeAll(() =>
    start({
      limits: {
        requestsMax: 5,
        feedRequestsMax: 5,
        readingBytesMax: 200_000,
        connectionsMax: 100,
        bodyTimeoutSeconds: 600,
      },
    }),
  );
  afterAll(() => at.end());

  test("keeps its slots for what has arrived: bodies of one byte keep no signed webhook out", async () => {
    current = attack(
      port,
      40,
      () => `${head("/webhooks/web", { "content-type": JSON_TYPE, "content-length": 100 })}{`,
    );
    await current.underWay;
    expect(await signed(20)).toEqual([200]);
  });

  test("keeps them for messages: visitors that ask without a pause keep no signed webhook out", async () => {
    let isOver = false;
    const told = new Set<number>();
    const feed = `http://127.0.0.1:${port}/webhooks/web/feed?sender=visitor-1`;
    // Kept open they would fill the next test's connections, whose oldest are closed, also under a webhook.
    const headers = { connection: "close" };
    const visitor = async () => {
      while (!isOver) told.add((await fetch(feed, { headers })).status);
    };
    const crowd = Array.from({ length: 40 }, visitor);
    const webhooks = await signed(100);
    isOver = true;
    await Promise.all(crowd);
    expect(webhooks).toEqual([200]);
    // Some find nothing there, and some no place.
    expect([404, 429]).toEqual(expect.arrayContaining([...told]));
  });

  test("gives up the oldest of unfinished bodies, and takes every signed one", async () => {
    const bytes = head("/webhooks/whatsapp", {
      "content-type": FORM,
      ...SIGNATURE,
      "content-length": 60_000,
    });
    current = attack(port, 40, () => bytes + "x".repeat(50_000));
    await current.underWay;
    expect(await signed(20)).toEqual([200]);
    await eventually("refusals", async () => (statuses(current!).includes("429") ? true : undefined));
  });

  test("closes connections that say nothing, and not those of real callers", async () => {
    current = attack(port, 300, (n) =>
      n % 2 === 0 ? "" : "POST /webhooks/whatsapp HTTP/1.1\r\nHost: a\r\nX: ",
    );
    await current.underWay;
    expect(await signed(20)).toEqual([200]);
    await eventually("few of them open", async () => (current!.open() <= 100 ? true : undefined));
    // Not because their headers were too slow: that gets another answer.
    expect(current.answers().filter((answer, n) => n % 2 === 1 && answer === "").length).toBeGreaterThan(50);
  });
});

describe("a service as it is", () => {
  beforeAll(() => start());
  afterAll(() => at.end());

  test.each<[string, string, Record<string, string | number>, string]>([
    ["no signature", "/webhooks/whatsapp", { "content-type": FORM, "content-length": 5_000 }, "403"],
    [
      "another content type",
      "/webhooks/whatsapp",
      { "content-type": "text/plain", ...SIGNATURE, "content-length": 5_000 },
      "400",
    ],
    [
      "a length above the channel's",
      "/webhooks/whatsapp",
      { "content-type": FORM, ...SIGNATURE, "content-length": 65_537 },
      "413",
    ],
    ["a huge length", "/webhooks/web", { "content-type": JSON_TYPE, "content-length": 9_007_199_254 }, "413"],
    ["a form for a page", "/webhooks/web", { "content-type": FORM, "content-length": 5_000 }, "400"],
    [
      "another site's page",
      "/webhooks/web",
      { "content-type": JSON_TYPE, "sec-fetch-site": "cross-site", "content-length": 5_000 },
      "401",
    ],
    ["an unknown channel", "/webhooks/unknown", { "content-length": 5_000 }, "404"],
    ["no token", "/api/conversations", { "content-type": JSON_TYPE, "content-length": 5_000 }, "401"],
  ])("refuses by headers, with the body still to come: %s", async (_, path, headers, status) => {
    current = attack(port, 1, () => head(path, headers));
    await current.over();
    expect(statuses(current)).toEqual([status]);
  });

  test("ends bodies that stall within seconds", async () => {
    current = attack(
      port,
      20,
      () => `${head("/webhooks/web", { "content-type": JSON_TYPE, "content-length": 100 })}{`,
    );
    await current.over();
    for (const answer of current.answers())
      expect(answer).toMatch(/^HTTP\/1\.1 408 .*the body came too slowly/s);
  });

  test("does not read a chunked body without an end to its end", async () => {
    const bytes = head("/webhooks/web", { "content-type": JSON_TYPE, "transfer-encoding": "chunked" });
    current = attack(port, 5, () => bytes + `2000\r\n${" ".repeat(0x2000)}\r\n`.repeat(200));
    await current.over();
    expect(statuses(current)).toEqual(["413"]);
  });

  test("makes nothing of sixty thousand bytes of form keys", async () => {
    const keys = Array.from({ length: 8_000 }, (_, n) => `k${n}=`).join("&");
    const answer = await at.post("/webhooks/whatsapp", {
      body: keys,
      headers: { "content-type": FORM, ...SIGNATURE },
    });
    expect(answer.status).toBe(403);
    await service.event("the reason", ({ reason }) => reason === "there are more than 256 parameters");
  });

  test("tells of a flood of refusals in a few lines", async () => {
    const before = service.events.length;
    for (let n = 0; n < 300; n += 1) {
      await at.post("/webhooks/whatsapp", { body: `n=${n}`, headers: { "content-type": FORM } });
      await at.post("/webhooks/whatsapp", {
        body: `n=${n}`,
        headers: { "content-type": FORM, ...SIGNATURE },
      });
      await at.post("/webhooks/web", { body: JSON.stringify({ [`k${n}`]: 1 }) });
    }
    expect(await signed(1)).toEqual([200]);
    expect(service.events.length - before).toBeLessThan(30);
    expect(service.stderr.split("\n").length).toBeLessThan(100);
  });

  test("and of messages that are read and refused, which leave a row for some of them only", async () => {
    const before = service.events.length;
    const text = "x".repeat(8_001);
    for (let n = 0; n < 280; n += 1) {
      const body = JSON.stringify({ id: `m${n}`, sender: `stranger-${n}`, text });
      expect((await at.post("/webhooks/web", { body })).status).toBe(413);
    }
    expect(await signed(1)).toEqual([200]);
    expect(service.events.length - before).toBeLessThan(30);
    const { refusals } = await at.counts();
    expect(refusals).toBeGreaterThan(0);
    // A minute's worth, and what became free again while this ran.
    expect(refusals).toBeLessThan(2 * UNSIGNED_REFUSALS_PER_MINUTE_MAX);
  });
});
