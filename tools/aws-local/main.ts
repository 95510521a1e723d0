import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { processIo } from "../../src/cli/io.ts";
import { reportError } from "../../src/cli/report-error.ts";
import { firstSignal } from "../../src/cli/serving/signals.ts";
import { ConfigError } from "../../src/errors.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { startEmulators, unavailable } from "./emulators.ts";
import { startLocalAws } from "./local-aws.ts";
import { localSettings, wantsPhone } from "./settings.ts";

const io = processIo(systemClock.nowMs);

/**
 * The whole AWS path on this machine, until it is told to stop. Children notice when this process is gone,
 * however it goes.
 */
async function run(): Promise<number> {
  if (unavailable) throw new ConfigError(unavailable);
  const signal = firstSignal();
  const { folder } = localSettings(io.env);
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  const emulators = await startEmulators({ ...(folder !== undefined && { folder: resolve(folder) }) });
  const { cwd } = io;
  const phone = await wantsPhone(io.env, cwd);
  const env = phone ? { ...io.env, LULL_WEB: "1" } : io.env;
  if (phone)
    io.err("No channel is configured: open the URL below, write a few lines in a row, wait for the lull.");
  const running = await startLocalAws({ emulators, env, cwd, write: (line) => io.err(`${line}\n`) });
  io.err(`${JSON.stringify({ event: "local.ready", env: running.env })}\n`);
  io.out(`lull listening on ${running.url}`);
  await signal;
  await running.stop(running.stopGraceMs);
  await emulators.stop();
  return 0;
}

const code = await run().catch((error) => reportError(error, false, io));
process.stdout.write("", () => process.exit(code));
