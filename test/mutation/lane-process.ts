import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Order, Verdict } from "./lane.ts";

const LANE = fileURLToPath(new URL("lane.ts", import.meta.url));
/** Longer than a test may take. A lane that is silent for so long runs in circles. */
const SILENT_MS_MAX = 40_000;

/** A process of its own, so that it can be ended in the middle of a loop. */
export class Lane {
  readonly #child: ChildProcess;
  readonly #ready: Promise<unknown>;

  constructor(root: string, copy: string) {
    this.#child = fork(LANE, [root, copy], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    this.#ready = this.#heard();
  }

  async order(order: Order): Promise<Verdict | undefined> {
    await this.#ready;
    this.#child.send(order);
    return this.#heard();
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }

  #heard(): Promise<Verdict | undefined> {
    return new Promise((resolve) => {
      const over = (verdict?: Verdict) => {
        clearTimeout(timer);
        this.#child.off("exit", gone).off("message", heard);
        resolve(verdict);
      };
      const gone = () => over();
      let timer = setTimeout(gone, SILENT_MS_MAX);
      const heard = (verdict: Verdict) => {
        if (verdict.kind !== "alive") return over(verdict);
        clearTimeout(timer);
        timer = setTimeout(gone, SILENT_MS_MAX);
      };
      this.#child.on("exit", gone).on("message", heard);
    });
  }
}
