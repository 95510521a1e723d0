import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { checkClock } from "./clock.ts";

const NOW_MS = Date.UTC(2026, 10, 15, 12);
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function providerAt(atMs: number): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { date: new Date(atMs).toUTCString() }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test.each([
  [0, "ok"],
  [6_000, "ok"],
  [7_000, "warn"],
  [61_000, "warn"],
  [62_000, "fail"],
  [120_000, "fail"],
  [3_600_000, "fail"],
] as const)("a clock that is %i ms off its provider's, fast or slow: %s", async (offMs, verdict) => {
  for (const atMs of [NOW_MS - offMs, NOW_MS + offMs]) {
    const found = await checkClock(() => NOW_MS, await providerAt(atMs), AbortSignal.timeout(10_000));
    expect([found.verdict, found.check]).toEqual([verdict, "clock"]);
  }
});
