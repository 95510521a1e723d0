import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
/** For everything that is waited for. Generous: the machine may be busy with other tests. */
const DEADLINE_MS = 60_000;

/** A log line of the service. */
export type LogEvent = { readonly event: string } & Readonly<Record<string, unknown>>;

export interface LullProcessOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The user to run as; this one where left out. */
  readonly uid?: number;
  /** The umask; that of the tests where left out. */
  readonly umask?: string;
  /** The program to run; the CLI of the sources where left out. */
  readonly main?: string;
  /** The Node to run it on; that of the tests where left out. */
  readonly node?: string;
}

/** A real `lull` process whose output can be waited for. */
export class LullProcess {
  readonly child: ChildProcess;
  readonly #streams = { stdout: "", stderr: "" };
  readonly #changed = new EventTarget();
  readonly #closed: Promise<unknown>;

  constructor(args: readonly string[], options: LullProcessOptions) {
    const { cwd, env = {}, main = MAIN, node = process.execPath, uid, umask } = options;
    // The environment is not inherited: a key in the developer's shell must not change what is tested.
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const program = [node, main, ...args];
    const [command = "", ...rest] =
      umask === undefined ? program : ["sh", "-c", `umask ${umask}; exec "$@"`, "sh", ...program];
    this.child = spawn(command, rest, {
      cwd,
      env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
      ...(uid !== undefined && { uid }),
    });
    this.#closed = once(this.child, "close");
    void this.#closed.then(() => this.#changed.dispatchEvent(new Event("change")));
    for (const name of ["stdout", "stderr"] as const) {
      this.child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
        this.#streams[name] += chunk;
        this.#changed.dispatchEvent(new Event("change"));
      });
    }
  }

  get stdout(): string {
    return this.#streams.stdout;
  }

  get stderr(): string {
    return this.#streams.stderr;
  }

  get events(): LogEvent[] {
    return this.stderr
      .split("\n")
      .flatMap((line) => (line.startsWith("{") && line.endsWith("}") ? [JSON.parse(line)] : []));
  }

  /** The URL of the line that says that the service is ready. */
  url(): Promise<string> {
    return this.until("the line with the URL", () => /^lull listening on (\S+)$/m.exec(this.stdout)?.[1]);
  }

  event(what: string, matches: (event: LogEvent) => boolean): Promise<LogEvent> {
    return this.until(what, () => this.events.find(matches));
  }

  /** Looks again at every output until `look` finds something. */
  async until<T>(what: string, look: () => T | undefined): Promise<T> {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (deadline.aborted || this.child.exitCode !== null) throw this.#missed(what);
      await this.#nextChange(deadline);
    }
  }

  /** Exit code and signal, once the process and all that share its output are gone. */
  async gone(): Promise<{ code: number | null; signal: string | null }> {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    const late = new Promise<never>((_, reject) => {
      deadline.addEventListener("abort", () => reject(this.#missed("the end of the process")));
    });
    await Promise.race([this.#closed, late]);
    return { code: this.child.exitCode, signal: this.child.signalCode };
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  #nextChange(deadline: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#changed.addEventListener("change", () => resolve(), { once: true });
      deadline.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  #missed(what: string): Error {
    return new Error(`waited for ${what} in vain\nstdout: ${this.stdout}\nstderr: ${this.stderr}`);
  }
}

/** Asks again until `look` finds something: for what is only visible through HTTP. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  { deadlineMs = DEADLINE_MS, paceMs = 25 }: { deadlineMs?: number; paceMs?: number } = {},
): Promise<T> {
  const deadline = AbortSignal.timeout(deadlineMs);
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    if (deadline.aborted) throw new Error(`waited for ${what} in vain`);
    await new Promise((resolve) => setTimeout(resolve, paceMs));
  }
}
