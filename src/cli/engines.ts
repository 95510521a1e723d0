import type { EngineLoaders } from "../config/engine.ts";
import { installed } from "./installed.ts";

/**
 * Loaded when chosen: SQLite users need not install AWS's packages, and AWS users start without a database.
 */
export const ENGINES: Required<EngineLoaders> = {
  sqlite: async (options) => (await import("../engines/sqlite/index.ts")).sqlite(options),
  aws: () => installed("engine aws", async () => (await import("../engines/aws/index.ts")).aws()),
};
