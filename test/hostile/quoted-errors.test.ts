import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LullProcess } from "../lull-process.ts";

const TEXT = "my card is 4000 1234 5678 9010";
/** Fails with what it was asked, as people write it. */
const RESPONDER = `export default {
  channels: { web: { web: true } },
  respond: (turn) => { throw new TypeError("cannot make sense of: " + turn.text + " from " + turn.conversation.sender); },
};`;

let folder = "";
const running: LullProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-quoted-"));
  await writeFile(join(folder, "lull.config.mjs"), RESPONDER);
});

afterEach(async () => {
  for (const process of running) process.kill("SIGKILL");
  await Promise.all(running.splice(0).map((process) => process.gone()));
  await rm(folder, { recursive: true, force: true });
});

function lull(...args: string[]): LullProcess {
  const env = {
    PORT: "0",
    LULL_WEB_UNSIGNED: "1",
    LULL_WINDOW_SECONDS: "0.1",
    LULL_ATTEMPTS_MAX: "1",
    LULL_LOG_LEVEL: "debug",
  };
  const process = new LullProcess(args, { cwd: folder, env });
  running.push(process);
  return process;
}

it("what a responder throws about a customer is read by whoever opens the dead letter, and by nobody in the log", async () => {
  const service = lull("start");
  const body = JSON.stringify({ id: "m1", sender: "visitor-0001", text: TEXT });
  const headers = { "content-type": "application/json" };
  const url = await service.url();
  expect((await fetch(`${url}/webhooks/web`, { method: "POST", body, headers })).status).toBe(200);
  const { reason } = await service.event("a dead letter", ({ event }) => event === "turn.dead");
  expect(reason).toMatch(/^TypeError at lull\.config\.mjs:\d+:\d+: /);
  const dead = lull("dead", "list", "--json");
  expect((await dead.gone()).code).toBe(0);
  expect(dead.stdout).toContain(`cannot make sense of: ${TEXT} from visitor-0001`);
  for (const word of ["card", "5678 9010", "visitor-0001"]) expect(service.stderr).not.toContain(word);
});
