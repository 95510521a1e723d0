import { describe, expect, it } from "vitest";
import type { LullProcess } from "../lull-process.ts";
import { processFolder } from "../process-folder.ts";

const WARNING = /web.*0\.0\.0\.0.*LULL_WEB_SECRET.*LULL_WEB_UNSIGNED/;
/** What makes an open port harmless. */
const SAFE = [
  ["visitors who are signed", { LULL_HOST: "0.0.0.0", LULL_WEB_SECRET: "a-secret-of-the-web-channel" }],
  ["an operator's word that every caller may write", { LULL_HOST: "0.0.0.0", LULL_WEB_UNSIGNED: "1" }],
  ["loopback", {}],
] as const;

const folder = processFolder();

function lull(args: readonly string[], env: Readonly<Record<string, string>>): LullProcess {
  return folder.start(args, { env: { PORT: "0", LULL_WEB: "1", ...env } });
}

async function doctor(env: Readonly<Record<string, string>>): Promise<string> {
  const asked = lull(["doctor", "--offline"], env);
  expect((await asked.gone()).code).toBe(0);
  return asked.stdout;
}

describe("visitors who prove nothing, on a port that others reach", () => {
  it("are told of at the start, and by the doctor: callers who get there may call us localhost", async () => {
    const service = lull(["start"], { LULL_HOST: "0.0.0.0" });
    await service.url();
    expect(service.events.filter(({ event }) => event === "channel.open")).toEqual([
      expect.objectContaining({ level: "warn", detail: expect.stringMatching(WARNING) }),
    ]);
    expect(await doctor({ LULL_HOST: "0.0.0.0" })).toMatch(/^warn {2}channel web: .*LULL_WEB_SECRET/m);
  });

  it.each(SAFE)("are nothing to tell of with %s", async (_what, env) => {
    const service = lull(["start"], env);
    await service.url();
    expect(service.events.filter(({ event }) => event === "channel.open")).toEqual([]);
    expect(await doctor(env)).not.toMatch(/^warn {2}channel web/m);
  });
});

describe("a port that others reach", () => {
  const PUBLIC = {
    LULL_PUBLIC_URL: "https://bot.example.com",
    LULL_WEB_SECRET: "a-secret-of-the-web-channel",
  };
  const AROUND = /0\.0\.0\.0.*around the proxy.*clear text.*LULL_HOST/;

  it.each([[PUBLIC], [{ LULL_WEB_UNSIGNED: "1" }]])("is told of, and where it is: %j", async (env) => {
    const service = lull(["start"], { ...env, LULL_HOST: "0.0.0.0" });
    expect(await service.url()).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    expect(service.events.filter(({ event }) => event === "port.open")).toEqual([
      expect.objectContaining({ level: "warn", detail: expect.stringMatching(AROUND) }),
    ]);
    expect(await doctor({ ...env, LULL_HOST: "0.0.0.0" })).toMatch(/^warn {2}port: .*around the proxy/m);
  });

  it.each(["127.0.0.1", "localhost", "::1"])("is none on %s", async (host) => {
    expect(await doctor({ ...PUBLIC, LULL_HOST: host })).not.toMatch(/^warn {2}port/m);
  });
});

describe("visitors who are signed, and so come from elsewhere", () => {
  const signed = { LULL_WEB_SECRET: "a-secret-of-the-web-channel" };

  it.each([
    [{}, /^warn {2}public URL: LULL_PUBLIC_URL is not set/m],
    [{ LULL_PUBLIC_URL: "http://bot.example.com" }, /^warn {2}public URL: .* is not https/m],
    [
      { LULL_PUBLIC_URL: "https://bot.example.com" },
      /^skip {2}public URL: https:\/\/bot.example.com; not tried/m,
    ],
  ])("have a public URL, or the doctor tells: %j", async (env: Record<string, string>, line) => {
    expect(await doctor({ ...signed, ...env })).toMatch(line);
  });
});
