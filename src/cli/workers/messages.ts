import type { LogFormat, LogLevel } from "../../model/log.ts";
import type { Series } from "../../model/series.ts";
import type { SignOfLife } from "../watching/sign-of-life.ts";

/** What the parent has to know of a configuration that it never loads itself. */
export interface Supervision {
  readonly workers: number;
  readonly host: string;
  /** A real one, also where any was asked for: all workers have to agree on it. */
  readonly port: number;
  readonly graceMs: number;
  readonly hungMs: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat | undefined;
  /** Whether what is printed is for a program. */
  readonly json: boolean;
}

/** What a worker tells its parent. */
export type WorkerMessage =
  /** From the first: configuration and store are sound, and it waits for the word to serve. */
  | { readonly lull: "checked"; readonly supervision: Supervision }
  /** From the first: this configuration runs in one process, without a parent. */
  | { readonly lull: "alone" }
  /**
   * Sent before any work is taken, so that the parent can free the leases of a worker that dies on its first
   * turn.
   */
  | { readonly lull: "identity"; readonly holder: string }
  | { readonly lull: "ready"; readonly url: string }
  /** It could not start. The parent reports it once, however many workers failed alike. */
  | { readonly lull: "failed"; readonly message: string; readonly exitCode: number }
  /** Its event loop turns. With what it has counted, if there is anything new. */
  | ({ readonly lull: "pong"; readonly series?: Series } & SignOfLife)
  /** What it has counted: it was asked. */
  | { readonly lull: "counts"; readonly id: number; readonly series: Series }
  /** It asks what all workers have counted. */
  | { readonly lull: "total"; readonly id: number }
  /** What a dead worker held, freed by one that lives, or by a process that was started for nothing else. */
  | { readonly lull: "freed"; readonly holder: string; readonly leases: number }
  | { readonly lull: "not-freed"; readonly holder: string; readonly reason: string };

/** What a parent tells its workers. */
export type ParentMessage =
  | { readonly lull: "ping" }
  | { readonly lull: "serve" }
  | { readonly lull: "count"; readonly id: number }
  | { readonly lull: "totals"; readonly id: number; readonly series: Series }
  /** This holder is dead. */
  | { readonly lull: "free"; readonly holder: string };

/** By name: what the parent does not know is no worker's. */
const OF_WORKERS: Readonly<Record<WorkerMessage["lull"], true>> = {
  checked: true,
  alone: true,
  identity: true,
  ready: true,
  failed: true,
  pong: true,
  counts: true,
  total: true,
  freed: true,
  "not-freed": true,
};

export function isWorkerMessage(message: unknown): message is WorkerMessage {
  return isOurs(message) && typeof message.lull === "string" && Object.hasOwn(OF_WORKERS, message.lull);
}

export function isCount(message: unknown): message is Extract<ParentMessage, { lull: "count" }> {
  return isOurs(message) && message.lull === "count";
}

export function isTotals(message: unknown): message is Extract<ParentMessage, { lull: "totals" }> {
  return isOurs(message) && message.lull === "totals";
}

export function isPing(message: unknown): message is ParentMessage {
  return isOurs(message) && message.lull === "ping";
}

export function isServe(message: unknown): message is ParentMessage {
  return isOurs(message) && message.lull === "serve";
}

export function isFree(message: unknown): message is Extract<ParentMessage, { lull: "free" }> {
  return isOurs(message) && message.lull === "free";
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
/** When the parent started: the service is as old. */
export const SERVICE_STARTED = "LULL_SERVICE_STARTED_AT_MS";
/** Set for the first worker of all, which alone may create the store. */
export const FIRST_WORKER = "LULL_FIRST_WORKER";
/** Set for a process that only frees the leases of this holder. */
export const DEAD_HOLDER = "LULL_DEAD_HOLDER";

/**
 * A service that is started from within a worker, by a configuration or a responder, inherits what was set
 * for that worker: none of it is meant for the new one.
 */
export function forgetInherited(env: NodeJS.ProcessEnv): void {
  for (const name of [SHARED_PORT, WORKER_NUMBER, SERVICE_STARTED, FIRST_WORKER, DEAD_HOLDER])
    delete env[name];
}
