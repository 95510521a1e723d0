import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, truncateSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { freePort } from "./free-port.ts";
import { eventually } from "./lull-process.ts";

const MAIN = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
/** More than the database of this test, whose files have the same limit. */
const FILE_KB_MAX = 16_384;

/** What a file may hold that is just short of full, before it is. */
const FULL_FROM = FILE_KB_MAX * 1_024 - 50;
const canRaise = spawnSync("prlimit", ["--version"]).status === 0;

// A limit of the process stands in for a full disk, and is raised: the file takes half a line, then no more.
it.skipIf(!canRaise)(
  "lines that the log's file did not take are told once it takes lines again",
  async () => {
    const [cwd, port] = [await mkdtemp(join(tmpdir(), "lull-full-log-")), await freePort()];
    const log = join(cwd, "service.log");
    const fd = openSync(log, "a");
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, PORT: String(port), LULL_WEB: "1", LULL_LOG_LEVEL: "debug" };
    const limited = `ulimit -S -f ${FILE_KB_MAX} && exec "$@"`;
    const command = ["-c", limited, "bash", process.execPath, MAIN, "dev"];
    const service = spawn("bash", command, { cwd, env, stdio: ["ignore", "ignore", fd] });
    closeSync(fd);
    const write = async (n: number) => {
      const body = JSON.stringify({ id: "1", sender: `visitor-${n}`, text: "hi" });
      const headers = { "content-type": "application/json" };
      return (await fetch(`http://127.0.0.1:${port}/webhooks/web`, { method: "POST", headers, body })).status;
    };
    const lines = () => readFileSync(log).subarray(FULL_FROM).toString().split("\n");
    try {
      await eventually("the service", async () => ((await write(0)) === 200 ? true : undefined));
      truncateSync(log, FULL_FROM);
      for (let n = 1; n <= 20; n += 1) expect(await write(n)).toBe(200);
      expect(lines()).toEqual([expect.stringMatching(/^\{.{49}$/)]);
      execFileSync("prlimit", ["--pid", String(service.pid), "--fsize=unlimited"]);
      const [torn, first] = await eventually("lines again", async () => {
        expect(await write(100)).toBe(200);
        return lines().length > 2 ? lines() : undefined;
      });
      expect(torn).toHaveLength(50);
      const { event, lines: lost } = JSON.parse(first ?? "");
      expect(event).toBe("log.lines-lost");
      expect(lost).toBeGreaterThanOrEqual(20);
    } finally {
      service.kill("SIGTERM");
      if (service.exitCode === null) await once(service, "close");
      await rm(cwd, { recursive: true, force: true });
    }
    expect(service.exitCode).toBe(0);
  },
  60_000,
);
