import type { Quarantine } from "./quarantine.ts";
import type { Statements } from "./statements.ts";

export interface TablesOptions {
  readonly sql: Statements;
  readonly quarantine: Quarantine;
  readonly nowMs: () => number;
  /** What a record that cannot be read gets. */
  readonly projectStatus: string;
  readonly salt: string;
}
