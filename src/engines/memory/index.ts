import { randomUUID } from "node:crypto";
import type { EngineProvider } from "../../ports/engine.ts";
import { carryOut } from "../embedded/carry-out.ts";
import { embeddedEngine } from "../embedded/engine.ts";
import { isRead, type StepName, type StepRequest } from "../embedded/requests.ts";
import { stepClient } from "../embedded/step-client.ts";
import type { Tables } from "../embedded/tables.ts";
import { memoryTables } from "./tables.ts";

export interface MemoryOptions {
  /** For simulations that have to replay exactly. */
  readonly newId?: () => string;
  /** The tables, for tests that look behind the engine. */
  readonly tables?: Tables;
  /** Called before each step that writes. */
  readonly onWrite?: <N extends StepName>(request: StepRequest<N>) => void;
}

/** An engine in this process's memory, for tests. Opened twice, both see the same, as two workers would. */
export function memory(options: MemoryOptions = {}): EngineProvider {
  const tables = options.tables ?? memoryTables();
  const newId = options.newId ?? randomUUID;
  const secret = newId();
  return {
    name: "memory",
    forOneProcess: true,
    async open({ clock, settings, holder, onArmed }) {
      const steps = stepClient((name) => async (input) => {
        const context = {
          tables,
          settings,
          holder,
          nowMs: clock.nowMs(),
          newId,
          secret,
          armed: onArmed,
        };
        if (!isRead(name)) options.onWrite?.({ name, input });
        return carryOut(context, { name, input });
      });
      return embeddedEngine(steps, { deadAmong: () => [], ping: async () => {}, close: async () => {} });
    },
  };
}
