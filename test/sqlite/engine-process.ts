import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { GivenSettings } from "../../src/model/settings.ts";
import type { Engine } from "../../src/ports/engine.ts";
import type { Answer, Call } from "./child.ts";

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));
/** For everything that is waited for. Generous: the machine may be busy with other tests. */
const DEADLINE_MS = 60_000;

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };
type Port = Exclude<keyof Engine, "ping" | "close">;

/** An engine in a real process of its own, on a file that others have open too. */
export class EngineProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<unknown>;
  #count = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, "exit");
    child.on("message", (answer: Answer) => this.#receive(answer));
    void this.#exited.then(() => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the process is gone"));
    });
  }

  /** Resolves when it runs; the file is not open yet. */
  static async start(
    file: string,
    settings: Partial<GivenSettings> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<EngineProcess> {
    const child = fork(CHILD, [file, JSON.stringify(settings)], {
      execArgv: [],
      env: { ...process.env, ...env },
    });
    await once(child, "message", { signal: AbortSignal.timeout(DEADLINE_MS) });
    return new EngineProcess(child);
  }

  static async open(
    file: string,
    settings: Partial<GivenSettings> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<EngineProcess> {
    const started = await EngineProcess.start(file, settings, env);
    await started.open();
    return started;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async open(): Promise<void> {
    await this.#ask("open", []);
  }

  /** Makes a database, or finds it made, and closes it again. */
  async makeFile(file: string): Promise<void> {
    await this.#ask("makeFile", [file]);
  }

  /** Calls one method of the engine over there. */
  call<P extends Port, M extends keyof Engine[P] & string>(
    port: P,
    method: M,
    ...input: Engine[P][M] extends (...input: infer I) => unknown ? I : never
  ): Engine[P][M] extends (...input: never[]) => infer R ? R : never {
    return this.#ask(`${port}.${method}`, input) as never;
  }

  /** `kill -9`, and gone when it resolves. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  #ask(name: string, input: readonly unknown[]): Promise<unknown> {
    this.#count += 1;
    const call: Call = { id: this.#count, name, input };
    return new Promise((resolve, reject) => {
      this.#waiting.set(call.id, { resolve, reject });
      this.#child.send(call);
    });
  }

  #receive({ id, result, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(Object.assign(new Error(error.message), { code: error.code }));
    else waiting?.resolve(result);
  }
}
