import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { twilio } from "../../src/channels/twilio/index.ts";
import { outcomeOf as twilioOutcome } from "../../src/channels/twilio/outcome.ts";
import { wati } from "../../src/channels/wati/index.ts";
import { outcomeOf as watiOutcome } from "../../src/channels/wati/outcome.ts";
import { web } from "../../src/channels/web/index.ts";
import { ENGINES } from "../../src/cli/engines.ts";
import { load } from "../../src/config/load.ts";
import { splitText } from "../../src/core/chunks.ts";
import { answerFrom } from "../../src/core/reply.ts";
import { decideFailure } from "../../src/core/retry.ts";
import { memory } from "../../src/engines/memory/index.ts";
import { ConfigError } from "../../src/errors.ts";
import { serve } from "../../src/http/node.ts";
import { createLull } from "../../src/index.ts";
import type { Channel } from "../../src/ports/channel.ts";
import { testContext, testRequest } from "../../src/testing/channel-context.ts";
import { testChannel } from "../../src/testing/test-channel.ts";
import { inProcessService } from "./in-process-service.ts";
import { deepJson } from "./nasty-json.ts";

/** Every bug that bad input has found in the code, named by its effect. */

const ACCOUNT = "AC00000000000000000000000000000001";

function opened(channel: Channel): Channel {
  channel.open?.(testContext());
  return channel;
}

const watiChannel = () => opened(wati({ apiUrl: "https://wati.example/t1", token: "x", webhookSecret: "s" }));
const whatsapp = (authToken = "t") => opened(twilio.whatsapp({ accountSid: ACCOUNT, authToken }));

function messageIn(channel: Channel, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers: Record<string, string> =
    channel.type === "web" ? { "content-type": "application/json" } : {};
  const parsed = channel.parse(testRequest("https://bot.example.com/", text, headers));
  return parsed.kind === "updates" ? parsed.messages[0] : parsed;
}

const create = (more: object) => ({
  method: "POST",
  target: "/api/conversations",
  body: JSON.stringify({ channel: "web", address: "web", sender: "visitor-0001", ...more }),
});

const write = (more: object) => ({
  method: "POST",
  target: "/webhooks/web",
  body: JSON.stringify({ id: "1", sender: "visitor-0001", text: "hi", ...more }),
});

describe("core", () => {
  test.each([0, -1, 0.5])(
    "a channel that can carry %d characters made splitting go on for ever",
    (textMax) => {
      expect(splitText("hello", textMax)).toEqual(["h", "e", "l", "l", "o"]);
    },
  );

  test("a character longer than a chunk was cut in the middle of a code point", () => {
    const family = "👨‍👩‍👧‍👦";
    for (const chunk of splitText(family, 4)) expect(chunk.isWellFormed()).toBe(true);
  });

  test("a reply with null for its text failed the turn", () => {
    const nulls = { text: null, media: null, complete: null, handOff: null, laterSeconds: null };
    expect(answerFrom(nulls as never)).toEqual({ kind: "answer", texts: [], media: [] });
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e300, -5])(
    "an answer %d seconds later never came",
    (seconds) => {
      const answer = answerFrom({ laterSeconds: seconds });
      expect(answer).toMatchObject({ kind: "later" });
      const { afterMs } = answer as { afterMs: number };
      expect(afterMs).toBeGreaterThanOrEqual(0);
      expect(afterMs).toBeLessThanOrEqual(7 * 86_400_000);
    },
  );

  test("token counts that are no counts spoilt a conversation's sum", () => {
    const usage = { promptTokens: Number.POSITIVE_INFINITY, completionTokens: -3, totalTokens: Number.NaN };
    expect(answerFrom({ text: "x", usage })).toMatchObject({
      usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
    });
  });

  test("an object with more than media in it could not be written down, which ended the process", () => {
    const circular: Record<string, unknown> = { url: "https://x.example/a", contentType: "image/png" };
    circular.client = circular;
    const answer = answerFrom({ media: [circular as never] });
    expect(answer).toMatchObject({ media: [{ url: "https://x.example/a", contentType: "image/png" }] });
    expect(() => JSON.stringify(answer)).not.toThrow();
  });

  test.each([Number.POSITIVE_INFINITY, Number.NaN, 1e300])(
    "a retry after %d ms never came",
    (retryAfterMs) => {
      const limits = { attemptsMax: 5, retryForMs: 1_800_000, backoffMs: 1_000, backoffMsMax: 60_000 };
      const outage = { kind: "outage", retryAfterMs } as const;
      const { afterMs } = decideFailure(outage, { counted: 1 }, 0, limits, () => 0.5) as {
        afterMs: number;
      };
      expect(afterMs).toBeLessThanOrEqual(7 * 86_400_000);
    },
  );
});

