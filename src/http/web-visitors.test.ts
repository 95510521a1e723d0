import { createHmac } from "node:crypto";
import { afterEach, expect, it } from "vitest";
import { type WebOptions, web } from "../channels/web/index.ts";
import { WEB_TEXT_LENGTH_MAX } from "../core/defaults.ts";
import { memory } from "../engines/memory/index.ts";
import type { LimitsConfig } from "../runtime/config.ts";
import { createService } from "../runtime/create-service.ts";
import type { Service } from "../runtime/service.ts";
import { fakeClock } from "../testing/fake-clock.ts";

const SECRET = "a secret of this test";
const clock = fakeClock();
let service: Service;
let count = 0;

afterEach(() => service.stop());

function serve(limits: LimitsConfig = {}, options: WebOptions = {}): void {
  const channels = { web: web(options) };
  service = createService({
    engine: memory(),
    channels,
    respond: () => "hello",
    clock,
    limits,
    log: () => {},
  });
}

async function write(sender: string, text = "hi") {
  count += 1;
  const body = Buffer.from(JSON.stringify({ id: `m${count}`, sender, text }));
  const headers = {
    "content-type": "application/json",
    "x-lull-signature": createHmac("sha256", SECRET).update(sender).digest("hex"),
  };
  const answer = await service.receive("web", { method: "POST", url: "http://x/", headers, body });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

async function statuses(sender: string, messages: number): Promise<number[]> {
  const seen = new Set<number>();
  for (let n = 0; n < messages; n += 1) seen.add((await write(sender)).status);
  return [...seen];
}

it.each([{}, { secret: SECRET }])(
  "a visitor may write 120 messages a minute, and no other visitor pays for more: %j",
  async (options) => {
    serve({}, options);
    expect(await statuses("visitor-1", 120)).toEqual([200]);
    expect(await write("visitor-1")).toMatchObject({ status: 429, body: { code: "RATE_LIMITED" } });
    expect((await write("visitor-2")).status).toBe(200);
    await clock.advance(1_000);
    expect(await statuses("visitor-1", 3)).toEqual([200, 429]);
  },
);

it("a limit for all is the limit, also for visitors; 0 is none", async () => {
  serve({ senderPerMinuteMax: 130 });
  expect(await statuses("visitor-1", 130)).toEqual([200]);
  expect((await write("visitor-1")).status).toBe(429);
  await service.stop();
  serve({ visitorPerMinuteMax: 0 });
  expect(await statuses("visitor-1", 130)).toEqual([200]);
});

it("a text of 8,000 characters is taken, and a longer one refused in words", async () => {
  serve();
  const longest = "x".repeat(WEB_TEXT_LENGTH_MAX);
  expect((await write("visitor-1", longest)).status).toBe(200);
  expect(await write("visitor-1", `${longest}yz`)).toMatchObject({
    status: 413,
    body: { code: "MESSAGE_TOO_LARGE", detail: "the text is 2 characters too long" },
  });
  const { inspector } = await service.engine();
  expect((await inspector.refusals({ limit: 10 })).items).toMatchObject([{ code: "MESSAGE_TOO_LARGE" }]);
});

it("how long a text may be is said with the channel", async () => {
  serve({}, { textLengthMax: 5 });
  expect((await write("visitor-1", "12345")).status).toBe(200);
  expect((await write("visitor-1", "123456")).status).toBe(413);
});
