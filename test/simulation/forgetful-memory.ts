import { ridesAlong } from "../../src/engines/embedded/requests.ts";
import { memory } from "../../src/engines/memory/index.ts";
import { MemoryRows } from "../../src/engines/memory/rows.ts";
import { memoryTables } from "../../src/engines/memory/tables.ts";
import type { EngineProvider } from "../../src/ports/engine.ts";
import type { EngineRun } from "../../src/testing/simulator/simulation-run.ts";

/**
 * Ids are counted, so that a run repeats to the letter. A power cut takes it back to before the first step
 * that was not synced.
 */
export function forgetfulMemory({ onPowerCut }: EngineRun): EngineProvider {
  let count = 0;
  const rows = new MemoryRows();
  let synced: MemoryRows | undefined;
  onPowerCut(() => {
    if (synced) rows.become(synced);
    synced = undefined;
  });
  return memory({
    newId: () => {
      count += 1;
      return `id-${count}`;
    },
    tables: memoryTables(rows),
    onWrite(request) {
      if (!ridesAlong(request)) synced = undefined;
      else synced ??= rows.copy();
    },
  });
}
