import { parentPort, workerData } from "node:worker_threads";
import { groupText } from "./group-text.ts";
import type { TimedRequest } from "./step-request.ts";
import { openStore, type StoreOptions } from "./store.ts";
import { beginGroup, NEXT, type Rest, rest, SMALL_GROUP_MAX } from "./store-pace.ts";

/** The file's own thread: a commit waits for the disk here, never on the event loop that answers webhooks. */
const { options, resting } = workerData as { readonly options: StoreOptions; readonly resting: Rest };
const store = openStore(options);
const port = parentPort!;

// JSON instead of structured clones: half the cost for the small nested objects that cross here.
port.on("message", (group: string | null) => {
  if (group === null) {
    store.close();
    port.close();
    return;
  }
  beginGroup(resting);
  const requests = JSON.parse(group) as TimedRequest[];
  port.postMessage(groupText(store.runGroup(requests)));
  if (!options.readOnly && requests.length <= SMALL_GROUP_MAX) rest(resting);
  port.postMessage(NEXT);
});
port.postMessage(NEXT);
