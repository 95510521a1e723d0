import { resolve } from "node:path";
import type { RestoreReport, StoredInBackup } from "../../ports/engine.ts";
import type { Command } from "../command.ts";
import { silent } from "../data.ts";
import { counted } from "../output/counted.ts";
import { printResult } from "../output/print.ts";
import { progress } from "../output/progress.ts";
import { abortedBySignals } from "../serving/signals.ts";
import { CommandFailed } from "../usage-error.ts";

export const restore: Command = {
  usage: "<backup> [options]",
  about:
    "Checks a backup and puts it in the place of the database. The service must be stopped. " +
    "The present file is kept beside it under a dated name. " +
    "If it is killed, the old file or the new one is in place, whole.",
  options: {
    check: { type: "boolean", help: "only check it, and tell what is in it" },
    "dry-run": { type: "boolean", help: "the same" },
    force: {
      type: "boolean",
      help: "also where the present file cannot be read; the service is stopped, you say",
    },
  },
  args: { required: ["<backup>"] },
  examples: ["lull restore backups/lull-monday.db --check", "lull restore backups/lull-monday.db"],
  run: async (call) => {
    const backup = resolve(call.io.cwd, call.args[0] as string);
    const checkOnly = call.options.check === true || call.options["dry-run"] === true;
    const loaded = await call.load("look");
    const { engine } = loaded.config(silent);
    if (engine.restore === undefined)
      throw new CommandFailed(engine.backupNote ?? `the ${engine.name} engine has no file to put in place`);
    const shown = progress(call.io);
    const signal = abortedBySignals();
    const done = await engine
      .restore(backup, {
        atMs: call.io.nowMs(),
        checkOnly,
        force: call.options.force === true,
        onProgress: (copied, total) => shown.update(`${percent(copied, total)} % copied`),
        onStep: (step) => shown.update(step === "checking" ? "checking the copy" : step),
        signal,
      })
      .catch((error) => {
        if (signal.aborted && error === signal.reason) return signal.reason as number;
        throw error;
      })
      .finally(() => shown.end());
    if (typeof done === "number") return done;
    const db = loaded.server.db;
    printResult(
      call,
      { backup, ...(!checkOnly && { file: db }), ...done.contents, ...(done.kept && { kept: done.kept }) },
      [
        ...(checkOnly ? checked(backup) : placed(db, done)),
        ...inIt(done.contents),
        ...next(done.contents, checkOnly),
      ].join("\n"),
    );
    return 0;
  },
};

function percent(done: number, total: number): number {
  return total === 0 ? 100 : Math.floor((done / total) * 100);
}

function checked(backup: string): string[] {
  return [`${backup} is whole, and can be restored.`];
}

function placed(db: string | undefined, { kept }: RestoreReport): string[] {
  return [
    `The backup is in place: ${db ?? "the database"}`,
    ...(kept === undefined ? [] : [`What was there is kept: ${kept}`]),
  ];
}

function inIt({
  conversations,
  staged,
  drafts,
  deadLetters,
  takenAtMs,
  newestAtMs,
}: StoredInBackup): string[] {
  const told = (atMs: number | undefined) => (atMs === undefined ? "unknown" : new Date(atMs).toISOString());
  return [
    `  taken at       ${told(takenAtMs)}`,
    `  newest message ${told(newestAtMs)}`,
    `  in it          ${counted(conversations, "conversation")}, ${counted(deadLetters, "dead letter")}`,
    `  waiting        ${counted(staged, "message")}, ${counted(drafts, "draft")}`,
  ];
}

/** What no file can know: what happened after it was made. */
function next({ staged, drafts, takenAtMs }: StoredInBackup, isCheck: boolean): string[] {
  if (isCheck) return [];
  const since = takenAtMs === undefined ? "<time>" : new Date(takenAtMs).toISOString();
  const again =
    staged + drafts === 0
      ? []
      : [
          "What waits in it is answered when the service starts, also where that was done",
          "since: those customers hear twice. To look first: `lull pause` before the",
          "start, then `lull locks`.",
        ];
  return [
    ...again,
    "What came in since is unknown to it. After the start, fetch it with:",
    `  lull catch-up --since ${since}`,
    "It is answered then, also where it was answered before: Lull no longer knows.",
    "People who were erased since are in it again: erase them again.",
  ];
}
