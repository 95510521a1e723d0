import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

export type Row = Record<string, SQLInputValue>;

/** Bytes that are no UTF-8 are read as this sign, and cannot be looked up or written back. */
const REPLACED = "\ufffd";

export function isLossy(value: SQLInputValue | undefined): boolean {
  return value instanceof Uint8Array || (typeof value === "string" && value.includes(REPLACED));
}

/** Prepared once per statement text, then reused. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Whether something may be written now: a look alone has no transaction. */
  get isWriting(): boolean {
    return this.#database.isTransaction;
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}
