import { access, mkdir, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Command } from "../command.ts";
import { requireDatabase, silent } from "../data.ts";
import { printResult } from "../output/print.ts";
import { progress } from "../output/progress.ts";
import { CommandFailed } from "../usage-error.ts";

export const backup: Command = {
  usage: "<file> [options]",
  about: "Copies a consistent snapshot of the database to a file while the service runs.",
  options: { force: { type: "boolean", help: "overwrite the file if it is there" } },
  args: { required: ["<file>"] },
  examples: ["lull backup backups/lull-monday.db"],
  run: async (call) => {
    const file = resolve(call.io.cwd, call.args[0] as string);
    if (call.options.force !== true && (await isThere(file))) {
      throw new CommandFailed(`${file} is there already; choose another name or give --force`);
    }
    const loaded = await call.load("look");
    const { engine } = loaded.config(silent);
    if (engine.backup === undefined)
      throw new CommandFailed(engine.backupNote ?? `the ${engine.name} engine has no backup of its own`);
    await requireDatabase(loaded.server.db);
    const shown = progress(call.io);
    // Under its own name only when it is whole: half a backup is worse than none.
    const part = `${file}.part`;
    await mkdir(dirname(file), { recursive: true });
    await rm(part, { force: true });
    await engine.backup(part, (done, total) => shown.update(`${percent(done, total)} % copied`));
    await rename(part, file);
    shown.end();
    printResult(call, { file }, `The database was copied to ${file}`);
    return 0;
  },
};

function percent(done: number, total: number): number {
  return total === 0 ? 100 : Math.floor((done / total) * 100);
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
