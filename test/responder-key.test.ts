import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LullProcess } from "./lull-process.ts";

const KEY = "sk-a-key-that-works";

let folder = "";
let vendor: Server;

/** Answers as OpenAI does when asked for its models. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-key-"));
  vendor = createServer((request, response) => {
    const isRight = request.headers.authorization === `Bearer ${KEY}`;
    response.writeHead(request.url !== "/v1/models" ? 404 : isRight ? 200 : 401).end("{}");
  });
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  vendor.close();
  await rm(folder, { recursive: true, force: true });
});

async function doctor(config: object, env: Readonly<Record<string, string>> = {}): Promise<string> {
  await writeFile(join(folder, "lull.config.json"), JSON.stringify(config));
  const asked = new LullProcess(["doctor"], { cwd: folder, env: { PORT: "0", ...env } });
  await asked.gone();
  return asked.stdout;
}

function at(path: string): string {
  return `http://127.0.0.1:${(vendor.address() as AddressInfo).port}${path}`;
}

async function doctorWithKey(key: string, path = "/v1"): Promise<string> {
  await writeFile(join(folder, "key"), key);
  return doctor({ responder: { openai: { apiKey: { file: join(folder, "key") }, baseUrl: at(path) } } });
}

describe("the doctor tries the key of OpenAI", () => {
  it("where it is in a file", async () => {
    expect(await doctorWithKey(KEY)).toMatch(/^ok {4}responder: openai; the key works$/m);
    expect(await doctorWithKey("sk-another")).toMatch(
      /^FAIL {2}responder: OpenAI does not accept the key from \S+\/key$/m,
    );
  });

  it("and each that a record may ask for, also where the default one is not there", async () => {
    await writeFile(join(folder, "key"), KEY);
    const apiKeys = {
      "prod/well": { file: join(folder, "key") },
      "prod/gone": { file: join(folder, "gone") },
      "prod/wrong": { env: "WRONG_KEY" },
    };
    const config = { responder: { openai: { apiKeys, baseUrl: at("/v1") } } };
    const out = await doctor(config, { WRONG_KEY: "sk-another" });
    const none = "openai; no key is set beside apiKeys: only conversations whose record names one";
    expect(out).toContain(`warn  responder: ${none}`);
    expect(out).toMatch(/^ok {4}responder: openai; the key prod\/well works$/m);
    expect(out).toMatch(/^FAIL {2}responder: .*gone/m);
    expect(out).toMatch(/^FAIL {2}responder: OpenAI does not accept the key from prod\/wrong$/m);
  });

  it("where it is in the environment", async () => {
    const env = { OPENAI_BASE_URL: at("/v1") };
    const well = await doctor({}, { ...env, OPENAI_API_KEY: KEY });
    expect(well).toMatch(/^ok {4}responder: openai; the key works$/m);
    const wrong = await doctor({}, { ...env, OPENAI_API_KEY: "sk-another" });
    expect(wrong).toMatch(/^FAIL {2}responder: OpenAI does not accept .*OPENAI_API_KEY/m);
  });

  it("and says that it did not, where the answer tells nothing of the key", async () => {
    expect(await doctorWithKey(KEY, "/elsewhere")).toMatch(/^skip {2}responder: .*answered 404.*not tried$/m);
  });

  it("where code made the responder, also for one channel, a project, and what a human has", async () => {
    const openai = `openai({ apiKey: "sk-another", baseUrl: "${at("/v1")}" })`;
    const packageAt = (path: string) =>
      JSON.stringify(new URL(`../src/${path}/index.ts`, import.meta.url).href);
    const config = `
      import { openai } from ${packageAt("responders/openai")};
      import { web } from ${packageAt("channels/web")};
      const channel = () => web({ secret: "a-secret-of-the-web-channel" });
      export default {
        respond: ${openai},
        responders: { two: ${openai} },
        handOffTo: (turn) => "a human writes",
        channels: { one: channel(), two: channel() },
        projects: { acme: { channels: { three: channel() }, respond: ${openai} } },
      };`;
    await writeFile(join(folder, "lull.config.ts"), config);
    const asked = new LullProcess(["doctor"], { cwd: folder, env: { PORT: "0" } });
    expect(await asked.gone()).toMatchObject({ code: 1 });
    const refused = "OpenAI does not accept the key from `apiKey` in the configuration";
    for (const name of ["responder", "responder of channel two", "responder of acme"])
      expect(asked.stdout).toContain(`FAIL  ${name}: ${refused}\n`);
    expect(asked.stdout).toMatch(
      /^skip {2}handOffTo: a function of your own, from lull\.config\.ts; give it/m,
    );
  });
});

it("the doctor says of other responders what it tried: a turn was not", async () => {
  expect(await doctor({ responder: { http: { url: at("/answer") } } })).toMatch(
    /^ok {4}responder: http; 127\.0\.0\.1:\d+ takes connections\. No turn was sent/m,
  );
  expect(await doctor({ responder: { http: { url: "http://127.0.0.1:9/answer" } } })).toMatch(
    /^FAIL {2}responder: 127\.0\.0\.1:9 refuses connections: nothing listens there/m,
  );
});
