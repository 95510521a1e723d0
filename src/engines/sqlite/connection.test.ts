import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openConnection } from "./connection.ts";

let folder = "";
const { exec } = DatabaseSync.prototype;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-connection-"));
});

afterEach(() => {
  DatabaseSync.prototype.exec = exec;
  rmSync(folder, { recursive: true });
});

it("a file that another process makes between the look and the lock is opened as it is", () => {
  const options = { file: join(folder, "lull.db"), synchronous: "off" } as const;
  let isMade = false;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, statements) {
    if (statements === "BEGIN IMMEDIATE" && !isMade) {
      isMade = true;
      openConnection(options).close();
    }
    exec.call(this, statements);
  };
  const database = openConnection(options);
  const salts = database.prepare("SELECT count(*) AS salts FROM meta WHERE key = 'salt'").get();
  database.close();
  expect(isMade).toBe(true);
  expect(salts).toEqual({ salts: 1 });
});
