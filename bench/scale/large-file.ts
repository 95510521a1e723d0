import { randomBytes } from "node:crypto";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** What a file is made to hold. */
export interface Contents {
  readonly conversations: number;
  /** Turns of a message and its reply behind each of them. */
  readonly turnsEach: number;
  /** Of these conversations another number of turns. */
  readonly turnsOf?: ReadonlyMap<number, number>;
}

/** A message and its reply, each known again by its hash. */
const REMEMBERED_PER_TURN = 2;
const HASH_BYTES = 16;
const UNTIL_AT_MS = Date.UTC(2100, 0, 1);

/** The sender of the conversation of that number; the first is the one that is copied. */
export function senderOf(conversation: number): string {
  return `+1555${String(conversation).padStart(8, "0")}`;
}

/**
 * Fills a file by copying the one conversation of one turn that the engine itself has led there: the rows are
 * the engine's own, whatever its tables look like, and a million conversations take a minute.
 */
export function fill(file: string, { conversations, turnsEach, turnsOf = new Map() }: Contents): void {
  const database = new DatabaseSync(file);
  // If this dies, it is made anew.
  database.exec("PRAGMA synchronous = off; PRAGMA cache_size = -2000000; BEGIN");
  const first = String(database.prepare("SELECT id FROM conversations").get()?.id);
  // As random as an id is: neighbours in time are no neighbours in the tree.
  const ids = Array.from({ length: conversations }, (_, at) => (at === 0 ? first : newId()));
  const people = ["conversations", "names"].map((table) => copier(database, table, first));
  for (let at = 1; at < conversations; at += 1) for (const copy of people) copy(ids[at]!, senderOf(at));
  const copyTurn = copier(database, "turns", first);
  const remember = database.prepare("INSERT INTO remembered (key, until_at_ms) VALUES (?, ?)");
  const most = Math.max(turnsEach, ...turnsOf.values());
  // Turn by turn, as time goes: those of one conversation do not lie side by side.
  for (let turn = 0; turn < most; turn += 1)
    for (let at = 1; at < conversations; at += 1) {
      if (turn >= (turnsOf.get(at) ?? turnsEach)) continue;
      copyTurn(ids[at]!, senderOf(at));
      for (let n = 0; n < REMEMBERED_PER_TURN; n += 1) remember.run(randomBytes(HASH_BYTES), UNTIL_AT_MS);
    }
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

function newId(): string {
  return `c_${randomBytes(16).toString("base64url")}`;
}

type Copy = (id: string, sender: string) => void;

/** Copies the first conversation's rows of a table, with another id and sender wherever these stand. */
function copier(database: DatabaseSync, table: string, first: string): Copy {
  const rows = database.prepare(`SELECT * FROM ${table}`).all() as Record<string, SQLInputValue>[];
  // The number of a row is given by the table.
  const columns = Object.keys(rows[0] ?? {}).filter((column) => column !== "number");
  if (columns.length === 0) return () => {};
  const places = columns.map(() => "?").join(", ");
  const insert = database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`);
  return (id, sender) => {
    const named = (value: SQLInputValue) =>
      typeof value === "string" ? value.replaceAll(first, id).replaceAll(senderOf(0), sender) : value;
    for (const row of rows) insert.run(...columns.map((column) => named(row[column] ?? null)));
  };
}
