import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "./free-port.ts";
import { eventually, LullProcess } from "./lull-process.ts";

let cwd = "";
let port = 0;
let lull: LullProcess;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "lull-unread-"));
  port = await freePort();
});

afterEach(async () => {
  lull.kill("SIGKILL");
  await lull.gone();
  await rm(cwd, { recursive: true, force: true });
});

/** As under a shell whose next command has ended: its output has no reader. */
function unread(args: readonly string[]): LullProcess {
  lull = new LullProcess(args, { cwd, env: { PORT: String(port), LULL_WINDOW_SECONDS: "0" } });
  lull.child.stdout?.destroy();
  return lull;
}

const PRINTS = `
  export default {
    channels: { web: { web: true } },
    respond: (turn) => {
      console.log(turn.text);
      return "attempt " + turn.attempt;
    },
  };
`;

async function answered(sender: string): Promise<string> {
  const url = `http://127.0.0.1:${port}/webhooks/web`;
  const body = JSON.stringify({ id: sender, sender, text: "hi" });
  const headers = { "content-type": "application/json" };
  await eventually("an acknowledgement", async () => {
    const { status } = await fetch(url, { method: "POST", headers, body });
    return status === 200 ? true : undefined;
  });
  return eventually("an answer", async () => {
    const feed = await (await fetch(`${url}/feed?sender=${sender}`)).json();
    const { messages } = feed as { messages: { role: string; text: string }[] };
    return messages.find(({ role }) => role === "assistant")?.text;
  });
}

describe("without a reader of what it prints,", () => {
  test.each(["start", "dev"])("lull %s serves, also where a responder prints", async (command) => {
    await writeFile(join(cwd, "lull.config.mjs"), PRINTS);
    const service = unread([command]);
    expect(await answered("visitor-one")).toBe("attempt 1");
    expect(await answered("visitor-two")).toBe("attempt 1");
    service.kill("SIGTERM");
    expect(await service.gone()).toEqual({ code: 0, signal: null });
    expect(service.events.map(({ event }) => event)).toContain("service.stopped");
    expect(service.events.map(({ event }) => event)).not.toContain("worker.died");
  });

  test("a command that prints a result ends quietly", async () => {
    const config = unread(["config"]);
    expect(await config.gone()).toEqual({ code: 0, signal: null });
    expect(config.stderr).toBe("");
  });
});
