import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../runtime/system-clock.ts";
import type { GuardData } from "./guard.ts";
import type { SignOfLife } from "./sign-of-life.ts";
import { endProcess, threadLog } from "./thread-log.ts";
import { watch } from "./watch.ts";

const BLOCKED =
  "the event loop stood still: something, most likely the responder, computes without awaiting. " +
  "Ended; raise hungSeconds if it should";

const data = workerData as GuardData;
const log = threadLog(data.log);
const port = parentPort!;
const watching = watch({
  hungMs: data.hungMs,
  clock: systemClock,
  ask: () => port.postMessage("ping"),
  onHung: (silentMs) => {
    log("error", "loop.blocked", { silentMs, message: BLOCKED });
    endProcess();
  },
});
port.on("message", (answer: SignOfLife) => watching.heard(answer));
