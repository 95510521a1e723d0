import type { EngineLoaders } from "../config/engine.ts";
import { missingPackage } from "../config/missing-package.ts";
import { ConfigError } from "../errors.ts";

/** Loaded when chosen: SQLite users need not install AWS's packages, and AWS users start without a database. */
export const ENGINES: Required<EngineLoaders> = {
  sqlite: async (options) => (await import("../engines/sqlite/index.ts")).sqlite(options),
  aws: async () => {
    try {
      return (await import("../engines/aws/index.ts")).aws();
    } catch (error) {
      const missing = missingPackage(error);
      throw missing === undefined ? error : new ConfigError(`engine aws: ${missing}`, error);
    }
  },
};
