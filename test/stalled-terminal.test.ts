import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { freePort } from "./free-port.ts";
import { eventually } from "./lull-process.ts";

const MAIN = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
const hasPython = spawnSync("python3", ["-c", "import pty"]).status === 0;

/** Runs a program on a terminal that is never read. A line on stdin ends it; its exit code is printed. */
const ON_A_TERMINAL = `
import os, pty, signal, subprocess, sys
master, slave = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
try:
    sys.stdin.readline()
    child.send_signal(signal.SIGTERM)
    print(child.wait(30))
finally:
    child.kill()
`;

// Node cannot make a terminal by itself.
it.skipIf(!hasPython)("a terminal that stands still holds up neither webhooks nor the end", async () => {
  const [cwd, port] = [await mkdtemp(join(tmpdir(), "lull-terminal-")), await freePort()];
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    PORT: String(port),
    LULL_WEB: "1",
    LULL_WINDOW_SECONDS: "0",
    LULL_LOG_LEVEL: "debug",
  };
  const command = ["-c", ON_A_TERMINAL, process.execPath, MAIN, "start", "--workers", "2"];
  const terminal = spawn("python3", command, { cwd, env });
  const printed = text(terminal.stdout);
  try {
    const write = async (n: number) => {
      const body = JSON.stringify({ id: "1", sender: `visitor-${n}`, text: "hi" });
      const headers = { "content-type": "application/json" };
      const url = `http://127.0.0.1:${port}/webhooks/web`;
      return (await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(20_000) }))
        .status;
    };
    await eventually("the service", async () => ((await write(0)) === 200 ? true : undefined));
    // Many times what a terminal takes before it stands still, 4 KB.
    for (let n = 1; n <= 300; n += 1) expect(await write(n)).toBe(200);
    terminal.stdin.end("\n");
    await once(terminal, "close");
    expect((await printed).trim()).toBe("0");
  } finally {
    terminal.stdin.end();
    if (terminal.exitCode === null) await once(terminal, "close");
    await rm(cwd, { recursive: true, force: true });
  }
});
