import { parentPort, workerData } from "node:worker_threads";
import { groupText } from "./group-text.ts";
import type { TimedRequest } from "./step-request.ts";
import { openStore, type StoreOptions } from "./store.ts";

/** The file's own thread: a commit waits for the disk here, never on the event loop that answers webhooks. */
const store = openStore(workerData as StoreOptions);
const port = parentPort!;

// JSON instead of structured clones: half the cost for the small nested objects that cross here.
port.on("message", (group: string | null) => {
  if (group === null) {
    store.close();
    port.close();
    return;
  }
  port.postMessage(groupText(store.runGroup(JSON.parse(group) as TimedRequest[])));
});
port.postMessage("open");
