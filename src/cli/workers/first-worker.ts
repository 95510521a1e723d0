import cluster, { type Worker } from "node:cluster";
import { CommandFailed } from "../usage-error.ts";
import { FIRST_WORKER, isWorkerMessage, type Supervision, WORKER_NUMBER } from "./messages.ts";

/** How the first worker's start went. */
export type FirstWord =
  /** It is to be told to serve. */
  | { readonly worker: Worker; readonly supervision: Supervision }
  | "alone"
  /** It has said why, or what it was asked for, such as the help. */
  | { readonly exitCode: number };

/**
 * Starts the first worker and waits for its word. It loads the configuration, creates, migrates and checks
 * the store, for itself and for all others: so the parent needs neither, and never holds what they weigh.
 */
export function startFirstWorker(): Promise<FirstWord> {
  // Workers accept from the socket themselves: connections that wait in it survive the death of any one of
  // them. Only what is set before the first start counts.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const worker = cluster.fork({ [FIRST_WORKER]: "1", [WORKER_NUMBER]: 1 });
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      if (!isWorkerMessage(message)) return;
      if (message.lull === "checked") settle(() => resolve({ worker, supervision: message.supervision }));
      if (message.lull === "alone") settle(() => resolve("alone"));
    };
    const onExit = (code: number | null, signal: string | null) => {
      if (code === null) settle(() => reject(new CommandFailed(`the first worker was ended by ${signal}`)));
      else settle(() => resolve({ exitCode: code }));
    };
    const settle = (say: () => void) => {
      worker.off("message", onMessage);
      worker.off("exit", onExit);
      say();
    };
    worker.on("message", onMessage);
    worker.on("exit", onExit);
  });
}
