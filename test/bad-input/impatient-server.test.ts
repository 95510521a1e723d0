import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawConnection } from "../http/raw-request.ts";
import { LullProcess } from "../lull-process.ts";
import { post } from "./raw-post.ts";

describe("a server with little patience", () => {
  let server: LullProcess;
  let port: number;

  beforeAll(async () => {
    const main = fileURLToPath(new URL("impatient-server.ts", import.meta.url));
    server = new LullProcess([], { cwd: process.cwd(), main, env: { NODE_OPTIONS: "--expose-gc" } });
    port = Number(new URL(await server.url()).port);
  });
  afterAll(async () => {
    server.kill("SIGKILL");
    await server.gone();
  });

  const healthy = async () => expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);

  /** A byte now and then, until the other side has had enough. */
  async function drip(raw: Awaited<ReturnType<typeof rawConnection>>, text: string): Promise<string> {
    const timer = setInterval(() => raw.write(text), 20);
    try {
      return await raw.closed();
    } finally {
      clearInterval(timer);
    }
  }

  async function heap(n: number): Promise<number> {
    server.child.stdin?.write("?");
    const lines = () => [...server.stdout.matchAll(/^heap (\d+) bytes$/gm)].map(([, bytes]) => Number(bytes));
    return server.until("the size of the heap", () => lines()[n - 1]);
  }

  test("a caller that sends headers byte by byte is cut off, and others are served meanwhile", async () => {
    const slow = await Promise.all(Array.from({ length: 30 }, () => rawConnection(port)));
    for (const raw of slow) raw.write("POST /webhooks/web HTTP/1.1\r\nHost: a\r\nX: ");
    const ends = slow.map((raw) => drip(raw, "x"));
    await healthy();
    for (const came of await Promise.all(ends)) expect(came).toMatch(/^(HTTP\/1\.1 408 |$)/);
    await healthy();
  });

  test("a caller that sends a body byte by byte is cut off, and nothing of it is staged", async () => {
    const slow = await Promise.all(Array.from({ length: 30 }, () => rawConnection(port)));
    for (const raw of slow) raw.write(post("", "Content-Length: 90000"));
    const ends = slow.map((raw) => drip(raw, " "));
    await healthy();
    for (const came of await Promise.all(ends)) expect(came).toMatch(/^(HTTP\/1\.1 (408|400) |$)/);
    const counts = await fetch(`http://127.0.0.1:${port}/api/counts`);
    expect(await counts.json()).toMatchObject({ staged: 0, conversations: 0 });
  });

  test("a connection that waits for nothing is closed", async () => {
    const raw = await rawConnection(port);
    raw.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await raw.closed()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("bad connections leave nothing behind in memory", async () => {
    const bad = [
      "GET / HTTP/9.9\r\n\r\n",
      post("{", "Content-Length: 500"),
      post("x".repeat(50_000), "Content-Length: 1000001"),
      `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      post("zz\r\n", "Transfer-Encoding: chunked"),
    ];
    const batch = () =>
      Promise.all(
        Array.from({ length: 100 }, async (_, n) => {
          const raw = await rawConnection(port);
          raw.socket.end(bad[n % bad.length] ?? "");
          await raw.closed();
        }),
      );
    for (let n = 0; n < 4; n += 1) await batch();
    const before = await heap(1);
    for (let n = 0; n < 10; n += 1) await batch();
    expect((await heap(2)) - before).toBeLessThan(3_000_000);
    await healthy();
  });
});
