import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { FromInstance, FunctionError, Invoke } from "./messages.ts";

const BOOTSTRAP = fileURLToPath(new URL("./bootstrap.ts", import.meta.url));

export type Environment = Readonly<Record<string, string | undefined>>;
export type Invocation = { readonly event: unknown; readonly timeoutMs: number };
export type InvocationResult =
  | { readonly kind: "answer"; readonly payload: unknown }
  | { readonly kind: "error"; readonly error: FunctionError };

export interface InstanceOptions {
  /** `path/to/module.ts#handler` */
  readonly handler: string;
  readonly env: Environment;
  readonly write: (line: string) => void;
}

/** An execution environment: a process of its own, one event at a time, used again while it is warm. */
export class FunctionInstance {
  readonly #child: ChildProcess;
  readonly #ready: Promise<FunctionError | undefined>;
  readonly #gone: Promise<unknown>;
  #settle: ((result: InvocationResult) => void) | undefined;
  #event: unknown;
  #isDead = false;

  constructor({ handler, env, write }: InstanceOptions) {
    this.#child = spawn(process.execPath, [BOOTSTRAP], {
      env: { ...env, _HANDLER: handler },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // A Ctrl-C in the terminal is for the process that started us; it decides what happens to a running
      // event.
      detached: true,
    });
    this.#ready = new Promise((resolve) => {
      this.#child.on("message", (message: FromInstance) => this.#hear(message, resolve));
      this.#child.once("exit", (code, signal) => {
        const error = { errorType: "Runtime.ExitError", errorMessage: `exit status: ${signal ?? code}` };
        this.#isDead = true;
        resolve(error);
        this.#end({ kind: "error", error });
      });
    });
    this.#child.on("error", () => {});
    for (const stream of [this.#child.stdout, this.#child.stderr]) lines(stream, write);
    this.#gone = once(this.#child, "close");
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** What it works on; undefined when it waits for something to do. */
  get event(): unknown {
    return this.#event;
  }

  /** Loads the handler. Undefined when it is ready to be invoked. */
  ready(): Promise<FunctionError | undefined> {
    return this.#ready;
  }

  async invoke({ event, timeoutMs }: Invocation): Promise<InvocationResult> {
    this.#event = event;
    const broken = await this.#ready;
    if (broken) return { kind: "error", error: broken };
    const requestId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    this.#settle = resolve;
    const deadlineAtMs = systemClock.nowMs() + timeoutMs;
    const cancel = systemClock.after(timeoutMs, () => this.#timeOut(timeoutMs));
    const invoke: Invoke = { requestId, event: JSON.stringify(event), deadlineAtMs };
    // It may have died since: its exit says so.
    this.#child.send(invoke, () => {});
    const result = await promise;
    cancel();
    this.#event = undefined;
    return result;
  }

  /** At once and without a word, as Lambda does it and as a machine that fails. */
  kill(signal: NodeJS.Signals = "SIGKILL"): void {
    if (signal === "SIGKILL") this.#isDead = true;
    this.#child.kill(signal);
  }

  /** Resolves when the process is no more, and everything that it wrote was read. */
  async gone(): Promise<void> {
    await this.#gone;
  }

  #hear(message: FromInstance, ready: (error?: FunctionError) => void): void {
    if (message.kind === "ready") ready();
    if (message.kind === "init-failed") ready(message.error);
    if (message.kind === "answer") this.#end({ kind: "answer", payload: JSON.parse(message.payload) });
    if (message.kind === "failed") this.#end({ kind: "error", error: message.error });
  }

  #timeOut(timeoutMs: number): void {
    this.kill();
    const errorMessage = `Task timed out after ${(timeoutMs / 1_000).toFixed(2)} seconds`;
    this.#end({ kind: "error", error: { errorType: "Sandbox.Timedout", errorMessage } });
  }

  #end(result: InvocationResult): void {
    this.#settle?.(result);
    this.#settle = undefined;
  }
}

function lines(stream: Readable | null, write: (line: string) => void): void {
  if (stream) createInterface({ input: stream }).on("line", write);
}
