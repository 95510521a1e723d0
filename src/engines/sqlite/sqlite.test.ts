import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "vitest";
import { type EngineHarness, engineContract, worldOn } from "../../testing/engine-contract/index.ts";
import { type SqliteOptions, sqlite } from "./index.ts";

function harnessWith(options: Omit<SqliteOptions, "file">): EngineHarness {
  return {
    async world(settings) {
      const folder = await mkdtemp(join(tmpdir(), "lull-contract-"));
      const file = join(folder, "lull.db");
      return worldOn(sqlite({ file, ...options }), settings, {
        strand: async (conversationId) => strand(file, conversationId),
        close: () => rm(folder, { recursive: true }),
      });
    },
  };
}

function strand(file: string, conversationId: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.prepare("DELETE FROM states WHERE conversation_id = ?").run(conversationId);
  database.close();
}

describe.concurrent("the SQLite engine keeps the contract on a real file, with its writer thread", () => {
  const harness = harnessWith({ writer: "thread", synchronous: "full" });
  for (const { title, run } of engineContract) it(title, () => run(harness));
});

describe("the SQLite engine keeps the contract on the caller's thread", () => {
  const harness = harnessWith({ writer: "inline", synchronous: "off" });
  for (const { title, run } of engineContract) it(title, () => run(harness));
});
