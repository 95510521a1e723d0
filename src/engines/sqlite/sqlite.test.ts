import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "vitest";
import {
  type EngineHarness,
  engineContract,
  engineFixture,
  type SpoiltHow,
  type SpoiltWhat,
} from "../../testing/engine-contract/index.ts";
import { type SqliteOptions, sqlite } from "./index.ts";

function harnessWith(options: Omit<SqliteOptions, "file">): EngineHarness {
  return {
    async fixture(settings) {
      const folder = await mkdtemp(join(tmpdir(), "lull-contract-"));
      const file = join(folder, "lull.db");
      return engineFixture(sqlite({ file, ...options }), settings, {
        strand: async (conversationId) => strand(file, conversationId),
        spoil: async (...row) => spoil(file, ...row),
        keeps: () => bytesIn(folder),
        close: () => rm(folder, { recursive: true }),
      });
    },
  };
}

async function bytesIn(folder: string): Promise<string> {
  const files = (await readdir(folder)).map((name) => readFile(join(folder, name), "latin1"));
  return (await Promise.all(files)).join();
}

function strand(file: string, conversationId: string): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.prepare("DELETE FROM states WHERE conversation_id = ?").run(conversationId);
  database.close();
}

const SPOILT = {
  state: [
    "UPDATE states SET state = ? WHERE conversation_id = ?",
    { works: "none", window: { wakeAtMs: "soon" } },
  ],
  staged: [
    `UPDATE staged SET item = ? WHERE (conversation_id, sequence) IN
       (SELECT conversation_id, min(sequence) FROM staged WHERE conversation_id = ?)`,
    { text: 7, arrivedAtMs: "soon" },
  ],
  conversation: ["UPDATE conversations SET record = ? WHERE id = ?", { taskComplete: "no", window: "long" }],
} as const;

function spoil(file: string, conversationId: string, what: SpoiltWhat, how: SpoiltHow): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  const [statement, foreign] = SPOILT[what];
  const row = how === "foreign" ? JSON.stringify(foreign) : '{"works":[{"turnId":"a\u0000';
  assert.equal(database.prepare(statement).run(row, conversationId).changes, 1);
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
