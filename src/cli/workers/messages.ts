import type { SignOfLife } from "../watching/sign-of-life.ts";

/** What a worker tells its parent. */
export type WorkerMessage =
  /**
   * Sent before any work is taken, so that the parent can free the leases of a worker that dies on its first
   * turn.
   */
  | { readonly lull: "identity"; readonly holder: string }
  | { readonly lull: "ready"; readonly url: string }
  /** It could not start. The parent reports it once, however many workers failed alike. */
  | { readonly lull: "failed"; readonly message: string; readonly exitCode: number }
  /** Its event loop turns. */
  | ({ readonly lull: "pong" } & SignOfLife);

/** What a parent asks its workers. */
export type ParentMessage = { readonly lull: "ping" };

export function isWorkerMessage(message: unknown): message is WorkerMessage {
  return isOurs(message) && !isPing(message);
}

export function isPing(message: unknown): message is ParentMessage {
  return isOurs(message) && message.lull === "ping";
}

function isOurs(message: unknown): message is { readonly lull: unknown } {
  return typeof message === "object" && message !== null && "lull" in message;
}

/** Resolves when the message is with the operating system: it arrives even if we die right after. */
export function tellParent(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });
}

/** Set by the parent: the port that all workers share, and a name for the logs. */
export const SHARED_PORT = "LULL_SHARED_PORT";
export const WORKER_NUMBER = "LULL_WORKER_NUMBER";