describe("channels", () => {
  test.each(["1e999", "Infinity", "1e300"])(
    "a provider's Retry-After of %s silenced a conversation for good",
    (told) => {
      const outgoing = {
        to: "1",
        from: "2",
        text: "x",
        reference: { turnId: "t", chunk: 0 },
        conversationId: "c",
      };
      const limited = { kind: "not-sent", retry: "later", retryAfterMs: 3_600_000 };
      expect(twilioOutcome(429, told, '{"code":20429}', 0)).toMatchObject(limited);
      expect(watiOutcome({ status: 429, retryAfter: told, body: "" }, outgoing, 0)).toMatchObject(limited);
    },
  );

  test.each([1e300, 8_640_000_000_000_001])(
    "a message sent at %d could be staged, and could not be read back",
    async (sent_at) => {
      const service = inProcessService();
      expect(await service.call(write({ sent_at }))).toMatchObject({ status: 400 });
      expect(messageIn(watiChannel(), { waId: "1", text: "x", timestamp: sent_at })).not.toHaveProperty(
        "sentAtMs",
      );
      expect(messageIn(watiChannel(), { waId: "1", text: "x", timestamp: "1794718800" })).toMatchObject({
        sentAtMs: 1_794_718_800_000,
      });
    },
  );

  test.each(["constructor", "toString", "__proto__"])(
    "a file called menu.%s had a function for its type",
    (extension) => {
      const data = `https://wati.example/showFile?fileName=data/menu.${extension}`;
      expect(messageIn(watiChannel(), { id: "1", waId: "1", data, type: extension })).toMatchObject({
        media: [{ contentType: "application/octet-stream" }],
      });
    },
  );

  test("half a character in WATI's sender could not be answered, and joined strangers' conversations", () => {
    const { replyTo } = messageIn(watiChannel(), '{"id":"1","waId":"\\ud800","text":"x"}') as {
      replyTo: string;
    };
    expect(() => encodeURIComponent(replyTo)).not.toThrow();
  });

  test("half an emoji in a text made strict readers of JSON refuse the turn", () => {
    expect(messageIn(opened(web()), '{"id":"1","sender":"ana","text":"ok \\ud83d"}')).toMatchObject({
      text: "ok \ufffd",
    });
  });

  test("an address that was all prefix belonged to no customer", () => {
    const form = (From: string) =>
      new URLSearchParams({
        AccountSid: ACCOUNT,
        MessageSid: `SM${"1".repeat(32)}`,
        From,
        To: "whatsapp:+1",
      });
    expect(messageIn(whatsapp(), String(form("whatsapp:")))).toEqual({
      kind: "invalid",
      why: "missing: From",
    });
    expect(messageIn(whatsapp(), String(form("whatsapp:+2")))).toMatchObject({ sender: "+2" });
  });

  test("a megabyte of unsigned names without values held all callers up for seconds", async () => {
    const body = `AccountSid=${ACCOUNT}&${"a&".repeat(490_000)}`;
    const before = process.cpuUsage();
    const verdict = await whatsapp().verify(
      testRequest("https://bot.example.com/", body, { "x-twilio-signature": "x" }),
    );
    expect(verdict.kind).toBe("refused");
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_500);
  });

  test("names without values are read as before, in small forms and in large ones", () => {
    for (const padding of ["", `${"&".repeat(200)}large=${"x".repeat(20_000)}`]) {
      const body = `a&b=&=c&&MessageStatus&ErrorCode=1${padding}&MessageSid=SM1&AccountSid=${ACCOUNT}`;
      expect(whatsapp().parse(testRequest("https://bot.example.com/", body))).toEqual({
        kind: "invalid",
        why: "missing: MessageStatus",
      });
    }
  });

  test("with an empty secret in the configuration any caller could sign", async () => {
    const url = "https://bot.example.com/";
    const signed = (algorithm: string, text: string, encoding: "hex" | "base64") =>
      createHmac(algorithm, "").update(text).digest(encoding);
    const form = testRequest(url, `AccountSid=${ACCOUNT}`, {
      "x-twilio-signature": signed("sha1", `${url}AccountSid${ACCOUNT}`, "base64"),
    });
    await expect(whatsapp("").verify(form)).rejects.toThrow("is empty");
    const json = testRequest(url, '{"sender":"ana"}', { "x-lull-signature": signed("sha256", "ana", "hex") });
    await expect(opened(web({ secret: "" })).verify(json)).rejects.toThrow("is shorter than");
  });
});

