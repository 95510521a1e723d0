import { access } from "node:fs/promises";
import { resolve } from "node:path";
import type { BackupReport } from "../../ports/engine.ts";
import type { Command } from "../command.ts";
import { requireDatabase, silent } from "../data.ts";
import { counted } from "../output/counted.ts";
import { printResult } from "../output/print.ts";
import { progress } from "../output/progress.ts";
import { abortedBySignals } from "../serving/signals.ts";
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
    const atMs = call.io.nowMs();
    const signal = abortedBySignals();
    const held = await engine
      .backup(file, {
        atMs,
        onProgress: (done, total) => shown.step(done, total, "page"),
        signal,
      })
      .catch((error) => stoppedOr(error, signal))
      .finally(() => shown.end());
    if (typeof held === "number") return held;
    const takenAt = new Date(atMs).toISOString();
    printResult(
      call,
      { file, takenAt, ...held },
      `The database was copied to ${file}${inWords(held)}\n${after(takenAt)}`,
    );
    return 0;
  },
};

/**
 * The exit code of a stopped backup. The half copy is removed by then: what people wrote must not lie where
 * no operator looks.
 */
function stoppedOr(error: unknown, { aborted, reason }: AbortSignal): number {
  if (aborted && error === reason) return reason as number;
  throw error;
}

/** An operator who restores it should know beforehand. */
function inWords({ staged, drafts }: BackupReport): string {
  if (staged === 0 && drafts === 0) return "";
  const held = `${counted(staged, "staged message")} and ${counted(drafts, "draft")}`;
  const answered = "A service that starts on it answers them, even those that are answered by then.";
  return `\nIt holds ${held}. ${answered}`;
}

function after(takenAt: string): string {
  return [
    `Once restored, what came in since then is fetched with: lull catch-up --since ${takenAt}`,
    "It leaves to you what known customers of WhatsApp wrote, unless you add --by-number, which takes a " +
      "number's only owner for the writer: sound for hours, in which hardly a number changes hands, " +
      "and not for weeks.",
    "People who are erased from now on are in it all the same: after restoring it, erase them again.",
  ].join("\n");
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
