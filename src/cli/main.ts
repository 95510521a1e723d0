import { systemClock } from "../runtime/system-clock.ts";
import { processIo } from "./io.ts";
import { run } from "./run.ts";

// `lull config | head` closes our stdout early: that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

// The reader of the log may go away. That is no reason to stop answering.
process.stderr.on("error", () => {});

const code = await run(process.argv.slice(2), processIo(systemClock.nowMs));
// What is still on its way into a pipe gets through; a timer that a configuration module left behind does not
// keep us running.
process.stdout.write("", () => process.exit(code));
