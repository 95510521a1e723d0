import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ended, started } from "./left-behind.ts";
import { treeOf } from "./process-tree.ts";

export interface ChildOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A load of many messages is signed before it starts, and the machine may be busy. */
const PRINTED_WITHIN_MS = 120_000;

/** A process of the bench. What it prints is waited for; its log goes to a file, which costs it least. */
export class Child {
  readonly #process: ChildProcess;
  readonly #gone: Promise<unknown>;
  readonly #logFile: string;
  #printed = "";

  constructor(command: string, args: readonly string[], { folder, env = {} }: ChildOptions) {
    this.#logFile = join(folder, `${process.hrtime.bigint()}.log`);
    const log = openSync(this.#logFile, "a");
    const { PATH = "", HOME = "" } = process.env;
    this.#process = spawn(command, args, {
      cwd: folder,
      env: { PATH, HOME, ...env },
      stdio: ["ignore", "pipe", log],
    });
    closeSync(log);
    started(this);
    this.#gone = once(this.#process, "close").finally(() => ended(this));
    // A command that is not there: the wait for what it prints says so.
    this.#gone.catch(() => {});
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#printed += text;
      this.#process.emit("printed");
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get log(): string {
    return readFileSync(this.#logFile, "utf8");
  }

  /** What stands in the brackets of the pattern, once a line has it. */
  async printed(pattern: RegExp): Promise<string> {
    const signal = AbortSignal.timeout(PRINTED_WITHIN_MS);
    for (;;) {
      const found = pattern.exec(this.#printed)?.[1];
      if (found !== undefined) return found;
      if (signal.aborted || this.#hasEnded())
        throw new Error(`waited in vain for ${pattern}: ${this.#printed}${this.log}`);
      // Out of time, or no such program: the look above says so.
      const more = once(this.#process, "printed", { signal }).catch(() => {});
      await Promise.race([more, this.#gone]);
    }
  }

  #hasEnded(): boolean {
    const { exitCode, signalCode, pid } = this.#process;
    return exitCode !== null || signalCode !== null || pid === undefined;
  }

  async gone(withinMs: number): Promise<void> {
    const deadline = AbortSignal.timeout(withinMs);
    const late = new Promise<never>((_, reject) => {
      deadline.addEventListener("abort", () => reject(new Error(`not ended in ${withinMs} ms`)));
    });
    await Promise.race([this.#gone, late]);
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGTERM");
    await this.#gone;
  }

  /** It and all that it started, at once and without a word. */
  async kill(): Promise<void> {
    this.end();
    await this.#gone;
  }

  end(): void {
    if (!this.#hasEnded()) for (const pid of treeOf(this.pid)) endNow(pid);
  }
}

function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
