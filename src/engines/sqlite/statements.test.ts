import { constants, DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { transact } from "./connection.ts";
import { Statements } from "./statements.ts";

it("a value that a statement names by its number stands wherever it is named, on every Node", () => {
  const database = new DatabaseSync(":memory:");
  const sql = new Statements(database);
  expect(sql.get("SELECT ?2 AS a, ?1 AS b, ?2 AS c", "one", "two")).toEqual({ a: "two", b: "one", c: "two" });
  expect(sql.all("SELECT ? AS a, ? AS b", 1, 2)).toEqual([{ a: 1, b: 2 }]);
  database.exec("CREATE TABLE t (a, b)");
  const insert = () => sql.run("INSERT INTO t VALUES (?1, ?1), (?2, ?1)", 1, 2);
  expect(transact(database, insert)).toBe(2);
  expect(sql.all("SELECT a, b FROM t WHERE b = ?1 AND a > ?2", 1, 1)).toEqual([{ a: 2, b: 1 }]);
});

it("a statement is compiled once, also where another limit is bound", () => {
  const database = new DatabaseSync(":memory:");
  const sql = new Statements(database);
  database.exec("CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)");
  const first = (limit: number) => sql.all("SELECT a FROM t WHERE a > ?1 ORDER BY a LIMIT ?2", 0, limit);
  let compiled = 0;
  // SQLite asks it about every column, table and function of a statement that it compiles.
  database.setAuthorizer(() => {
    compiled += 1;
    return constants.SQLITE_OK;
  });
  expect(first(2)).toHaveLength(2);
  const atFirst = compiled;
  expect(atFirst).toBeGreaterThan(0);
  expect(first(1)).toHaveLength(1);
  expect(first(3)).toHaveLength(3);
  expect(compiled).toBe(atFirst);
});

it("nothing is written where it would be committed at once, or while something is only read", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE t (a)");
  const sql = new Statements(database);
  const insert = () => sql.run("INSERT INTO t VALUES (1)");
  expect(insert).toThrow("outside a transaction");
  expect(() => sql.reading(insert)).toThrow("outside a transaction");
  expect(database.isTransaction).toBe(false);
  transact(database, insert);
  expect(sql.reading(() => sql.all("SELECT a FROM t"))).toEqual([{ a: 1 }]);
});
