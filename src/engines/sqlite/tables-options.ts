import type { Quarantine } from "./quarantine.ts";
import type { RowCache } from "./row-cache.ts";
import type { Statements } from "./statements.ts";

export interface TablesOptions {
  readonly sql: Statements;
  readonly quarantine: Quarantine;
  readonly cache: RowCache;
  readonly nowMs: () => number;
  readonly salt: string;
}