describe("http", () => {
  test("attributes nested without end ended the process", async () => {
    const who = `"channel":"web","address":"web","sender":"visitor-0001"`;
    const body = `{${who},"attributes":{"a":${deepJson(200_000)}}}`;
    const answer = await inProcessService().call({ method: "POST", target: "/api/conversations", body });
    expect(answer).toMatchObject({ status: 400 });
    expect(
      await inProcessService().call(create({ attributes: JSON.parse(`{"a":${deepJson(90)}}`) })),
    ).toMatchObject({
      status: 201,
    });
  });

  test("a hundred thousand mistakes were answered with megabytes", async () => {
    const answer = await inProcessService().call(
      create({ allowed_channels: Array.from({ length: 100_000 }, () => 1) }),
    );
    expect(answer.status).toBe(400);
    expect(answer.body).toMatch(/allowed_channels\[9\].*and 99990 more/);
    expect(answer.body.length).toBeLessThan(2_000);
  });

  test("a window of 1e300 seconds was accepted, and then the list of locks could not be read", async () => {
    const service = inProcessService();
    expect(await service.call(create({ window: { seconds: 1e300 } }))).toMatchObject({ status: 400 });
    expect(await service.call(create({ window: { seconds: 604_800 } }))).toMatchObject({ status: 201 });
    await service.call(write({}));
    expect(await service.call({ target: "/api/locks" })).toMatchObject({ status: 200 });
  });

  test("two people whose names differ in half a character shared a conversation", async () => {
    expect(await inProcessService().call(create({ sender: "\ud800-visitor" }))).toMatchObject({
      status: 400,
    });
  });

  test("a path that had lost its id was taken for another route", async () => {
    const service = inProcessService();
    for (const target of ["/api/pause//x", "/api/conversations//close", "/api/dead//retry"])
      expect(await service.call({ method: "POST", target })).toMatchObject({ status: 404 });
    expect((await service.counts()).paused).toBe(false);
    expect(await service.call({ target: "/api/conversations/" })).toMatchObject({ status: 200 });
  });

  test("the feed gave a visitor with an odd name ids that the page had never given", async () => {
    const service = inProcessService();
    await service.call(write({ id: "7", sender: "shop/visitor 7" }));
    const { body } = await service.call({
      target: `/webhooks/web/feed?sender=${encodeURIComponent("shop/visitor 7")}`,
    });
    expect(JSON.parse(body).waiting).toMatchObject([{ id: "7" }]);
  });

  test("an answer that cannot be written ended the process", async () => {
    const answer = { status: 200, headers: { "x-token": "two\nlines" }, body: "" };
    const own: Channel = { ...testChannel(), parse: () => ({ kind: "challenge", answer }) };
    const lull = createLull({ engine: memory(), channels: { own }, respond: () => "hi" });
    const serving = await serve(lull, { port: 0, host: "127.0.0.1" });
    await expect(fetch(`${serving.url}/webhooks/own`)).rejects.toThrow();
    expect((await fetch(`${serving.url}/healthz`)).status).toBe(200);
    await serving.close(0);
  });
});

describe("a configuration file", () => {
  async function refusal(content: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "lull-found-"));
    try {
      await writeFile(join(folder, "lull.config.json"), content);
      const request = {
        file: undefined,
        env: {},
        flags: {},
        cwd: folder,
        purpose: "look" as const,
        engines: ENGINES,
      };
      const loaded = await load(request).catch((error: unknown) => error);
      expect(loaded).toBeInstanceOf(ConfigError);
      return (loaded as ConfigError).message;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  test.each([
    ["code that JSON cannot hold", '{"engine":{"open":true}}', /engine must be .* function open/],
    ["an engine that there is not", '{"engine":"postgres"}', /engine must be one of sqlite, aws/],
    ["no code at all", '{"log":true}', /log must be a function/],
    [
      "a secret that is none",
      '{"channels":{"a":{"web":true,"secret":5}}}',
      /channels\.a\.secret must be the secret/,
    ],
    [
      "a number for a number",
      '{"channels":{"a":{"twilio":"sms","from":5}}}',
      /channels\.a\.from must be a text or a list/,
    ],
    [
      "no room for a text",
      '{"channels":{"a":{"twilio":"sms","textMax":0}}}',
      /channels\.a\.textMax must be a whole number/,
    ],
    [
      "an account that is none",
      '{"channels":{"a":{"twilio":"sms","accounts":{"AC1":5}}}}',
      /channels\.a\.accounts\.AC1 must be/,
    ],
    [
      "a body that is none",
      '{"responder":{"openai":{"body":"x"}}}',
      /responder\.openai\.body must be an object/,
    ],
    [
      "a rule that is none",
      '{"project":{"allowedChannels":"web"}}',
      /project\.allowedChannels must be a list of texts/,
    ],
    [
      "a window that is none",
      '{"windows":{"a":5}}',
      /windows\.a must be an object with seconds, quietSeconds, maxSeconds: Either `seconds`/,
    ],
    [
      "a week and a second",
      '{"window":{"seconds":604801}}',
      /window\.seconds must be a number from 0 to 604800/,
    ],
    [
      "a lease that is over at once",
      '{"limits":{"leaseSeconds":0}}',
      /limits\.leaseSeconds must be a number from 0\.1/,
    ],
    ["a million processes", '{"workers":1000000}', /workers must be a whole number from 1 to 256/],
    [
      "brackets without end",
      `{"port":${deepJson(200_000)}}`,
      /port must be a whole number from 0 to 65535, not a list/,
    ],
  ])("with %s was accepted, or failed with a stack", async (_, content, message) => {
    expect(await refusal(content)).toMatch(message);
  });
});
