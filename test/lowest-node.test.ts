import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { eventually, LullProcess } from "./lull-process.ts";

const NODE = fileURLToPath(
  new URL("../node_modules/.cache/lowest/node_modules/node/bin/node", import.meta.url),
);

/**
 * Everything else runs on the Node that the repository brings. `npm run test:lowest` fetches the one that
 * users may have.
 */
describe.skipIf(!process.env.LULL_TEST_LOWEST)("on the lowest Node that is promised", () => {
  let cwd = "";
  const running: LullProcess[] = [];
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "lull-lowest-"));
  });
  afterEach(async () => {
    for (const each of running) each.kill("SIGKILL");
    await Promise.all(running.splice(0).map((each) => each.gone()));
    await rm(cwd, { recursive: true, force: true });
  });

  function lull(...args: string[]): LullProcess {
    const env = { PORT: "0", LULL_WEB: "1", LULL_WINDOW_SECONDS: "0.5", LULL_LOG_LEVEL: "warn" };
    const started = new LullProcess(args, { cwd, env, node: NODE });
    running.push(started);
    return started;
  }

  async function ask(...args: string[]) {
    const asked = lull(...args, "--json");
    expect(await asked.gone()).toEqual({ code: 0, signal: null });
    return JSON.parse(asked.stdout);
  }

  it("a burst is answered, looked at, backed up, paused, and erased, and no sweep fails", async () => {
    const version = execFileSync(NODE, ["--version"], { encoding: "utf8" }).trim();
    expect(`>=${version.slice(1).split(".", 2).join(".")}`).toBe(manifest.engines.node);
    const service = lull("start");
    const url = await service.url();
    for (const id of ["one", "two"]) {
      const body = JSON.stringify({ id, sender: "visitor-0001", text: id });
      const headers = { "content-type": "application/json" };
      expect((await fetch(`${url}/webhooks/web`, { method: "POST", headers, body })).status).toBe(200);
    }
    await eventually("the answer", async () => {
      const text = await (await fetch(`${url}/webhooks/web/feed?sender=visitor-0001`)).text();
      return text.includes("2 messages, one answer") ? true : undefined;
    });
    const [{ id }] = (await ask("conversations", "list")).items;
    expect((await ask("conversations", "show", id)).turns).toHaveLength(1);
    for (const listing of ["locks", "dead", "unknown", "quarantine"]) await ask(listing);
    await ask("pause");
    await ask("resume");
    await ask("backup", "copy.db");
    await ask("doctor", "--offline");
    await ask("conversations", "erase", id, "--yes");
    expect((await ask("conversations", "list")).items).toEqual([]);
    service.kill("SIGTERM");
    expect((await service.gone()).code).toBe(0);
    expect(service.events.filter(({ level }) => level === "error")).toEqual([]);
  });
});
