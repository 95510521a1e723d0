import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "vitest";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import {
  type EngineHarness,
  engineContract,
  engineFixture,
} from "../../src/testing/engine-contract/index.ts";

/**
 * Memory that looks like a disk, and no syncs: seconds instead of a minute. The run makes the folder, and
 * removes it.
 */
const FOLDER = process.env.LULL_MUTANTS_IN_MEMORY ?? tmpdir();

/** What spoils rows is tried by `foreign-rows.test.ts` and `foreign-states.test.ts`, which come next. */
const cases = engineContract.filter(({ title }) => !/unreadable|foreign|10,000/.test(title));

const harness: EngineHarness = {
  async fixture(settings) {
    const folder = await mkdtemp(join(FOLDER, "lull-mutant-"));
    const file = join(folder, "lull.db");
    return engineFixture(sqlite({ file, writer: "inline", synchronous: "off" }), settings, {
      strand: async (conversationId) => {
        const database = new DatabaseSync(file, { timeout: 5_000 });
        database.prepare("DELETE FROM states WHERE conversation_id = ?").run(conversationId);
        database.close();
      },
      close: () => rm(folder, { recursive: true }),
    });
  },
};

describe("the SQLite engine keeps the contract on the caller's thread", () => {
  for (const { title, run } of cases) it(title, () => run(harness));
});
