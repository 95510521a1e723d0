import cluster, { type Worker } from "node:cluster";
import { exitCodeOf, type StopSignal } from "../serving/signals.ts";
import { CommandFailed } from "../usage-error.ts";
import {
  FIRST_WORKER,
  isWorkerMessage,
  SERVICE_STARTED,
  type Supervision,
  WORKER_NUMBER,
} from "./messages.ts";
import { workerArguments } from "./worker-arguments.ts";

/** How the first worker's start went. */
export type FirstWord =
  /** It is to be told to serve. */
  | { readonly worker: Worker; readonly supervision: Supervision }
  | "alone"
  /** It has said why, or what it was asked for, such as the help. Or a signal came before it was done. */
  | { readonly exitCode: number };

/**
 * Starts the first worker and waits for its word. It loads the configuration, creates, migrates and checks
 * the store, for itself and for all others: so the parent needs neither, and never holds what they weigh.
 */
export function startFirstWorker(stopping: Promise<StopSignal>, startedAtMs: number): Promise<FirstWord> {
  // Workers accept from the socket themselves: connections that wait in it survive the death of any one of
  // them. Only what is set before the first start counts.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ execArgv: workerArguments(process.execArgv, process.env.NODE_OPTIONS) });
  const env = { [FIRST_WORKER]: "1", [WORKER_NUMBER]: 1, [SERVICE_STARTED]: startedAtMs };
  const worker = cluster.fork(env);
  return new Promise((resolve, reject) => {
    let isAlone = false;
    let stoppedBy: StopSignal | undefined;
    const onMessage = (message: unknown) => {
      if (!isWorkerMessage(message)) return;
      if (message.lull === "checked") settle(() => resolve({ worker, supervision: message.supervision }));
      // Once it is gone: what its configuration opened must not be opened twice.
      if (message.lull === "alone") isAlone = true;
    };
    const onExit = (code: number | null, signal: string | null) => {
      if (stoppedBy !== undefined) settle(() => resolve({ exitCode: exitCodeOf(stoppedBy as StopSignal) }));
      else if (isAlone) settle(() => resolve("alone"));
      else if (code === null)
        settle(() => reject(new CommandFailed(`the first worker was ended by ${signal}`)));
      else settle(() => resolve({ exitCode: code }));
    };
    let isPending = true;
    const settle = (say: () => void) => {
      isPending = false;
      worker.off("message", onMessage);
      worker.off("exit", onExit);
      say();
    };
    worker.on("message", onMessage);
    worker.on("exit", onExit);
    // It serves no caller yet, and may be in a call that hears no signal.
    void stopping.then((signal) => {
      stoppedBy = signal;
      if (isPending) worker.process.kill("SIGKILL");
    });
  });
}
