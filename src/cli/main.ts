import cluster from "node:cluster";
import { systemClock } from "../runtime/system-clock.ts";
import { takeEnvironmentFile } from "./environment-file.ts";
import { type Io, processIo, unblockTerminal } from "./io.ts";
import { isVerbose, reportError } from "./report-error.ts";
import { guardParent } from "./watching/parent-guard.ts";
import { forgetInherited } from "./workers/messages.ts";
import { runParent } from "./workers/parent.ts";

const argv = process.argv.slice(2);
/** How long what a service has printed may take to be read, once it is over. */
const UNREAD_MS = 1_000;
const serves = argv[0] === "start" || argv[0] === "dev";

// `lull config | head` closes our stdout early: that is no error. A service has more to do than to print.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (!serves) process.exit(error.code === "EPIPE" ? 0 : 1);
});

// The reader of the log may go away. That is no reason to stop answering.
process.stderr.on("error", () => {});

if (serves) unblockTerminal();

// Workers are given what their parent has taken: it is said once.
const notes = cluster.isPrimary ? environmentNotes() : [];
const io = processIo(systemClock.nowMs);
for (const note of notes) io.err(`lull: ${note}\n`);
const code = await main(io);
// What is still on its way into a pipe gets through; a timer that a configuration module left behind does not
// keep us running.
process.stdout.write("", () => process.exit(code));
// A service whose reader stands still ends all the same.
if (serves) systemClock.after(UNREAD_MS, () => process.exit(code));

function environmentNotes(): string[] {
  forgetInherited(process.env);
  return takeEnvironmentFile(process.cwd(), process.env);
}

async function main(io: Io): Promise<number> {
  const end = cluster.isPrimary && argv[0] === "start" ? await asParent(io) : "alone";
  if (end !== "alone") return end;
  if (cluster.isWorker) await guardParent(io);
  // Loaded here and not before: the parent of workers stays small.
  const { run } = await import("./run.ts");
  return run(argv, io);
}

async function asParent(io: Io): Promise<number | "alone"> {
  try {
    return await runParent(io);
  } catch (error) {
    return reportError(error, isVerbose(argv, io), io);
  }
}
