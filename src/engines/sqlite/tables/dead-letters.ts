import type { DeadLetterTable } from "../../embedded/tables.ts";
import { latestRows, type ReadRows } from "../rows.ts";
import type { Statements } from "../statements.ts";
import { recordsById } from "./records-by-id.ts";

/** How many of a person's dead letters are searched for names. */
const LETTERS_MAX = 1_000;

export function deadLetterTable(sql: Statements, readRows: ReadRows): DeadLetterTable {
  return {
    ...recordsById(sql, readRows, "dead_letters"),
    of: (id) => readRows("dead_letters", latestRows(sql, "dead_letters", id, LETTERS_MAX)),
  };
}
