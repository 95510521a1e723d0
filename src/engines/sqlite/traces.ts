import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { pause, whileBusy } from "./connection.ts";
import type { Statements } from "./statements.ts";

/**
 * A deleted row is overwritten (`secure_delete`), but SQLite moves rows between pages, and the bytes at the
 * former place stay until it is needed again: after 1,200 of 2,000 people were erased, addresses or texts of
 * 3 to 9 of them were still in the file. Nothing is left only after the whole file is rewritten and the log
 * emptied.
 */
const NOTE = "erased_mark";
/** The note at the time of the last rewrite: what is left of that erasure is in the log alone. */
const REWRITTEN = "rewritten_mark";

/**
 * A file up to this size is rewritten at once: about a second, in which no other process can write. A larger
 * one would keep webhooks waiting for longer than providers do: an operator chooses the moment (`lull
 * compact`).
 */
const REWRITE_BYTES_MAX = 128_000_000;

/** Rounds of at most a millisecond: most readers are done by then. */
const LOG_ROUNDS_MAX = 200;
/** A command waits until another process has folded gigabytes of log into the file, or a reader ends. */
const LOG_ROUNDS_OF_A_COMMAND = 600;
const COMMAND_PAUSE_MS = 50;

const LARGE = "the file is large: run `lull compact` when it is quiet";
const READ = "another process reads the log: a later sweep tries again";
const NOT_YET = "the next sweep removes them";

/** A person was erased: what is left of them has to be removed. Noted in the same transaction. */
export function noteErased(sql: Statements): void {
  sql.run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", NOTE, randomUUID());
}

/** Why bytes of an erased person are still in a file, in words. Undefined if nothing is left. */
export function tracesLeft(sql: Statements, bytesMax = REWRITE_BYTES_MAX): string | undefined {
  const found = sql.get("SELECT value FROM meta WHERE key = ?", NOTE);
  if (found === undefined) return undefined;
  if (found.value === sql.get("SELECT value FROM meta WHERE key = ?", REWRITTEN)?.value) return READ;
  const { page_count: pages } = sql.get("PRAGMA page_count") ?? {};
  const { page_size: bytes } = sql.get("PRAGMA page_size") ?? {};
  return Number(pages) * Number(bytes) > bytesMax ? LARGE : NOT_YET;
}

export type TracesRemoval =
  | { readonly kind: "nothing" }
  | { readonly kind: "removed" }
  /** Something is in the way. */
  | { readonly kind: "left"; readonly why: string };

/** Rewrites the file and empties the log, if a person was erased since then. Not inside a transaction. */
export function removeTraces(database: DatabaseSync, bytesMax = REWRITE_BYTES_MAX): TracesRemoval {
  const isLarge = sizeOf(database) > bytesMax;
  const note = whileBusy(() => {
    // Checked again with every try: the process that was in the way may have done it.
    const found = metaOf(database, NOTE);
    if (found !== undefined && !isLarge && found !== metaOf(database, REWRITTEN)) writeAnew(database, found);
    return found;
  });
  if (note === undefined) return { kind: "nothing" };
  const isEmpty = emptyLog(database);
  if (note !== metaOf(database, REWRITTEN)) return { kind: "left", why: LARGE };
  if (!isEmpty) return { kind: "left", why: READ };
  forget(database, note);
  return { kind: "removed" };
}

/** Rewrites the whole file. False if the log could not be emptied: it may still hold what was erased. */
export function rewrite(database: DatabaseSync, rounds = LOG_ROUNDS_OF_A_COMMAND): boolean {
  // In a file, not in memory: it may be larger than that. What was erased is not in it.
  database.exec("PRAGMA temp_store = file");
  const note = whileBusy(() => {
    const found = metaOf(database, NOTE);
    writeAnew(database, found);
    return found;
  });
  if (!emptyLog(database, rounds, COMMAND_PAUSE_MS)) return false;
  if (note !== undefined) forget(database, note);
  return true;
}

/**
 * After this the log holds the whole file. It is noted, so that a reader that keeps the log from being
 * emptied does not make it grow with every try.
 */
function writeAnew(database: DatabaseSync, note: string | undefined): void {
  database.exec("VACUUM");
  if (note === undefined) return;
  const noted = database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)");
  whileBusy(() => noted.run(REWRITTEN, note));
}

export function sizeOf(database: DatabaseSync): number {
  const { page_count: pages } = whileBusy(() => database.prepare("PRAGMA page_count").get()) ?? {};
  const { page_size: bytes } = database.prepare("PRAGMA page_size").get() ?? {};
  return Number(pages) * Number(bytes);
}

function metaOf(database: DatabaseSync, key: string): string | undefined {
  const row = database.prepare("SELECT value FROM meta WHERE key = ?").get(key);
  return row && String(row.value);
}

/** A person who was erased meanwhile has left another note, which stays. */
function forget(database: DatabaseSync, note: string): void {
  const done = database.prepare("DELETE FROM meta WHERE key = ? AND value = ?");
  whileBusy(() => done.run(NOTE, note));
}

/** False if another process is busy with the log: then it is unchanged. */
function emptyLog(database: DatabaseSync, rounds = LOG_ROUNDS_MAX, pauseMs = 1): boolean {
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  for (let round = 0; round < rounds; round += 1) {
    if (checkpoint.get()?.busy === 0) return true;
    pause(pauseMs);
  }
  return false;
}
