import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memory } from "../../src/engines/memory/index.ts";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { EngineProvider } from "../../src/ports/engine.ts";

export type EngineName = "memory" | "sqlite";

/** Makers of empty engines. Ids are counted, so that a run repeats to the letter. */
export function engineMaker(name: EngineName): { make: () => EngineProvider; end: () => void } {
  if (name === "memory") {
    return {
      make: () => {
        let count = 0;
        return memory({
          newId: () => {
            count += 1;
            return `id-${count}`;
          },
        });
      },
      end: () => {},
    };
  }
  // Memory that looks like a disk, where there is one: nothing here is meant to survive.
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "lull-simulation-"));
  let files = 0;
  return {
    make: () => {
      for (const ending of ["", "-wal", "-shm"])
        rmSync(join(folder, `${files}.db${ending}`), { force: true });
      files += 1;
      return sqlite({ file: join(folder, `${files}.db`), writer: "inline", synchronous: "off" });
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}
