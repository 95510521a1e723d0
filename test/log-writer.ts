import { processIo } from "../src/cli/io.ts";
import { createLog } from "../src/cli/logger.ts";
import { systemClock } from "../src/runtime/system-clock.ts";

// A process that logs so many lines, as a worker of the service does, and then ends or waits to be told to.
const [name, count, ending] = process.argv.slice(2);
const io = processIo(systemClock.nowMs);
const log = createLog({ level: "info", format: "json", inColour: false, nowMs: io.nowMs, write: io.logLine });

for (let line = 0; line < Number(count); line += 1) {
  log("info", "test.line", { name, line, rest: "x".repeat(100 + (line % 150)) });
  // Turn by turn, so that there are many writes; at once, so that all of it is left to the end.
  if (ending === "told" && line % 100 === 0) await new Promise(setImmediate);
}
if (ending === "at-once") process.exit(0);
io.out("logged");
process.stdin.resume().on("end", () => process.exit(0));
