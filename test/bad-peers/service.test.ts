import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { twilio } from "../../src/channels/twilio/index.ts";
import { aws } from "../../src/engines/aws/index.ts";
import { createLull } from "../../src/index.ts";
import { echo } from "../../src/responders/echo/index.ts";
import { type BadPeer, drippingPeer, silentPeer } from "../../src/testing/bad-peer.ts";
import { signedWebhook } from "../../src/testing/fake-twilio-webhook.ts";
import { LullProcess } from "../lull-process.ts";

let peer: BadPeer;
let lull: LullProcess | undefined;
let folder: string;
beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  folder = mkdtempSync(join(tmpdir(), "lull-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  lull?.kill("SIGKILL");
  lull = undefined;
  rmSync(folder, { recursive: true });
  await peer.close();
});

function lullAt(url: string) {
  return createLull({
    engine: aws({
      endpoint: url,
      region: "eu-west-1",
      queues: { default: `${url}/000000000000/default` },
      retrying: { requestMsMax: 100, callMsMax: 250, pollMarginMsMax: 100 },
    }),
    channels: { whatsapp: twilio.whatsapp({ accountSid: "AC1", authToken: "token", from: "+15550100" }) },
    respond: echo(),
    publicUrl: "https://lull.example",
    log: () => {},
  });
}

test.each([
  ["says nothing", silentPeer],
  ["sends a byte now and then", () => drippingPeer("body", 10)],
])("a webhook is answered 503, and readiness too, while AWS %s", async (_, start) => {
  peer = await start();
  const service = lullAt(peer.url);
  const url = "https://lull.example/webhooks/whatsapp";
  const params = {
    MessageSid: `SM${"1".repeat(32)}`,
    AccountSid: "AC1",
    From: "whatsapp:+15550123",
    To: "whatsapp:+15550100",
    Body: "are you open?",
  };
  const webhook = signedWebhook({ url, authToken: "token", params });
  const answer = await service.fetch(new Request(url, { method: "POST", ...webhook }));
  expect(answer.status).toBe(503);
  const ready = await service.fetch(new Request("https://lull.example/readyz"));
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ reason: expect.stringMatching(/(table|queue) .*no answer/) });
  await service.stop(0);
  await peer.left();
});

// With the deadlines as they are: a start takes 8 s at most to find out.
test.each(["start", "doctor"])("`lull %s` names what it waited for, and ends", async (command) => {
  peer = await silentPeer();
  lull = new LullProcess([command], {
    cwd: folder,
    env: {
      LULL_ENGINE: "aws",
      PORT: "0",
      LULL_QUEUE_DEFAULT: `${peer.url}/000000000000/default`,
      AWS_ENDPOINT_URL: peer.url,
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      TWILIO_API_URL: peer.url,
      TWILIO_ACCOUNT_SID: "AC1",
      TWILIO_AUTH_TOKEN: "token",
      TWILIO_WHATSAPP_FROM: "+15550100",
      LULL_PUBLIC_URL: "https://lull.example",
    },
  });
  expect((await lull.gone()).code).toBe(1);
  expect(lull.stdout + lull.stderr).toMatch(/table conversations\S*: no answer within 8 s/);
  expect(lull.stdout).not.toContain("listening");
});
