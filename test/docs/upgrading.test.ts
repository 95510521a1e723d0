import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../../src/engines/sqlite/schema.ts";
import { pageNamed } from "../doc-pages.ts";
import { LullProcess } from "../lull-process.ts";
import { ROOT } from "../staged-package.ts";
import { emptyProject } from "./empty-project.ts";

const { text } = pageNamed("docs/upgrading.md");
const cwd = emptyProject();

/** Of a file that 0.1.0 wrote. */
const earlier = new DatabaseSync(join(ROOT, "test/sqlite/files/0.1.0.db"), { readOnly: true });
const schemaOf010 = earlier.prepare("PRAGMA user_version").get()?.user_version;
earlier.close();

test("docs/upgrading.md says what a version says of a newer file, which stays as it is", async () => {
  expect(text).toContain(`goes from ${schemaOf010} (0.1.0) to ${MIGRATIONS.length}`);
  const file = join(cwd, "next.db");
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
  const lull = new LullProcess(["status", "--db", "next.db"], { cwd });
  const [code] = (await once(lull.child, "close")) as [number];
  expect(code).toBe(1);
  const [known, next] = [MIGRATIONS.length, MIGRATIONS.length + 1];
  const words = `newer version of lull (schema ${next}, this one knows ${known})`;
  expect(lull.stderr.replaceAll(/\s+/g, " ")).toContain(words);
  expect(text).toContain(
    `newer version of lull (schema ${MIGRATIONS.length}, this one knows ${schemaOf010})`,
  );
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: MIGRATIONS.length + 1 });
  database.close();
});
