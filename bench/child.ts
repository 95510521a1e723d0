import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { treeOf } from "./process-tree.ts";

export interface ChildOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** When the bench is interrupted, nothing that it started goes on. */
const running = new Set<Child>();
process.once("exit", () => {
  for (const child of running) child.end();
});

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
    running.add(this);
    this.#gone = once(this.#process, "close").finally(() => running.delete(this));
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
    for (;;) {
      const found = pattern.exec(this.#printed)?.[1];
      if (found !== undefined) return found;
      if (this.#hasEnded())
        throw new Error(`ended before it printed ${pattern}: ${this.#printed}${this.log}`);
      await Promise.race([once(this.#process, "printed"), this.#gone]);
    }
  }

  #hasEnded(): boolean {
    const { exitCode, signalCode, pid } = this.#process;
    return exitCode !== null || signalCode !== null || pid === undefined;
  }

  gone(): Promise<unknown> {
    return this.#gone;
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
