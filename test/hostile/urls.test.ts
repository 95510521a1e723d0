import { describe, expect, it } from "vitest";
import { memory } from "../../src/engines/memory/index.ts";
import { createEdge } from "../../src/http/edge.ts";
import { createLull } from "../../src/index.ts";
import type { LullProcess } from "../lull-process.ts";
import { processFolder } from "../process-folder.ts";

/** Everything that a service of Twilio, WATI and OpenAI needs. No server answers on that port. */
const SOUND = {
  TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`,
  TWILIO_AUTH_TOKEN: "CANARY-of-twilio-123456",
  TWILIO_WHATSAPP_FROM: "+15550100",
  TWILIO_API_URL: "http://127.0.0.1:9",
  WATI_API_URL: "http://127.0.0.1:9/100001",
  WATI_NUMBERS: "+15550101",
  WATI_TOKEN: "CANARY-of-wati-123456",
  WATI_WEBHOOK_SECRET: "CANARY-of-webhooks-123456",
  OPENAI_API_KEY: "CANARY-of-openai",
  OPENAI_BASE_URL: "http://127.0.0.1:9/v1?api-version=CANARY",
  LULL_PUBLIC_URL: "https://user:CANARY@127.0.0.1:9/x",
  LULL_DB: "lull.db",
  PORT: "0",
};

const folder = processFolder();

function lull(args: readonly string[], env: Readonly<Record<string, string>> = {}): LullProcess {
  return folder.start(args, { env: { ...SOUND, ...env } });
}

async function told(args: readonly string[], env?: Readonly<Record<string, string>>) {
  const process = lull(args, env);
  const { code } = await process.gone();
  return { code, text: process.stdout + process.stderr };
}

describe("a user in a URL with a password", () => {
  it("is shown by no command", async () => {
    const service = lull(["start"]);
    await service.url();
    for (const args of [
      ["config"],
      ["config", "--json"],
      ["doctor"],
      ["catch-up", "--since", "1h", "--verbose"],
    ]) {
      const { text } = await told(args);
      expect([args, text]).toEqual([args, expect.not.stringMatching(/CANARY/)]);
    }
    expect(service.stderr + service.stdout).not.toContain("CANARY");
  });

  it("is not in the API's own description", async () => {
    const service = createLull({
      engine: memory(),
      channels: {},
      respond: () => "",
      publicUrl: SOUND.LULL_PUBLIC_URL,
      apiToken: "a-token-of-the-operator",
    });
    const answer = await createEdge(service, { serves: "api" })({
      method: "GET",
      path: "/api/openapi.json",
      search: "",
      query: new URLSearchParams(),
      headers: { authorization: "Bearer a-token-of-the-operator" },
      body: async () => Buffer.alloc(0),
      remoteAddress: "192.0.2.1",
    });
    await service.stop(0);
    expect(String(answer.body)).toContain('"https://127.0.0.1:9/x"');
    expect(String(answer.body)).not.toContain("CANARY");
  });

  it.each([
    ["TWILIO_API_URL", "http://user:CANARY@127.0.0.1:9"],
    ["TWILIO_API_URL", "http://127.0.0.1:9/?key=CANARY"],
    ["TWILIO_API_URL", "http://127.0.0.1:9/#CANARY"],
    ["WATI_API_URL", "http://CANARY@127.0.0.1:9/100001"],
    ["WATI_API_URL", "http://127.0.0.1:9/100001?token=CANARY"],
    ["OPENAI_BASE_URL", "http://user:CANARY@127.0.0.1:9"],
    ["OPENAI_BASE_URL", "http://127.0.0.1:9#CANARY"],
    ["LULL_PUBLIC_URL", "https://bot.example.com/x?CANARY"],
    ["LULL_PUBLIC_URL", "https://bot.example.com/#CANARY"],
    ["LULL_PUBLIC_URL", "htps://user:CANARY@bot.example.com"],
  ])("or a query, or a #, has no place in %s: %s stops the start, and is not repeated", async (name, url) => {
    const { code, text } = await told(["start"], { [name]: url });
    expect(text).toMatch(
      new RegExp(`^lull: ${name} must be a URL that starts with http:// or https://`, "m"),
    );
    expect([code, text]).toEqual([2, expect.not.stringContaining("CANARY")]);
  });
});

it("a public URL that cannot be called stops a program, too", () => {
  const config = { engine: memory(), channels: {}, respond: () => "" };
  for (const publicUrl of [
    "https://x.example/?CANARY",
    "https://x.example#CANARY",
    "ftp://u:CANARY@x.example",
  ])
    expect(() => createLull({ ...config, publicUrl })).toThrow(/^publicUrl must be a URL(?!.*CANARY)/);
});
