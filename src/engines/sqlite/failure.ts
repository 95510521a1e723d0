import { statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { LullError, type RetryAdvice, StoreUnavailable, tellable } from "../../errors.ts";

/** An error of the store's thread, as it crosses to the caller. */
export interface Failure {
  readonly ok: false;
  readonly message: string;
  /**
   * Set for a failure of the store, or for what a step said about it. Without it the error is a bug of ours,
   * and waiting does not help.
   */
  readonly told?: { readonly code: string; readonly retry: RetryAdvice };
  readonly name?: string;
  readonly stack?: string | undefined;
}

const AWAY = { code: "STORE_UNAVAILABLE", retry: "later" } as const;

/** SQLite's own numbers; the upper bits of an error only give details. */
const PRIMARY = 0xff;
const READ_ONLY = 8;
const INPUT_OUTPUT = 10;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

/** Words that say what to do, where SQLite's own do not. */
const WORDS: Readonly<Record<number, string>> = {
  [READ_ONLY]: "the database cannot be written: this user may only read the file, its folder or its disk",
  [FULL]: "the disk is full",
  [CORRUPT]: "the database file is damaged: stop lull and restore a backup",
  [NOT_A_DATABASE]: "the database file is damaged: stop lull and restore a backup",
};

export function failureOf(error: unknown): Failure {
  const message = inWords(error);
  if (error instanceof LullError)
    return { ok: false, message, told: { code: error.code, retry: error.retry } };
  if (isStores(error)) return { ok: false, message, told: AWAY };
  return {
    ok: false,
    message,
    ...(error instanceof Error ? { name: error.name, stack: error.stack } : { name: "Error" }),
  };
}

/** The error that a failure stands for. A bug is no `LullError`: its caller must not wait for the store. */
export function errorFrom({ message, told, name, stack }: Failure): Error {
  if (told?.code === AWAY.code) return new StoreUnavailable(`the database could not do it: ${message}`);
  return told
    ? new LullError(message, told)
    : Object.assign(new Error(message), { name, ...(stack !== undefined && { stack }) });
}

/** SQLite reported it, or the operating system about the file, or the file is closed. */
function isStores(error: unknown): boolean {
  const { errcode, syscall, code } = Object(error) as Record<string, unknown>;
  return errcode !== undefined || syscall !== undefined || code === "ERR_INVALID_STATE";
}

export function inWords(error: unknown): string {
  const words = WORDS[primaryOf(error)];
  return words === undefined ? messageOf(error) : `${words} (${messageOf(error)})`;
}

/**
 * SQLite calls it an I/O error where there is no room for the files beside the database. Only the disk can
 * tell that from one that is broken.
 */
export function inWordsAt(file: string, error: unknown): string {
  const isFull = primaryOf(error) === INPUT_OUTPUT && freeBytesAt(file) < LOG_INDEX_BYTES;
  return isFull ? `${WORDS[FULL]} (${messageOf(error)})` : inWords(error);
}

/** What the index of the log takes when it is made. */
const LOG_INDEX_BYTES = 32_768;

function freeBytesAt(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(resolve(file)));
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the log may say: SQLite's errors and ours are about tables and files; others may quote a row. */
export function toldOf(error: unknown): string {
  return isStores(error) || error instanceof LullError ? messageOf(error) : tellable(error);
}

/** Pages of the file hold what SQLite never wrote there. Another try does not repair that. */
export function isDamage(error: unknown): boolean {
  return primaryOf(error) === CORRUPT || primaryOf(error) === NOT_A_DATABASE;
}

function primaryOf(error: unknown): number {
  return ((error as { errcode?: number } | undefined)?.errcode ?? 0) & PRIMARY;
}
