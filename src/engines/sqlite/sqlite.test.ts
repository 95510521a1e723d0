import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "vitest";
import type { ConversationStatus } from "../../model/conversation.ts";
import type { Engine, EngineProvider } from "../../ports/engine.ts";
import {
  type EngineHarness,
  engineContract,
  engineFixture,
  type SpoiltHow,
  type SpoiltWhat,
} from "../../testing/engine-contract/index.ts";
import { type SqliteOptions, sqlite } from "./index.ts";

type Opening = (options: SqliteOptions) => EngineProvider;

function harnessWith(options: Omit<SqliteOptions, "file">, opening: Opening = sqlite): EngineHarness {
  return {
    async fixture(settings) {
      const folder = await mkdtemp(join(tmpdir(), "lull-contract-"));
      const file = join(folder, "lull.db");
      return engineFixture(opening({ file, ...options }), settings, {
        strand: async (conversationId) => strand(file, conversationId),
        spoil: async (...row) => spoil(file, ...row),
        says: async (...said) => says(file, ...said),
        keeps: () => bytesIn(folder),
        close: () => rm(folder, { recursive: true }),
      });
    },
  };
}

/** Two connections to one file, as two workers have them: each request goes to the other one. */
function twoByTurns(options: SqliteOptions): EngineProvider {
  const provider = sqlite(options);
  return {
    ...provider,
    async open(context) {
      const [one, other] = [await provider.open(context), await provider.open(context)];
      let count = 0;
      const byTurns = <Port extends object>(of: (engine: Engine) => Port): Port =>
        new Proxy(of(one), {
          get(_, name) {
            count += 1;
            return Reflect.get(of(count % 2 === 0 ? one : other), name) as unknown;
          },
        });
      return {
        ...one,
        receiving: byTurns(({ receiving }) => receiving),
        turns: byTurns(({ turns }) => turns),
        conversations: byTurns(({ conversations }) => conversations),
        repairs: byTurns(({ repairs }) => repairs),
        inspector: byTurns(({ inspector }) => inspector),
        async close() {
          await other.close();
          await one.close();
        },
      };
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

function says(file: string, conversationId: string, status: ConversationStatus, updatedAtMs?: number): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  const written = database
    .prepare(
      `UPDATE conversations SET record = json_set(record, '$.status', ?,
         '$.updatedAtMs', coalesce(?, json_extract(record, '$.updatedAtMs'))) WHERE id = ?`,
    )
    .run(status, updatedAtMs ?? null, conversationId);
  assert.equal(written.changes, 1);
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

describe("the SQLite engine keeps the contract while another process writes to the file by turns", () => {
  const harness = harnessWith({ writer: "inline", synchronous: "off" }, twoByTurns);
  for (const { title, run } of engineContract) it(title, () => run(harness));
});
