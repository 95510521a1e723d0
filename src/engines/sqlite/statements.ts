import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

export type Row = Record<string, SQLInputValue>;

/** Bytes that are no UTF-8 are read as this sign, and cannot be looked up or written back. */
const REPLACED = "\ufffd";

export function isLossy(value: SQLInputValue | undefined): boolean {
  return value instanceof Uint8Array || (typeof value === "string" && value.includes(REPLACED));
}

interface Prepared {
  readonly statement: StatementSync;
  /** Which value each placeholder takes, if the text numbers them. */
  readonly places?: readonly number[];
}

/** Prepared once per statement text, then reused. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  #isReading = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Whether something may be written now: a transaction is open, and not one that only reads. */
  get isWriting(): boolean {
    return this.#database.isTransaction && !this.#isReading;
  }

  /** What `work` reads is all of one moment, whatever others commit meanwhile. */
  reading<T>(work: () => T): T {
    this.#ready("BEGIN").statement.run();
    this.#isReading = true;
    try {
      const result = work();
      this.#ready("COMMIT").statement.run();
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    } finally {
      this.#isReading = false;
    }
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    const { statement, places } = this.#ready(sql);
    return statement.get(...inPlace(values, places)) as Row | undefined;
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    const { statement, places } = this.#ready(sql);
    return statement.all(...inPlace(values, places)) as Row[];
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    // Alone it would be committed at once, unsynced and unknown to what is kept of rows.
    if (!this.isWriting) throw new Error("nothing is written outside a transaction");
    const { statement, places } = this.#ready(sql);
    return Number(statement.run(...inPlace(values, places)).changes);
  }

  #ready(sql: string): Prepared {
    let ready = this.#prepared.get(sql);
    if (!ready) {
      ready = prepare(this.#database, sql);
      this.#prepared.set(sql, ready);
    }
    return ready;
  }
}

const NUMBERED = /\?(\d+)/g;

/** We resolve `?1` ourselves: Node before 22.20 and 24.7 ignores the numbers of placeholders. */
function prepare(database: DatabaseSync, sql: string): Prepared {
  const places = [...sql.matchAll(NUMBERED)].map(([, number]) => Number(number) - 1);
  const statement = database.prepare(onceForAllLimits(sql.replace(NUMBERED, "?")));
  return places.length === 0 ? { statement } : { statement, places };
}

/**
 * SQLite plans for the limit that is bound, and so compiles a statement anew whenever one is bound again: 50
 * microseconds for what a turn reads of its history. It does not see through a sum.
 */
function onceForAllLimits(sql: string): string {
  return sql.replace(/\bLIMIT \?/g, "LIMIT ? + 0");
}

function inPlace(values: SQLInputValue[], places: readonly number[] | undefined): SQLInputValue[] {
  return places?.map((place) => values[place]!) ?? values;
}
