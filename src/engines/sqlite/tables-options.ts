import type { Quarantine } from "./quarantine.ts";
import type { RowCache } from "./row-cache.ts";
import type { Statements } from "./statements.ts";

export interface TablesOptions {
  readonly sql: Statements;
  readonly quarantine: Quarantine;
  readonly cache: RowCache;
  readonly nowMs: () => number;
  /** The project status of a repaired record. */
  readonly projectStatus: string;
  readonly salt: string;
}
