import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { LullProcess } from "./lull-process.ts";

type Options = Omit<ConstructorParameters<typeof LullProcess>[1], "cwd">;

/** An empty folder for each case of a file, and the processes that it starts there: both go with it. */
export function processFolder() {
  let path = "";
  const running: LullProcess[] = [];
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), "lull-"));
  });
  afterEach(async () => {
    for (const process of running) process.kill("SIGKILL");
    await Promise.all(running.splice(0).map((process) => process.gone()));
    await rm(path, { recursive: true, force: true });
  });
  return {
    get path(): string {
      return path;
    },
    start(args: readonly string[], options: Options): LullProcess {
      const process = new LullProcess(args, { cwd: path, ...options });
      running.push(process);
      return process;
    },
  };
}
