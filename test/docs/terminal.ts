import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** For everything that is waited for. Generous: the machine may be busy with other tests. */
const DEADLINE_MS = 120_000;
const DONE = "the-terminal-is-done";

/**
 * A shell that keeps its folder and its variables from one block of a page to the next, as the reader's does.
 * What runs in it shares its process group, so that Ctrl-C reaches all of it.
 */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #changed = new EventTarget();
  #output = "";
  /** Where in the output the last command begins. */
  #from = 0;

  constructor(cwd: string, env: Readonly<Record<string, string>>) {
    this.#shell = spawn("sh", [], { cwd, env, detached: true });
    // Ctrl-C ends what runs in the shell, and not the shell.
    this.#shell.stdin?.write("trap : INT\n");
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        this.#output += chunk;
        this.#changed.dispatchEvent(new Event("change"));
      });
  }

  /** What the last command has printed. */
  get printed(): string {
    return this.#output.slice(this.#from);
  }

  /** Runs a block to its end. */
  tried(block: string): Promise<{ code: number; printed: string }> {
    this.begin(block);
    return this.#end();
  }

  /** Runs a block to its end and returns what it printed; throws where a line of it fails. */
  async run(block: string): Promise<string> {
    const { code, printed } = await this.tried(block);
    if (code !== 0) throw new Error(`"${block.trim()}" ended with ${code}:\n${printed}`);
    return printed;
  }

  /** Begins a block that goes on until it is interrupted. */
  begin(block: string): void {
    this.#from = this.#output.length;
    // No reader types the next line after one that failed.
    const lines = block.split("\n").map((line) => line.replace(/(^|\s+)# .*$/, ""));
    const whole = lines
      .filter((line) => line !== "")
      .join(" &&\n")
      .replaceAll("\\ &&\n", "\\\n");
    this.#shell.stdin?.write(`{ ${whole}\n}; printf '${DONE} %s\\n' $?\n`);
  }

  /** Looks again at what the last command prints until `look` finds something. */
  async until<T>(what: string, look: (printed: string) => T | undefined): Promise<T> {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    for (;;) {
      const found = look(this.printed);
      if (found !== undefined) return found;
      if (deadline.aborted || this.#shell.exitCode !== null)
        throw new Error(`waited for ${what} in vain:\n${this.printed}`);
      await new Promise<void>((resolve) => {
        this.#changed.addEventListener("change", () => resolve(), { once: true });
        deadline.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }

  async interrupt(): Promise<string> {
    this.#kill("SIGINT");
    return (await this.#end()).printed;
  }

  async close(): Promise<void> {
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    const gone = once(this.#shell, "close");
    this.#kill("SIGKILL");
    await gone;
  }

  #kill(signal: NodeJS.Signals): void {
    if (this.#shell.pid !== undefined) process.kill(-this.#shell.pid, signal);
  }

  #end(): Promise<{ code: number; printed: string }> {
    return this.until("the end of it", (printed) => {
      const [all, code] = new RegExp(`${DONE} (\\d+)\n`).exec(printed) ?? [];
      return all === undefined ? undefined : { code: Number(code), printed: printed.replace(all, "") };
    });
  }
}
