import { once } from "node:events";
import { type ResourceLimits, Worker } from "node:worker_threads";

/** A thread that does not keep the process running. Resolves when it runs. */
export async function startThread(
  module: URL,
  workerData: unknown,
  resourceLimits: ResourceLimits = {},
): Promise<Worker> {
  // Loaders and hooks of the user's own code are not needed in there.
  const thread = new Worker(module, { workerData, resourceLimits, execArgv: [] });
  thread.unref();
  await once(thread, "online");
  return thread;
}
