import { sqlite } from "../../src/engines/sqlite/index.ts";

/** A restore in a process of its own, which kills itself before the step of that number. */
const [file = "", backup = "", killedAt = "0", force = ""] = process.argv.slice(2);
let steps = 0;
await sqlite({ file }).restore?.(backup, {
  atMs: 1_700_000_000_000 + Number(killedAt),
  force: force === "force",
  onProgress: () => {},
  onStep() {
    steps += 1;
    if (steps === Number(killedAt)) process.kill(process.pid, "SIGKILL");
  },
});
