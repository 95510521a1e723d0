import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import { createLull, type Lull } from "../../src/index.ts";
import { testChannel } from "../../src/testing/test-channel.ts";
import { typed } from "../typed-command.ts";

const logged: unknown[] = [];
let cwd = "";
let lull: Lull;

beforeEach(async () => {
  logged.length = 0;
  cwd = await mkdtemp(join(tmpdir(), "lull-export-"));
  lull = createLull({
    engine: sqlite({ file: join(cwd, "lull.db") }),
    channels: { page: { ...testChannel(), type: "web" }, chat: { ...testChannel(), type: "whatsapp" } },
    window: { seconds: 0 },
    respond: () => ({ text: "ok" }),
    log: (_level, event, fields) => void logged.push([event, fields]),
  });
  await lull.start();
});

afterEach(async () => {
  await lull.stop();
  await rm(cwd, { recursive: true });
});

async function write(channel: string, sender: string): Promise<void> {
  const message = { account: "a", address: channel, media: [], sender, replyTo: sender, text: "hello" };
  const body = Buffer.from(JSON.stringify([{ ...message, providerId: `${channel} ${sender}` }]));
  await lull.receive(channel, { method: "POST", url: "http://x/", headers: {}, body });
}

function exported(customer: string, ...more: string[]) {
  return typed(["export", "--customer", customer, "--db", join(cwd, "lull.db"), ...more], { cwd });
}

it("says which places are in it where they are of several types of channels", async () => {
  for (const channel of ["page", "chat"]) await write(channel, "SV.ana-0001");
  const { err } = await exported("SV.ana-0001");
  expect(err).toMatch(/at page \(web\)\n[\s\S]*--channel/);
  expect(err).toContain("at chat (whatsapp)\n");
});

it("of a number it has what came over a telephone's channels, and no visitor who took it", async () => {
  await write("chat", "+15550100");
  await write("page", "15550100");
  const { out, err } = await exported("15550100");
  expect(out).toContain("whatsapp");
  expect(out).not.toContain('"page"');
  expect(err).not.toContain("several types");
});

it("the log says how many bore a load test's name, and are gone", async () => {
  for (const name of ["lull-load-test-deadbeef-1", "lull-load-test-deadbeef-x"]) await write("page", name);
  expect(await lull.eraseSynthetic()).toEqual({ erased: 1, hasMore: false });
  expect(logged).toContainEqual(["synthetic.erased", { customers: 1 }]);
  expect(await lull.eraseSynthetic()).toEqual({ erased: 0, hasMore: false });
  expect(logged.flat().filter((each) => each === "synthetic.erased")).toHaveLength(1);
});

it("says so where nothing is kept", async () => {
  await write("chat", "+15550100");
  const { code, out, err } = await exported("nobody");
  expect([code, JSON.parse(out).items]).toEqual([0, []]);
  expect(err).toContain("Nothing is kept of nobody.\n");
});

it.each([
  "[0,0,{}]",
  "[0,0,1]",
  "[-1,99]",
  "[0,99]",
  "[0,-1]",
  "[null]",
  "[]",
  "{}",
  "null",
  "x",
  '[0,0,"",0]',
])("a cursor that no page gave is refused: %s", async (cursor) => {
  await write("chat", "+15550100");
  const asked = lull.personPage({ customer: "+15550100" }, { limit: 10, cursor });
  await expect(asked).rejects.toMatchObject({ code: "INVALID_REQUEST" });
});
