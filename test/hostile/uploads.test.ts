import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LullProcess } from "../lull-process.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { type Attack, attack, growth, head } from "./attack.ts";

const UPLOADS = 400;
const GROWTH_BYTES_MAX = 50_000_000;
const SIGNED = 100;

let at: Surroundings;
let service: LullProcess;
let port = 0;
let current: Attack | undefined;

beforeEach(async () => {
  at = await surroundings({
    LULL_WEB: "1",
    LULL_WINDOW_SECONDS: "600",
    WATI_API_URL: "http://127.0.0.1:9/1",
    WATI_TOKEN: "a-token",
    WATI_WEBHOOK_SECRET: "the-right-secret",
    WATI_NUMBERS: "15550199",
  });
  service = await at.start();
  port = Number(new URL(await service.url()).port);
});
afterEach(async () => {
  current?.end();
  await at.end();
});

/** How much the service grew at most under the attack, and what its real callers were told. */
async function under(start: () => Attack): Promise<{ grew: number; told: Set<number> }> {
  // What is allocated once, for the first requests, does not count.
  for (let n = 0; n < SIGNED; n += 1) await at.write(n, "before");
  const grown = growth(service.child.pid!);
  current = start();
  await current.underWay;
  const told = new Set<number>();
  for (let n = 0; n < SIGNED; n += 1) told.add((await at.write(n, "meanwhile")).status);
  return { grew: grown(), told };
}

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

// Only there can the memory of a process be read.
describe.skipIf(!existsSync("/proc/self/status"))("uploads that are never finished", () => {
  test.each<[string, string, Record<string, string>, number]>([
    ["Twilio's channel, without a signature", "/webhooks/whatsapp", { "content-type": FORM }, 999_999],
    [
      "Twilio's channel, with something for a signature",
      "/webhooks/whatsapp",
      { "content-type": FORM, "x-twilio-signature": "AAAAAAAAAAAAAAAAAAAAAAAAAAA=" },
      65_536,
    ],
    ["WATI's channel", "/webhooks/wati", { "content-type": JSON_TYPE }, 65_536],
    ["the web channel, unsigned", "/webhooks/web", { "content-type": JSON_TYPE }, 400_000],
    ["no channel", "/webhooks/unknown", { "content-type": JSON_TYPE }, 999_999],
    ["the API, without its token", "/api/conversations", { "content-type": JSON_TYPE }, 999_999],
  ])("to %s cost little memory, and keep no signed webhook out", async (_, path, headers, size) => {
    const { grew, told } = await under(() => {
      const bytes = head(path, { ...headers, "content-length": size }) + "x".repeat(size - 1);
      return attack(port, UPLOADS, () => bytes);
    });
    expect([...told]).toEqual([200]);
    expect(grew).toBeLessThan(GROWTH_BYTES_MAX);
  });

  test("of one byte each, chunk by chunk without an end, cost little memory", async () => {
    const { grew, told } = await under(() => {
      const bytes =
        head("/webhooks/web", { "content-type": JSON_TYPE, "transfer-encoding": "chunked" }) +
        "1\r\nx\r\n".repeat(60_000);
      return attack(port, 40, () => bytes);
    });
    expect([...told]).toEqual([200]);
    expect(grew).toBeLessThan(GROWTH_BYTES_MAX);
  });
});
