import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("forgetful-disk.c", import.meta.url));

/** It stands between a program and Linux's C library, and has to be compiled for that. */
export const canForget = process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0;

/** A disk that remembers what was synced, and nothing else, once the power is cut. */
export class ForgetfulDisk {
  readonly #kept: string;
  /** For the processes that write to it. */
  readonly env: Readonly<Record<string, string>>;

  /** For files under `disk`. What it remembers is kept in `folder`. */
  constructor(disk: string, folder: string) {
    this.#kept = join(folder, "synced");
    mkdirSync(this.#kept);
    const library = join(folder, "forgetful-disk.so");
    const { status, stderr } = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`it does not compile: ${stderr}`);
    this.env = { LD_PRELOAD: library, LULL_DISK: disk, LULL_KEPT: this.#kept };
  }

  /** How often a file was synced. */
  syncsOf(file: string): number {
    const log = join(this.#kept, "syncs");
    const names = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
    return names.filter((name) => name === basename(file)).length;
  }

  /** Puts what is left of a database to a path. No process may have it open. */
  powerIsBack(file: string, to = file): void {
    rmSync(`${to}-shm`, { force: true });
    for (const ending of ["", "-wal"]) {
      const kept = join(this.#kept, basename(file) + ending);
      const wasThere = existsSync(file + ending);
      rmSync(to + ending, { force: true });
      if (wasThere && existsSync(kept)) copyFileSync(kept, to + ending);
    }
  }
}
