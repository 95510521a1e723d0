import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { Statements } from "./statements.ts";

it("a value that a statement names by its number stands wherever it is named, on every Node", () => {
  const sql = new Statements(new DatabaseSync(":memory:"));
  expect(sql.get("SELECT ?2 AS a, ?1 AS b, ?2 AS c", "one", "two")).toEqual({ a: "two", b: "one", c: "two" });
  expect(sql.all("SELECT ? AS a, ? AS b", 1, 2)).toEqual([{ a: 1, b: 2 }]);
  sql.run("CREATE TABLE t (a, b)");
  expect(sql.run("INSERT INTO t VALUES (?1, ?1), (?2, ?1)", 1, 2)).toBe(2);
  expect(sql.all("SELECT a, b FROM t WHERE b = ?1 AND a > ?2", 1, 1)).toEqual([{ a: 2, b: 1 }]);
});
