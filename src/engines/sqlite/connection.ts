import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { StoreUnavailable } from "../../errors.ts";
import { inWordsAt } from "./failure.ts";
import { foreignFilesAt } from "./foreign-files.ts";
import { placeProblem } from "./place.ts";
import { makePrivateIfAbsent } from "./private-file.ts";
import { MIGRATIONS } from "./schema.ts";
import { LOG_BYTES_MAX } from "./shrink-log.ts";

export interface ConnectionOptions {
  readonly file: string;
  /** `off` is for simulations, which lose nothing because their processes never die. */
  readonly synchronous: "full" | "off";
  readonly readOnly?: boolean;
}

/**
 * Pages of the file in memory. After a row moved between pages, a commit looks through all of them: with four
 * times as many, a message costs more and not less. What is not here is in the system's cache.
 */
const CACHE_KB = 8_192;

const SQLITE_BUSY = 5;
const SQLITE_BUSY_MASK = 0xff;
/** How long a writer waits for the commits of other processes before its caller is told to come back. */
const BUSY_ROUNDS_MAX = 10_000;

export function openConnection(options: ConnectionOptions): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (options.file !== ":memory:" && !options.readOnly) makePrivateIfAbsent(options.file);
    database = new DatabaseSync(options.file, { readOnly: options.readOnly ?? false, timeout: 0 });
    if (options.readOnly) return database;
    prepare(database, options);
    return database;
  } catch (error) {
    database?.close();
    throw new StoreUnavailable(
      `cannot open the database ${options.file}: ${why(options.file, error)}`,
      error,
    );
  }
}

/** SQLite only says that it cannot open it, and the system which call failed. */
function why(file: string, error: unknown): string {
  const words = inWordsAt(file, error);
  if (file === ":memory:") return words;
  const owners = ownersInWords(file);
  if (owners !== undefined) return `${words}; ${owners}`;
  // A file that opens and cannot be read is in a place that is well.
  return placeProblem(file) ?? words;
}

/** The folder itself may be closed to this user: then nothing is known of the files in it. */
function ownersInWords(file: string): string | undefined {
  try {
    return foreignFilesAt(file);
  } catch {
    return undefined;
  }
}

function prepare(database: DatabaseSync, options: ConnectionOptions): void {
  whileBusy(() => database.exec("PRAGMA journal_mode = WAL"));
  database.exec(
    `PRAGMA synchronous = ${options.synchronous}; PRAGMA temp_store = memory;
     PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -${CACHE_KB};
     PRAGMA journal_size_limit = ${LOG_BYTES_MAX}; PRAGMA secure_delete = on`,
  );
  migrate(database);
}

/** Runs `work` in one transaction. Always IMMEDIATE: a reader that turns writer cannot wait, only fail. */
export function transact<T>(database: DatabaseSync, work: () => T): T {
  whileBusy(() => database.exec("BEGIN IMMEDIATE"));
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Our own short jittered waits instead of SQLite's busy handler: with four writing processes the handler
 * reaches a p99 of 55 ms and more than a second at worst, because its sleeps grow. Readers need it too: while
 * another process recovers the log of a killed one, or creates the file, reads are refused.
 */
export function whileBusy<T>(attempt: () => T): T {
  for (let round = 0; ; round += 1) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || round >= BUSY_ROUNDS_MAX) throw error;
      pause(0.1 + Math.random() * 0.9);
    }
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread, which is the writer's own and has nothing else to do. */
export function pause(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms);
}

export function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode;
  return code !== undefined && (code & SQLITE_BUSY_MASK) === SQLITE_BUSY;
}

function migrate(database: DatabaseSync): void {
  if (whileBusy(() => versionOf(database)) === MIGRATIONS.length) return;
  transact(database, () => {
    // Asked again inside the transaction: another process may have migrated in the meantime.
    const version = versionOf(database);
    if (version > MIGRATIONS.length) {
      throw new Error(
        `it was written by a newer version of lull (schema ${version}, this one knows ${MIGRATIONS.length})`,
      );
    }
    for (const migration of MIGRATIONS.slice(version)) {
      if (typeof migration === "string") database.exec(migration);
      else migration(database);
    }
    if (version === 0) begin(database);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

function begin(database: DatabaseSync): void {
  const salt = randomBytes(16).toString("hex");
  database.prepare("INSERT INTO meta (key, value) VALUES ('salt', ?)").run(salt);
  // Nothing is remembered yet: a file without this is an older version's, which did not note for how long.
  database.exec("INSERT INTO meta (key, value) VALUES ('memories', '')");
}

/** As SQLite reports it. */
const FULL = 2;

/**
 * Whether the commits to come are on disk when they return. A synced one covers all that was written to the
 * log before it, by whichever process.
 */
export class Syncing {
  readonly #database: DatabaseSync;
  #isOn: boolean | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  turn(on: boolean): void {
    if (on === this.#isOn) return;
    this.#isOn = undefined;
    this.#database.exec(`PRAGMA synchronous = ${on ? "full" : "normal"}`);
    // Inside a transaction SQLite ignores it, and says nothing.
    if (on && synchronousOf(this.#database) !== FULL) throw new Error("a commit would not be synced");
    this.#isOn = on;
  }
}

/** How durable a commit is, as the connection itself reports it. */
export interface Durability {
  readonly journal: string;
  readonly synchronous: number;
}

export function durabilityOf(database: DatabaseSync): Durability {
  return {
    journal: String(database.prepare("PRAGMA journal_mode").get()?.journal_mode),
    synchronous: synchronousOf(database),
  };
}

function synchronousOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA synchronous").get()?.synchronous);
}
