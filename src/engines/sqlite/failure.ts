export type Failure = { readonly ok: false; readonly message: string };

/** SQLite's own numbers; the upper bits of an error only say more about it. */
const PRIMARY = 0xff;
const READ_ONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

/** In words that say what to do, where SQLite's own do not. */
const WORDS: Readonly<Record<number, string>> = {
  [READ_ONLY]: "the database cannot be written: this user may only read the file, its folder or its disk",
  [FULL]: "the disk is full",
  [CORRUPT]: "the database file is damaged: stop lull and restore a backup",
  [NOT_A_DATABASE]: "the database file is damaged: stop lull and restore a backup",
};

export function failureOf(error: unknown): Failure {
  return { ok: false, message: inWords(error) };
}

export function inWords(error: unknown): string {
  const words = WORDS[primaryOf(error)];
  return words === undefined ? messageOf(error) : `${words} (${messageOf(error)})`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Pages of the file hold what SQLite never wrote there. Trying again does not mend that. */
export function isDamage(error: unknown): boolean {
  return primaryOf(error) === CORRUPT || primaryOf(error) === NOT_A_DATABASE;
}

function primaryOf(error: unknown): number {
  return ((error as { errcode?: number } | undefined)?.errcode ?? 0) & PRIMARY;
}
