import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { LullFile, Responder } from "lull";
import { type TestLull, testLull } from "lull/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { FakeServer } from "../../src/testing/fake-server.ts";
import { eventually } from "../lull-process.ts";
import { run } from "../staged-package.ts";
import { ANSWER, fakeModels, saidIn } from "./fake-models.ts";
import { installedRecipes } from "./installed.ts";

/** 180 MB of other people's packages: `npm run test:recipes` installs them, and nothing else does. */
const IS_ASKED_FOR = process.env.LULL_TEST_RECIPES !== undefined;
const INSTALL_MS = 300_000;
/** More than `limits.attemptsMax`: only what is taken for an outage is tried so often. */
const TRIES = 6;
const BURST = ["hi", "a table for two"];

let folder: string;
let models: FakeServer;
let lull: TestLull;
let route: Server | undefined;

describe.runIf(IS_ASKED_FOR)("recipes", () => {
  beforeAll(async () => {
    folder = await installedRecipes();
    models = fakeModels();
    await models.start(); // once: the AI SDK reads its address once
  }, INSTALL_MS);
  afterAll(async () => {
    await models.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    const keys = { OPENAI_API_KEY: "a-key", ANTHROPIC_API_KEY: "a-key", TURNS_SECRET: "a-word-of-your-own" };
    const urls = {
      OPENAI_BASE_URL: `${models.url}/v1`,
      ANTHROPIC_BASE_URL: models.url,
      OLLAMA_HOST: models.url,
    };
    const memory = {
      MEMORY_DB: join(folder, `${expect.getState().currentTestName?.replace(/\W/g, "-")}.db`),
    };
    for (const [name, value] of Object.entries({ ...keys, ...urls, ...memory })) vi.stubEnv(name, value);
    vi.resetModules(); // clients read their keys and addresses once
  });
  afterEach(async () => {
    await lull.stop();
    route?.closeAllConnections();
    route?.close();
    vi.unstubAllEnvs();
  });

  test("compile against the packages that they name", async () => {
    lull = testLull({ respond: () => null });
    expect(await run("tsc", ["-p", "tsconfig.json"], folder)).toBe("");
  });

  describe.each(["ai-sdk", "anthropic", "langchain", "ollama", "openai-agents", "agents-memory", "vercel"])(
    "%s.ts",
    (name) => {
      test("answers a burst once, also after an outage of its model, and goes on from there", async () => {
        lull = await started(name);
        const before = models.requests.length;
        models.behave((_, n) => (n <= before + TRIES ? { kind: "error", status: 503 } : { kind: "ok" }));
        for (const line of BURST) await lull.receive("ana", line);
        await answers(1);
        expect(models.requests.slice(before).map(saidIn)).toEqual(Array.from({ length: TRIES + 1 }, asked));
        await lull.receive("ana", "at eight");
        await answers(2);
        expect(saidIn(models.requests.at(-1)!)).toEqual([
          ...asked(),
          ["assistant", ANSWER],
          ["user", "at eight"],
        ]);
        expect(lull.sent).toEqual([1, 2].map(() => ({ to: "ana", text: ANSWER })));
      });

      test("hangs up when the answer is no longer wanted", async () => {
        lull = await started(name);
        models.behave({ kind: "hang" });
        const waits = models.nextRequest();
        for (const line of BURST) await lull.receive("ana", line);
        await lull.advance(20_000);
        const { over } = await waits;
        await lull.advance(130_000); // past limits.answerTimeoutSeconds
        await over;
      });
    },
  );
});

const asked = () => [["user", BURST.join("\n")]];

async function started(name: string): Promise<TestLull> {
  if (name === "vercel") vi.stubEnv("TURNS_URL", await served());
  const { default: config } = (await import(join(folder, `${name}.ts`))) as { default: LullFile };
  const { window, limits, respond } = config;
  return testLull({ ...(window && { window }), ...(limits && { limits }), respond: respond as Responder });
}

/** Time passes, ten seconds at a time, until so many answers are out: tries again have their pauses. */
async function answers(count: number): Promise<void> {
  await eventually(`answer ${count}`, async () => {
    await lull.advance(10_000);
    return lull.sent.length >= count ? true : undefined;
  });
}

/** The route as Next calls it: with a request that aborts when its caller hangs up. */
async function served(): Promise<string> {
  const { POST } = (await import(join(folder, "vercel-route.ts"))) as {
    POST: (request: Request) => Promise<Response>;
  };
  const listener = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort());
    const signature = String(incoming.headers["x-lull-signature"]);
    const request = new Request("https://blue-door.example.com/api/turns", {
      method: "POST",
      headers: { "x-lull-signature": signature },
      body: await text(incoming),
      signal: gone.signal,
    });
    const answer = await POST(request);
    outgoing.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    outgoing.end(await answer.text());
  };
  route = createServer((incoming, outgoing) => void listener(incoming, outgoing)).listen(0, "127.0.0.1");
  await once(route, "listening");
  return `http://127.0.0.1:${(route.address() as AddressInfo).port}/api/turns`;
}
