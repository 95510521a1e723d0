import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { failureOf, isDamage } from "./failure.ts";

/** What SQLite itself throws. */
function thrownBy(statements: string, file = ":memory:"): unknown {
  const database = new DatabaseSync(file, { readOnly: file !== ":memory:" });
  // Otherwise the schema could not be spoilt.
  database.enableDefensive(false);
  try {
    database.exec(statements);
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
  throw new Error("it went well");
}

const THIS_TEXT = fileURLToPath(import.meta.url);
const FULL = `PRAGMA max_page_count = 2; CREATE TABLE one (x); INSERT INTO one VALUES (zeroblob(100000))`;
const NO_SUCH_PAGE = `CREATE TABLE one (x); PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET rootpage = 99;
  PRAGMA writable_schema = RESET; SELECT * FROM one`;

it.each([
  ["that may only be read", thrownBy("PRAGMA query_only = ON; CREATE TABLE one (x)"), "may only read"],
  ["on a full disk", thrownBy(FULL), "the disk is full"],
  ["with a damaged page", thrownBy(NO_SUCH_PAGE), "damaged"],
  ["that is none", thrownBy("SELECT * FROM sqlite_schema", THIS_TEXT), "damaged"],
])("a database %s fails in words that say what to do, and in SQLite's own", (_which, error, words) => {
  const { message } = failureOf(error);
  expect(message).toContain(words);
  expect(message).toContain((error as Error).message);
  expect(isDamage(error)).toBe(words === "damaged");
});

it("any other failure is reported as it is", () => {
  const error = thrownBy("SELECT * FROM nothing");
  expect(failureOf(error)).toMatchObject({ ok: false, message: (error as Error).message });
  expect(isDamage(error)).toBe(false);
});
