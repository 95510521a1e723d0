import type { Quarantine } from "./quarantine.ts";
import type { Statements } from "./statements.ts";

export interface TablesOptions {
  readonly sql: Statements;
  readonly quarantine: Quarantine;
  readonly nowMs: () => number;
  /** The project status of a repaired record. */
  readonly projectStatus: string;
  readonly salt: string;
}
