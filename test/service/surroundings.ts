import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LullProcess } from "../lull-process.ts";
import { type Environment, type Environments, environmentAmong, outside } from "./outside.ts";

export type { Environment } from "./outside.ts";

/** Fake providers, an empty folder, and real processes in between: like a machine of a user. */
export async function surroundings(environment: Environments = {}) {
  const folder = await mkdtemp(join(tmpdir(), "lull-"));
  const running: LullProcess[] = [];
  let url = "";
  const { leave, env: providers, ...people } = await outside(() => url);

  const env: Environment = {
    PORT: "0",
    LULL_DB: join(folder, "lull.db"),
    LULL_WINDOW_SECONDS: "1",
    ...providers,
    ...environmentAmong(people, environment),
  };

  const lull = (...args: string[]) => {
    const process = new LullProcess(args, { cwd: folder, env });
    running.push(process);
    return process;
  };

  const stop = async () => {
    for (const process of running) process.kill("SIGKILL");
    await Promise.all(running.map((process) => process.gone().catch(() => {})));
  };

  return {
    ...people,
    folder,
    env,
    lull,
    /** Starts the service and waits until it listens. */
    async start(workers = 1) {
      const process = lull("start", "--workers", String(workers));
      url = await process.url();
      return process;
    },
    stop,
    async end() {
      await stop();
      await leave();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Surroundings = Awaited<ReturnType<typeof surroundings>>;
