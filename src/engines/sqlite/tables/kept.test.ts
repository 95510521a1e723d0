import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openConnection } from "../connection.ts";
import { OTHER_TABLES, PERSONAL_TABLES } from "./kept.ts";

it("every table of a database is read by an export and removed by an erasure, or says why it is not", () => {
  const folder = mkdtempSync(join(tmpdir(), "lull-kept-"));
  const database = openConnection({ file: join(folder, "lull.db"), synchronous: "off" });
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  database.close();
  rmSync(folder, { recursive: true });
  const personal = Object.values(PERSONAL_TABLES).map(({ table }) => table);
  expect(rows.map(({ name }) => String(name)).toSorted()).toEqual(
    [...personal, ...Object.keys(OTHER_TABLES)].toSorted(),
  );
});
