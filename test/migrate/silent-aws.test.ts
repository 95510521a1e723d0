import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { silentPeer } from "../../src/testing/bad-peer.ts";
import { LullProcess } from "../lull-process.ts";

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

it("lull migrate seed-aws ends with one line where AWS accepts and never answers", async () => {
  const peer = await silentPeer();
  const cwd = await mkdtemp(join(tmpdir(), "lull-silent-"));
  ended.push(
    () => peer.close(),
    () => rm(cwd, { recursive: true, force: true }),
  );
  const env = {
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "key",
    AWS_ENDPOINT_URL: peer.url,
    LULL_ENGINE: "aws",
    LULL_QUEUE_DEFAULT: `${peer.url}/queue`,
    TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`,
    TWILIO_AUTH_TOKEN: "a-token-of-some-length",
    TWILIO_WHATSAPP_FROM: "+15550100",
  };
  const process = new LullProcess(["migrate", "seed-aws"], { cwd, env });
  expect((await process.gone()).code).toBe(1);
  expect(process.stderr.trim().split("\n")).toEqual([expect.stringMatching(/^lull: table \S+: /)]);
});
