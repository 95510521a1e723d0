import { constants, DatabaseSync, StatementSync } from "node:sqlite";

/** What was asked of SQLite: a text that was compiled, or one that ran. */
export interface Asked {
  readonly did: "compile" | "run" | "compile again";
  readonly sql: string;
}

const RUNS = ["get", "all", "run"] as const;

/** Whether this Node lets us see that SQLite compiles. */
export const seesCompiling = "setAuthorizer" in DatabaseSync.prototype;

/**
 * Everything that this thread asks of SQLite, by whichever way. It listens at Node's own classes: the engine
 * is looked at as it is, nobody lists its statements, and one that is added is seen.
 */
export class StatementLog {
  #asked: Asked[] = [];
  #undo: (() => void)[] = [];
  #running: string | undefined;
  #database: DatabaseSync | undefined;

  start(): void {
    const log = this;
    this.#around(DatabaseSync.prototype, "prepare", function (sql) {
      log.#database = this;
      log.#note("compile", String(sql));
    });
    this.#around(DatabaseSync.prototype, "exec", (sql) => {
      this.#note("compile", String(sql));
      this.#note("run", String(sql));
    });
    for (const how of RUNS)
      this.#around(StatementSync.prototype, how, function () {
        log.#note("run", this.sourceSQL);
        log.#running = this.sourceSQL;
      });
  }

  stop(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }

  /** Since the last call. */
  take(): readonly Asked[] {
    return this.#asked.splice(0);
  }

  /** The connection that was used last. */
  get database(): DatabaseSync {
    return this.#database!;
  }

  /**
   * From now on also notes a statement that is compiled again while it runs: SQLite asks for permission
   * whenever it compiles. Every statement is compiled once more after this.
   */
  watchCompiling(): void {
    this.database.setAuthorizer(() => {
      if (this.#running !== undefined) this.#note("compile again", this.#running);
      this.#running = undefined;
      return constants.SQLITE_OK;
    });
  }

  #note(did: Asked["did"], sql: string): void {
    this.#asked.push({ did, sql: sql.replaceAll(/\s+/g, " ").trim() });
  }

  #around<T extends DatabaseSync | StatementSync, N extends keyof T>(
    prototype: T,
    name: N,
    before: (this: T, first: unknown) => void,
  ): void {
    const log = this;
    const original = prototype[name] as (...input: unknown[]) => unknown;
    const replacement = function (this: T, ...input: unknown[]) {
      before.call(this, input[0]);
      try {
        return original.apply(this, input);
      } finally {
        log.#running = undefined;
      }
    };
    Object.assign(prototype, { [name]: replacement });
    this.#undo.push(() => void Object.assign(prototype, { [name]: original }));
  }
}
